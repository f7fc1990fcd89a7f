"""Any labels: a power diagram that induces them, or an exchange that proves that none does."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.base.errors import InvalidInputError
from partitope.models import PowerDiagram
from partitope.solvers import is_separable, solve
from partitope.testing import random_model

SEEDS = st.integers(0, 2**32 - 1)


def _check(X, labels, answer):
    """Either answer is proved here from its definition."""
    X, labels = np.asarray(X, float), np.asarray(labels)
    if answer:
        np.testing.assert_array_equal(answer.diagram.predict(X), labels)
        assert answer.margin > 0
        assert answer.diagram.margin(X, labels).min() == pytest.approx(answer.margin)
        return
    k, d = labels.max() + 1, X.shape[1]
    change = np.zeros((k, d + 1))
    for point, source, target, share in answer.exchange:
        assert share > 0
        assert source == labels[point] != target
        change[source] -= share * np.r_[X[point], 1.0]
        change[target] += share * np.r_[X[point], 1.0]
    assert sum(move.share for move in answer.exchange) == pytest.approx(1.0)
    assert np.abs(change).max() <= 1e-6 * (1 + np.abs(X).max())
    assert len(answer.exchange) <= k * (d + 1) + 1


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_optimal_clusterings_are_separable(seed):
    model = random_model(seed, 40, 4)
    labels = solve(model).labels
    X = model.score_source.X
    _check(X, labels, answer := is_separable(X, labels))
    assert answer


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 3), st.integers(2, 4))
def test_random_labels_get_a_diagram_or_a_proof(seed, d, k):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(12, d)), rng.integers(0, k, 12)
    _check(X, labels, is_separable(X, labels))


@pytest.mark.parametrize("label", [0, 1, 3])
def test_points_of_one_cluster_lie_in_its_cell_whichever_it_is(label):
    X, labels = np.random.default_rng(label).normal(size=(12, 2)), np.full(12, label)
    _check(X, labels, answer := is_separable(X, labels))
    assert answer


def test_one_dimension_is_order():
    """On a line the clusters of a power diagram are intervals: the answer is known without any program."""
    rng = np.random.default_rng(0)
    found = {True: 0, False: 0}
    for _ in range(200):
        x, labels = rng.permutation(6).astype(float), rng.integers(0, 3, 6)
        sequence = labels[np.argsort(x)]
        intervals = len(np.flatnonzero(np.diff(sequence))) + 1 == len(np.unique(labels))
        answer = is_separable(x[:, None], labels)
        assert answer.separable == intervals
        found[intervals] += 1
    assert min(found.values()) > 20


def test_the_proof_of_a_cross_is_exact():
    X = [[0, 0], [2, 2], [0, 2], [2, 0]]
    answer = is_separable(X, [0, 0, 1, 1])
    assert not answer
    change = [[Fraction(0)] * 3 for _ in range(2)]
    for point, source, target, share in answer.exchange:
        assert share == pytest.approx(0.25)
        for c, value in enumerate([*X[point], 1]):
            change[source][c] -= Fraction(1, 4) * value
            change[target][c] += Fraction(1, 4) * value
    assert change == [[0, 0, 0], [0, 0, 0]]


def test_far_away_and_large_data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6000, 3)) * 1e-3 + 1e4
    sites = rng.normal(size=(4, 3)) * 1e-3 + 1e4
    labels = PowerDiagram(sites, np.zeros(4), "lsa", sites.mean(axis=0)).predict(X)
    assert is_separable(X, labels)
    labels[:2] = labels[:2][::-1] + 1 if labels[0] == labels[1] else labels[:2][::-1]
    _check((X - 1e4) * 1e3, labels % 4, is_separable((X - 1e4) * 1e3, labels % 4))


def test_empty_and_single_clusters():
    assert is_separable([[0.0], [1.0]], [0, 0]).margin == np.inf
    answer = is_separable([[0.0], [1.0], [5.0]], [0, 0, 3])
    assert answer.diagram.n_clusters == 4
    assert answer.diagram.predict([[0.0], [5.0]]).tolist() == [0, 3]
    with pytest.raises(InvalidInputError, match="labels has shape"):
        is_separable([[0.0], [1.0]], [0])
    with pytest.raises(InvalidInputError, match="whole numbers"):
        is_separable([[0.0], [1.0]], [0.5, 1])
