"""Arguments that cannot be used are refused by name, in one line, also where no example of the documentation leads."""

import numpy as np
import pytest

from partitope import stats
from partitope.base.errors import InvalidInputError
from partitope.stats.cluster_values.limits import comparing_distance_limits
from partitope.stats.cluster_values.precision import value_half_width
from partitope.stats.cluster_values.test import cluster_value_test_counts
from partitope.stats.dependence.kernels import gram
from partitope.stats.modl.parts import cut_numbers, group_values
from partitope.stats.partitions.agreement import cluster_jaccard

Y, SCORES, LABELS = np.tile([0, 1], 6), np.linspace(0.0, 1.0, 12), np.repeat([0, 1, 2], 4)
ROWS = np.column_stack([SCORES, SCORES**2])
TEXTS = np.array(list("abcabcabcabc"), dtype=object)


class Classifier:
    """Can be fitted, and no more."""

    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: stats.accuracy_interval("x", 3), "correct='x' of n=3"),
        (lambda: stats.accuracy_interval(1, np.inf), "of n=inf"),
        (lambda: stats.auc_interval(Y, SCORES[1:]), "lengths differ .*score: 11"),
        (lambda: stats.auc_interval(Y, ROWS), "score has shape"),
        (lambda: stats.mcnemar_test(Y, Y[:, None], Y), "first has shape"),
        (lambda: cluster_jaccard(LABELS, ["a", None] * 6), "second mixes"),
        (lambda: stats.partition_agreement(ROWS, LABELS), "first has shape"),
        (lambda: stats.value_difference_test(LABELS, Y, ("a", "b")), "clusters=.* two different clusters"),
        (lambda: stats.value_difference_test(LABELS, Y, (0, 1, 2)), "clusters=.* two different clusters"),
        (lambda: value_half_width(["a"], [0.5]), "sizes holds no numbers"),
        (lambda: value_half_width([3, 4], [0.1, 0.2, 0.3]), "lengths differ"),
        (lambda: value_half_width([3, 4], 0.5, 95), "confidence=95"),
        (lambda: stats.suggest_bounds(10.5, 2), "y=10.5"),
        (lambda: stats.suggest_bounds([], 2), "y is empty"),
        (lambda: stats.suggest_bounds(["a", None], 2, share="overall"), "y mixes"),
        (lambda: comparing_distance_limits([0.2, 0.5], [0.5, np.nan]), "lam holds NaN"),
        (lambda: stats.power_analysis([0.2, 0.5], limits=(0.1, 0.2, 0.3)), r"limits=.* pair \(lower, upper\)"),
        (lambda: stats.power_analysis([0.2, 0.5], limits=(0.1, "x")), r"limits\[1\] holds no numbers"),
        (lambda: stats.power_analysis([0.2, 0.5], n_test=np.inf), "n_test=inf"),
        (lambda: cluster_value_test_counts([0.2], [np.inf], [1]), "n_test must hold 1 integers"),
        (lambda: cluster_value_test_counts([[0.2]], [4], [1]), "values has shape"),
        (lambda: cluster_value_test_counts([0.2], [4], [1], notes="seen"), "notes='seen'"),
        (lambda: stats.hsic(SCORES, Y, n_permutations=[1, 2]), r"n_permutations=\[1, 2\]"),
        (lambda: stats.hsconic(SCORES, Y, TEXTS, kernel_z=lambda a, b: 1.0 * (a == b.T), n_permutations=9), "z holds"),
        (lambda: gram(TEXTS, "precomputed"), "x holds no numbers"),
        (lambda: gram(SCORES, lambda a, b: "x"), "Gram matrix of x holds no numbers"),
        (
            lambda: stats.partition_stability(lambda rows, seed: Classifier(), ROWS, 2),
            "cluster gave .*expected a function",
        ),
        (lambda: stats.partition_stability(lambda rows, seed: len, np.empty((0, 2)), 2), "X has no rows"),
        (lambda: cut_numbers(TEXTS, Y, 2), "x holds object values"),
        (lambda: cut_numbers(SCORES, Y, 1), r"y must hold classes 0..0"),
        (lambda: cut_numbers(SCORES, Y[1:], 2), "lengths differ"),
        (lambda: group_values(TEXTS, Y - 1, 2), r"y must hold classes 0..1"),
        (lambda: group_values(TEXTS, Y, "2"), "n_classes='2'"),
    ],
)
def test_what_cannot_be_used_is_named(call, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options, message", [({"lower": [3, 3, 3]}, "lower has shape"), ({"upper": "x"}, "upper holds")]
)
def test_bounds_of_the_selective_test_are_given_per_cluster(options, message):
    x = np.array([[-2.0], [-1.1], [-0.3], [0.4], [0.9], [1.8]])
    with pytest.raises(InvalidInputError, match=message):
        stats.selective_mean_test(x, [0, 0, 0, 1, 1, 1], [[-1.0], [1.0]], covariance=1.0, **options)


def test_limits_and_clusters_may_come_as_any_sequence():
    values, n, ones = [0.1, 0.5], [50, 50], [6, 24]
    pairs = ([0.05, 0.4], 0.7), [[0.05, 0.4], 0.7], np.array([[0.05, 0.4], [0.7, 0.7]])
    tests = [cluster_value_test_counts(values, n, ones, limits=limits, notes=["seen"]) for limits in pairs]
    assert all(np.array_equal(test.pvalue, tests[0].pvalue) and test.notes[0] == "seen" for test in tests)
    found = [stats.value_difference_test(LABELS, Y, pair) for pair in ((0, 1), [0, 1], np.array([0, 1]), range(2))]
    assert found.count(found[0]) == 4
