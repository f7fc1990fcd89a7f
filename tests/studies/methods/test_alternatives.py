"""The other alternative clusterings: parts against dense and brute-force twins, hidden clusters, refusals."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone

from partitope.models.polytope.links import Links
from partitope.stats.dependence.kernels import centre, rbf_kernel
from studies.base.agreement import partition_agreement
from studies.methods import ADFT, CCIB, COALA, MNMF, RPCA, MustCannotLink, RegGB, SemiSupervised
from studies.methods.coala import merge_clusters
from studies.methods.mnmf import nonnegative_rows
from studies.methods.random_links import draw_links
from studies.methods.semi_supervised import reached

from ...solvers.kcc_data import accuracy, published, two_views


@pytest.mark.parametrize(
    ("model", "share"),
    [(COALA(omega=0.5), 0.7), (ADFT(), 0.9), (RPCA(), 0.95), (CCIB(), 0.95), (MNMF(), 0.95)],
    ids=str,
)
def test_they_find_what_the_covariate_does_not_say(model, share):
    X, group, hidden = two_views(240)
    X = X * np.array([0.5, 0.5, 1.0, 1.0]) if isinstance(model, COALA) else X
    labels = clone(model).set_params(n_clusters=3, random_state=0).fit(X, covariates=group).labels_
    assert accuracy(labels, hidden) > share
    assert accuracy(labels, group) < 0.6


def naive_tree(distances, known, omega, k):
    """The tree from its definition: averages over all pairs, at every step."""
    clusters = [[i] for i in range(len(distances))]
    while len(clusters) > k:
        found = [
            (distances[np.ix_(a, b)].mean(), bool(set(known[a]) & set(known[b])), i, j)
            for i, a in enumerate(clusters)
            for j, b in enumerate(clusters[:i])
        ]
        quality = min(found)
        free = [pair for pair in found if not pair[1]]
        chosen = min(free) if free and not quality[0] < omega * min(free)[0] else quality
        clusters[chosen[3]] += clusters.pop(chosen[2])
    labels = np.empty(len(distances), dtype=int)
    for number, members in enumerate(clusters):
        labels[members] = number
    return labels


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 16), omega=st.sampled_from([0.0, 0.4, 0.8, 1.0]))
def test_coala_against_its_definition(seed, n, omega):
    rng = np.random.default_rng(seed)
    X, known = rng.normal(size=(n, 2)), rng.integers(0, 3, n)
    distances = cdist(X, X)
    ours = merge_clusters(distances.copy(), known[:, None] == known, omega, 3)
    assert accuracy(ours, naive_tree(distances, known, omega, 3)) == 1.0


@pytest.mark.parametrize("model", [ADFT(3), RPCA(3), RegGB(3, n_init=20), CCIB(3)], ids=str)
def test_training_points_are_predicted_as_they_were_labelled(model):
    X, group, _ = two_views(120)
    model = clone(model).set_params(random_state=0).fit(X, covariates=group)
    known = {"covariates": group} if isinstance(model, CCIB) else {}
    assert np.array_equal(model.predict(X, **known), model.labels_)
    wide = np.random.default_rng(0).normal(size=(20, 60))
    model.fit(wide, covariates=np.arange(20) % 2)
    assert len(set(model.labels_)) == 3


def test_links_are_disjoint_and_respected():
    X, group, _ = two_views(100)
    cannot, must = draw_links(X, group, 0.3, 0.3, np.random.RandomState(0))
    assert len(cannot) == len(must) == 15
    assert len(np.unique(np.concatenate([cannot, must]))) == 60
    assert (group[cannot[:, 0]] == group[cannot[:, 1]]).all()
    assert (group[must[:, 0]] != group[must[:, 1]]).all()
    model = MustCannotLink(3, n_init=1, random_state=0).fit(X, covariates=group)
    assert len(model.cannot_link_) == len(model.must_link_) == 12
    assert Links(100, model.must_link_, model.cannot_link_).satisfied(model.labels_)
    free = MustCannotLink(3, cannot=0.0, must=0.0, random_state=0).fit(X, covariates=group)
    linked = MustCannotLink(3, cannot=0.5, must=0.5, random_state=0).fit(X, covariates=group)
    assert (
        partition_agreement(linked.labels_, group).mutual_information
        < partition_agreement(free.labels_, group).mutual_information
    )


@pytest.mark.data
def test_reggb_finds_curved_clusters(data_home):
    X, covariate, truth, k = published(data_home, "simu2")
    labels = RegGB(k, random_state=0).fit(X, covariates=covariate).labels_
    assert accuracy(labels, truth) > 0.98


def information_cost(X, group, labels, lam):
    """The objective of CCIB for one categorical covariate, from sums of squares."""
    total = 0.0
    for cluster in np.unique(labels):
        members = X[labels == cluster]
        total += lam * ((members - members.mean(axis=0)) ** 2).sum()
        for level in np.unique(group[labels == cluster]):
            rows = X[(labels == cluster) & (group == level)]
            total += ((rows - rows.mean(axis=0)) ** 2).sum()
    return total


@pytest.mark.parametrize("seed", range(4))
def test_ccib_against_all_clusterings(seed):
    rng = np.random.default_rng(seed)
    X, group = rng.normal(size=(9, 2)) + 2.0 * rng.integers(0, 2, (9, 2)), np.arange(9) % 2
    model = CCIB(2, lam=0.3, n_init=200, random_state=0).fit(X, covariates=group)
    every = [np.array(labels) for labels in product([0, 1], repeat=9) if 0 in labels and 1 in labels]
    best = min(information_cost(X, group, labels, 0.3) for labels in every)
    assert model.partition_.objective == pytest.approx(information_cost(X, group, model.labels_, 0.3), rel=1e-9)
    assert model.partition_.objective == pytest.approx(best, rel=1e-9)
    moved = CCIB(2, lam=0.3, n_init=200, random_state=0).fit(X + 1e3, covariates=group)
    assert np.array_equal(moved.labels_, model.labels_)


@pytest.mark.parametrize("kind", ["categorical", "real"])
def test_mnmf_never_rises_and_counts_what_it_says(kind):
    X, group, _ = two_views(100)
    covariate = group if kind == "categorical" else X[:, 0]
    model = MNMF(3, lam=0.5, covariate_type=kind, n_starts=1, max_iter=200, random_state=0).fit(X, covariates=covariate)
    trace = model.partition_.history["objective"]
    assert len(trace) > 5
    assert (np.diff(trace) <= 1e-12 * trace[0]).all()
    V, U = model.embedding_, model.components_
    assert V.min() >= 0
    assert U.min() >= 0
    assert np.linalg.norm(U, axis=0).max() <= 1 + 1e-12
    rows = nonnegative_rows(X)
    assert rows.min() == 0
    assert (rows**2).sum() == pytest.approx(100)
    scaled = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
    K = (group[:, None] == group).astype(float) if kind == "categorical" else rbf_kernel(scaled)
    dense = ((rows - V @ U.T) ** 2).sum() + 0.5 * np.trace(V.T @ centre(K) @ V)
    assert model.partition_.objective == pytest.approx(dense, rel=1e-9)
    free = MNMF(3, lam=0.0, covariate_type=kind, n_starts=1, random_state=0).fit(X, covariates=covariate)
    assert np.trace(V.T @ centre(K) @ V) < np.trace(free.embedding_.T @ centre(K) @ free.embedding_)


@pytest.mark.parametrize("method", ["propagation", "spreading"])
def test_labels_reach_equal_rows_and_what_they_do_not_reach_goes_by_their_shares(method):
    places, classes = np.repeat([0.0, 10.0, 20.0, 30.0], 60), np.repeat([1, 1, 1, 0], 60)
    known = np.where(np.arange(240) % 20 == 0, classes, -1)
    learner = SemiSupervised(2, method=method, n_neighbors=3).fit(places[:, None], known)
    np.testing.assert_array_equal(learner.transduction_, classes)
    np.testing.assert_array_equal(learner.predict([[1.0], [29.0]]), [1, 0])
    np.testing.assert_array_equal(
        reached([[np.nan, np.nan], [0.0, 0.0], [0.4, 0.6]], np.array([0.2, 0.8])), [[0.2, 0.8], [0.2, 0.8], [0.4, 0.6]]
    )
