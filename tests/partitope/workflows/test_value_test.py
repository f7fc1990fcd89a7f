from partitope.commands.value_test.run import verdict
from partitope.stats.cluster_values.test import cluster_value_test_counts


def test_values_that_are_told_apart_are_not_called_a_neighbours():
    """Two clusters whose values differ beyond chance, though neither is confirmed on both sides."""
    result = cluster_value_test_counts([0.3, 0.6], [100, 100], [26, 66], [500, 500], 0.75, "exact", None)
    said = verdict(result, "yes")
    assert "below its upper limit: 0" in said
    assert "above its lower limit: 1" in said
    assert "neighbour" not in said


def test_a_verdict_without_any_rejection_says_so():
    result = cluster_value_test_counts([0.4, 0.6], [3, 3], [1, 2], [500, 500], 0.75, "exact", None)
    assert "no limit is rejected; more rows may decide the rest" in verdict(result, "yes")
