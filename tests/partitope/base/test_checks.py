"""Checks of arguments: every entrance says the same of the same fault, in one line, as InvalidInputError."""

from __future__ import annotations

import numpy as np
import pytest

import partitope.classifiers as classifiers
import partitope.stats as stats
from partitope.base.checks import class_codes, class_target, finite_rows, whole_number
from partitope.base.errors import InvalidInputError
from partitope.cluster import BalancedKMeans
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import CAC, KCC, PKM, GeometricPartitioner
from partitope.stats.comparison.roc_area import delong_test

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.arange(12) % 2


@pytest.mark.parametrize("value", [0, -3, True, 2.5, 3.0, "3", None, float("nan")])
@pytest.mark.parametrize(
    "call",
    [
        lambda v: PartitionPolytope(v, 0, 5, n_clusters=2),
        lambda v: GeometricPartitioner(2, n_init=v).fit(X),
        lambda v: CAC(2, n_init=v).fit(X, Y),
        lambda v: KCC(2, n_init=v).fit(X, covariates=X[:, :1]),
        lambda v: PKM(2, n_init=v).fit(X, Y),
    ],
)
def test_integers_of_at_least_one(call, value):
    with pytest.raises(InvalidInputError, match=r"is not usable: pass an integer of at least 1"):
        call(value)


@pytest.mark.parametrize(
    "estimator",
    [
        classifiers.ClusteringClassifier(),
        classifiers.LocalModelClassifier(),
        classifiers.PKMClassifier(),
        classifiers.SelectiveNaiveBayes(),
        PKM(),
    ],
)
def test_one_class_is_refused_alike(estimator):
    with pytest.raises(InvalidInputError, match="y holds one class only, 'a': expected at least two"):
        estimator.fit(X, np.repeat("a", 12))


def test_statistics_refuse_as_everything_else_does():
    with pytest.raises(InvalidInputError):
        stats.binary_report([0, 2], [0.1, 0.2])
    with pytest.raises(InvalidInputError):
        delong_test([0, 1], [0.1, 0.2], [0.1, 0.2])


def test_what_fits_is_returned():
    assert whole_number(np.int32(4), "n") == 4
    assert whole_number(0, "seed", least=0) == 0
    classes, codes = class_codes(["b", "a", "b"])
    assert classes.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]
    assert finite_rows([[1, 2]], n_columns=2).dtype == np.float64
    assert finite_rows(X) is X
    assert class_target(CAC(), X, Y)[1].tolist() == Y.tolist()


FIRST = np.arange(12) == 0
HIDDEN = np.ma.array(X, mask=np.column_stack([FIRST, ~FIRST & FIRST]))
SITES = PartitionPolytope(12, n_clusters=2)


@pytest.mark.parametrize(
    "name, call",
    [
        ("X", lambda: BalancedKMeans(2).fit(HIDDEN)),
        ("X", lambda: BalancedKMeans(2).fit(list(HIDDEN))),
        ("X", lambda: KCC(2).fit(HIDDEN, covariates=Y)),
        ("X", lambda: AssignmentModel.lsa(HIDDEN, X[:2], SITES)),
        ("X", lambda: classifiers.ConditionalMeanEncoder().fit(HIDDEN, Y)),
        ("sample_weight", lambda: BalancedKMeans(2).fit(X, sample_weight=np.ma.array(Y + 1.0, mask=FIRST))),
        ("sample_weight", lambda: CAC(2).fit(X, Y, sample_weight=np.ma.array(Y + 1, mask=FIRST))),
        ("y", lambda: PKM(2).fit(X, np.ma.array(Y, mask=FIRST))),
        ("y", lambda: classifiers.PKMClassifier().fit(X, np.ma.array(Y.astype(str), mask=FIRST))),
        ("y", lambda: classifiers.ConditionalMeanEncoder().fit(X, np.ma.array(Y, mask=FIRST))),
        ("covariates", lambda: KCC(2).fit(X, covariates=np.ma.array(Y, mask=FIRST))),
        ("init", lambda: GeometricPartitioner(2, init=HIDDEN[:2]).fit(X)),
        ("weights", lambda: PartitionPolytope(12, weights=np.ma.array(Y + 1.0, mask=FIRST), n_clusters=2)),
        ("scores", lambda: AssignmentModel(SITES, HIDDEN)),
    ],
)
def test_what_lies_under_a_mask_is_no_data(name, call):
    with pytest.raises(InvalidInputError, match=f"{name} has masked entries, which are no data"):
        call()


def test_a_masked_array_without_masked_entries_is_an_array():
    model = BalancedKMeans(2, random_state=0)
    whole = np.ma.array(X, mask=np.zeros_like(X))
    np.testing.assert_array_equal(model.fit(whole).cluster_centers_, model.fit(X).cluster_centers_)
    assert type(AssignmentModel.lsa(whole, X[:2], SITES).score_source.X) is np.ndarray


@pytest.mark.parametrize("bad", [[1.0, 2.0], [[1.0, np.nan]], np.zeros((2, 3))])
def test_rows_that_do_not_fit(bad):
    with pytest.raises(InvalidInputError, match=r"X has shape .*, expected a finite \(n_points, 2\) array"):
        finite_rows(bad, n_columns=2)


def test_rows_that_are_not_finite_are_named():
    with pytest.raises(
        InvalidInputError, match=r"expected a finite \(n_points, 2\) array: row 1 holds NaN or infinity"
    ):
        finite_rows([[1.0, 2.0], [1.0, np.inf]], n_columns=2)


@pytest.mark.parametrize("values", [object(), [["a"]], [[1.0], [2.0, 3.0]]])
def test_what_holds_no_numbers_is_refused_in_one_line(values):
    with pytest.raises(InvalidInputError, match="X holds no numbers"):
        finite_rows(values)
