"""Checks of arguments: every entrance says the same of the same fault, in one line, as InvalidInputError."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import partitope.classifiers as classifiers
from partitope.base.checks import class_codes, class_target, finite_rows, whole_number
from partitope.base.errors import LONGEST, InvalidInputError
from partitope.cluster import BalancedKMeans
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import CAC, PKM
from partitope.stats import mcnemar_test

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.arange(12) % 2


@pytest.mark.parametrize(
    "estimator",
    [
        classifiers.ClusteringClassifier(),
        classifiers.LocalModelClassifier(),
        classifiers.SelectiveNaiveBayes(),
        PKM(),
    ],
)
def test_one_class_is_refused_alike(estimator):
    with pytest.raises(InvalidInputError, match="y holds one class only, 'a': expected at least two"):
        estimator.fit(X, np.repeat("a", 12))


def test_what_fits_is_returned():
    assert whole_number(np.int32(4), "n") == 4
    assert whole_number(0, "seed", least=0) == 0
    classes, codes = class_codes(["b", "a", "b"])
    assert classes.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]
    assert finite_rows([[1, 2]], n_columns=2).dtype == np.float64
    assert finite_rows(X) is X
    assert class_target(CAC(), X, Y)[1].tolist() == Y.tolist()


SITES = PartitionPolytope(12, n_clusters=2)


def test_a_masked_array_without_masked_entries_is_an_array():
    model = BalancedKMeans(2, random_state=0)
    whole = np.ma.array(X, mask=np.zeros_like(X))
    np.testing.assert_array_equal(model.fit(whole).cluster_centers_, model.fit(X).cluster_centers_)
    assert type(AssignmentModel.lsa(whole, X[:2], SITES).score_source.X) is np.ndarray


GAPS = np.nan, None, pd.NA, pd.NaT


@pytest.mark.parametrize("gap", GAPS, ids=str)
@pytest.mark.parametrize("name", ["a", 1])
def test_a_missing_label_is_refused_and_equal_to_no_other(gap, name):
    labels, full = [name, gap, name, gap], [name] * 4
    for refused in (
        lambda: mcnemar_test(labels, full, full),
        lambda: mcnemar_test(full, full, np.array(labels, dtype=object)),
        lambda: SITES.share([*labels, *full, *full], 0.1),
    ):
        with pytest.raises(InvalidInputError, match=r"has no entry at 2 of \d+ points, the first is 1"):
            refused()
    assert SITES.together([*labels, *full, *full]).blocks.max() == 2  # without a group: a block of its own


def test_labels_of_several_types_are_refused_and_complex_numbers_too():
    with pytest.raises(InvalidInputError, match="groups mixes values that cannot be sorted"):
        SITES.together(["1", 1, *"abcdefghij"])
    with pytest.raises(InvalidInputError, match="costs holds complex numbers"):
        AssignmentModel.of_costs(PartitionPolytope(2, n_clusters=1), [[1 + 9j], [2]])


def test_rows_that_are_not_finite_are_named():
    with pytest.raises(
        InvalidInputError, match=r"expected a finite \(n_points, 2\) array: row 1 holds NaN or infinity"
    ):
        finite_rows([[1.0, 2.0], [1.0, np.inf]], n_columns=2)


def test_a_message_is_one_line_whatever_it_quotes():
    with pytest.raises(InvalidInputError) as caught:
        whole_number(np.zeros((2, 2, 2)), "n_init")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("is not usable: pass an integer of at least 1")


def test_a_message_shows_numbers_as_their_user_writes_them():
    shown = [
        np.float64(5.0),
        (np.int64(2), np.float32(0.5)),
        [np.str_("a"), np.True_],
        np.array([1.0, 2.0], np.float32),
    ]
    message = str(InvalidInputError(", ".join(map(repr, [*shown, "np."]))))
    assert message == "5.0, (2, 0.5), ['a', True], [1., 2.], 'np.'"
    assert str(InvalidInputError("an array(3) of np.nan")) == "an array(3) of np.nan"


def test_long_arguments_are_quoted_in_part():
    sizes = [-1, *range(100_000)]
    with pytest.raises(InvalidInputError) as caught:
        BalancedKMeans(3, lower=sizes).fit(np.random.default_rng(0).normal(size=(30, 2)))
    message = str(caught.value)
    assert len(message) <= LONGEST + 5
    assert message.startswith("lower=[-1, 0, 1,")
    assert message.endswith("has 100001 numbers, expected 1 or 3 (one per cluster)")
