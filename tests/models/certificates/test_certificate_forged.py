"""No forged certificate passes, no honest one is lost, and neither depends on units, offsets or order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.base.errors import InvalidInputError
from partitope.base.status import Status
from partitope.models import AssignmentModel, PartitionPolytope, check_assignment
from partitope.models.certificates.exact import check_exactly
from partitope.models.objectives.proof import Proof
from partitope.models.scores.scores import LinearScores
from partitope.solvers import GeometricPartitioner, solve
from partitope.testing import judge

from .optimal_exactly import optimal_exactly

SEEDS = st.integers(0, 2**32 - 1)
N, K = 30, 3


def dense(seed, weighted=False):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 3.0, N) if weighted else None
    third = N / 3 if weights is None else float(weights.sum()) / 3
    return AssignmentModel(PartitionPolytope(N, third - 2, third + 1, weights, n_clusters=K), rng.normal(size=(N, K)))


def refused(solution):
    """Both checks and the independent judge turn a solution down, in a word or by False."""
    for exact in (False, True):
        try:
            if solution.verify(exact=exact).verified:
                return False
        except InvalidInputError:
            pass
    try:
        with np.errstate(all="ignore"):  # numbers that are none
            return not judge(solution).worst <= 1e-9
    except (InvalidInputError, IndexError, ValueError):
        return True


def swapped(labels, seed):
    """The same sizes with some points in each other's places."""
    return np.random.default_rng(seed).permutation(labels)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.booleans())
def test_honest_solutions_pass_everywhere(seed, weighted):
    solution = solve(dense(seed, weighted))
    for backend in ("transport", "highs"):
        solution = solve(solution.model, backend)
        certificate = solution.verify()
        assert certificate.verified, certificate.verdict
        assert certificate.belongs_to(solution.labels, solution.splits)
        assert judge(solution).worst <= 1e-12
    if not weighted:
        assert solution.verify(exact=True).verified == optimal_exactly(solution.model, solution.labels)


FORGERIES = {
    "labels that splits hide": lambda s: {
        "labels": (s.labels + 1) % K, "splits": tuple((j, int(i), 1.0) for j, i in enumerate(s.labels))},
    "one point twice, one nowhere": lambda s: {
        "splits": ((0, int(s.labels[0]), 2.0), (1, int(s.labels[1]), -1e-10))},
    "shares of nan": lambda s: {"splits": ((0, 0, np.nan), (0, 1, 0.5))},
    "infinite share": lambda s: {"splits": ((0, 0, np.inf), (0, 1, -np.inf))},
    "a pair named twice": lambda s: {"splits": ((0, int(s.labels[0]), 0.5), (0, int(s.labels[0]), 0.5))},
    "a point outside": lambda s: {"splits": ((N, 0, 1.0),)},
    "a negative point": lambda s: {"splits": ((-1, int(s.labels[-1]), 1.0),)},
    "a negative cluster": lambda s: {"splits": ((0, -1, 1.0),)},
    "shares short of one": lambda s: {"splits": ((0, int(s.labels[0]), 0.9),)},
    "negative label": lambda s: {"labels": np.where(np.arange(N) == 0, -1, s.labels)},
    "wrong length": lambda s: {"labels": s.labels[:-1]},
    "labels between clusters": lambda s: {"labels": s.labels + 0.5},
    "other labels": lambda s: {"labels": swapped(s.labels, 1)},
    "one cluster for all": lambda s: {"labels": np.zeros(N, dtype=np.int64)},
    "price nan": lambda s: {"prices": np.array([np.nan, 0.0, 0.0])},
    "price infinite": lambda s: {"prices": np.array([np.inf, 0.0, 0.0])},
    "prices of the wrong sign": lambda s: {"prices": -s.prices - 1.0, "point_duals": None},
    "huge price": lambda s: {"prices": s.prices + np.array([1e12, 0, 0]), "point_duals": None},
    "point duals too low": lambda s: {"point_duals": s.point_duals - 1.0},
    "one point dual": lambda s: {"point_duals": s.point_duals + np.eye(N)[3]},
    "point duals of nan": lambda s: {"point_duals": np.full(N, np.nan)},
    "objective": lambda s: {"objective": s.objective + 1.0},
    "dual objective": lambda s: {"dual_objective": s.dual_objective - 1.0},
    "status and labels": lambda s: {"status": Status.OPTIMAL, "labels": swapped(s.labels, 2)},
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
@pytest.mark.parametrize("weighted", [False, True])
def test_forgeries_fail(name, weighted):
    for seed in range(3):
        solution = solve(dense(seed, weighted))
        assert not refused(solution)
        assert refused(replace(solution, **FORGERIES[name](solution))), seed


@pytest.mark.parametrize("offset", [1e6, 1e9, 1e12])
@pytest.mark.parametrize("width", [1.0, 1e-3])
@pytest.mark.parametrize("upper", [20, 25])
def test_an_offset_of_the_data_hides_nothing(offset, width, upper):
    rng = np.random.default_rng(0)
    X, sites = offset + width * rng.normal(size=(60, 2)), rng.normal(size=(3, 2))
    sites /= np.linalg.norm(sites, axis=1, keepdims=True)
    for closed in (0, 1):  # a cluster that takes no point changes nothing
        sites = np.vstack([sites, 2.0 * sites[:1]]) if closed else sites
        bounds = [40 - upper] * 3 + [0] * closed, [upper] * 3 + [0] * closed
        model = AssignmentModel.csa(X, sites, PartitionPolytope(60, *bounds))
        solution = solve(model)
        wrong = swapped(solution.labels, 0)
        assert not optimal_exactly(model, wrong)
        for prices in (solution.prices, solution.prices + np.eye(3 + closed)[-1] * 1e9 * closed):
            forged = replace(solution, labels=wrong, prices=prices, point_duals=None, objective=np.nan)
            assert not forged.verify().verified
            assert not forged.verify(exact=True).verified
        honest = solution.verify(exact=True)
        assert honest.verified == optimal_exactly(model, solution.labels)
        if width / offset >= 1e-9:
            assert solution.verify().verified, solution.verify()
        if honest.verified is False:
            assert honest.gap > 0


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(-200, 140), st.sampled_from([1e-9, 1.0, 1e9]), st.booleans())
def test_units_and_order_change_no_verdict(seed, exponent, weight, honest):
    rng = np.random.default_rng(seed)
    solution = solve(dense(seed, weighted=True))
    model, labels = solution.model, solution.labels
    prices, splits = solution.prices, solution.splits
    if not honest:
        prices = prices + rng.normal(size=K)
    verdict = check_assignment(model, labels, prices, splits=splits)
    assert verdict.verified == honest
    scale = 2.0 ** round(exponent * np.log2(10.0))
    points, clusters = rng.permutation(N), rng.permutation(K)
    place, name = np.argsort(points), np.argsort(clusters)
    polytope = PartitionPolytope(
        N, model.polytope.lower[clusters] * weight, model.polytope.upper[clusters] * weight,
        model.polytope.weights[points] * weight,
    )  # fmt: skip
    other = AssignmentModel(polytope, (model.scores.matrix[points] * scale)[:, clusters])
    moved = tuple((int(place[j]), int(name[i]), share) for j, i, share in splits)
    again = check_assignment(other, name[labels[points]], (prices * scale)[clusters], splits=moved)
    assert again.verified == honest
    assert again.gap == pytest.approx(verdict.gap, rel=1e-9, abs=1e-12)


def test_underflow_is_no_proof():
    rng = np.random.default_rng(0)
    X, sites = rng.normal(size=(N, 2)) * 1e-170, rng.normal(size=(K, 2)) * 1e-170
    model = AssignmentModel.lsa(X, sites, PartitionPolytope(N, 10, 10, n_clusters=K))
    certificate = check_assignment(model, np.arange(N) % K, np.zeros(K))
    assert not certificate.verified
    assert "exact=True" in certificate.verdict


def test_exact_means_optimal_in_fractions():
    """Prices that miss by rounding are repaired; labels that miss by less than any float tolerance are not."""
    tiny = 2.0**-60
    model = AssignmentModel(PartitionPolytope(3, [1, 2], [1, 2]), [[1.0, 1.0], [tiny, 0.0], [0.0, 0.0]])
    assert not check_assignment(model, [0, 1, 1], [0.0, 0.0]).verified  # no large score hides the small one
    worse = check_exactly(model, [0, 1, 1], [0.0, 0.0])
    assert not worse.verified
    assert worse.gap == pytest.approx(tiny / worse.magnitude)
    assert check_exactly(model, [1, 0, 1], [0.0, 0.0]).gap == 0
    model = AssignmentModel(PartitionPolytope(3, 0, 3, n_clusters=2), model.scores)  # no bound is met: no price fits
    repaired = check_exactly(model, [1, 0, 1], [tiny * 1e-10, 0.0])
    assert repaired.gap > 0  # of the prices as they were given
    assert repaired.verified


def test_a_certificate_belongs_to_one_partition():
    X = np.random.default_rng(0).normal(size=(60, 2))
    partition = GeometricPartitioner(3, objective="csa", lower=15, upper=25, random_state=0).fit(X).partition_
    certificate = partition.certificate
    assert partition.proof is Proof.STEP
    assert replace(partition, seconds=1.0).certificate == certificate
    changed = {
        "labels": np.roll(partition.labels, 1),
        "splits": ((0, 0, 1.0),),
        "certificate": replace(certificate, gap=0.0, tolerance=1.0),
    }
    for name, value in changed.items():
        other = replace(partition, **{name: value})
        assert other.certificate is None, name
        assert other.proof is Proof.NONE
    moved = replace(certificate, prices=(0.5, 0.0, 0.0))
    assert replace(partition, certificate=moved).certificate is None


def test_rounded_splits_state_their_loss():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, weights = rng.normal(size=(12, 2)), rng.integers(1, 9, size=12).astype(float)
        third = weights.sum() / 3
        options = {"lower": third, "upper": third, "objective": "lsa", "random_state": 0}
        whole = GeometricPartitioner(3, whole=True, **options).fit(X, sample_weight=weights).partition_
        split = GeometricPartitioner(3, whole=False, **options).fit(X, sample_weight=weights).partition_
        assert split.proof is Proof.STEP
        if split.splits:
            assert whole.proof is Proof.NONE
            assert whole.violation > 0
            assert not whole.certificate.primal_feasible
            assert whole.certificate.primal_violation == pytest.approx(whole.violation / weights.sum())
            assert whole.certificate.gap > 0


def test_overflow_is_refused_by_name():
    X, sites, polytope = np.ones((4, 2)), np.eye(2), PartitionPolytope(4, 0, 4, n_clusters=2)
    cases = {
        "X": lambda: AssignmentModel.lsa(X * 1e80, sites, polytope),
        "sites": lambda: AssignmentModel.csa(X, sites * 1e151, polytope),
        "origin": lambda: AssignmentModel.lsa(X, sites, polytope, origin=[1e160, 0.0]),
        "scores": lambda: AssignmentModel(polytope, X * 1e151),
        "weights": lambda: PartitionPolytope(4, 0, 4, [1e150] * 4, n_clusters=2),
        "scores.offsets": lambda: AssignmentModel(
            polytope, LinearScores(X, sites, np.array([0.0, 1e200]), np.zeros(2))
        ),
    }
    for name, build in cases.items():
        with pytest.raises(InvalidInputError, match=rf"^{name} reaches .*rescale"):
            build()
    with pytest.raises(InvalidInputError, match=r"^X reaches .*rescale"):
        GeometricPartitioner(2, objective="csa").fit(X * 1e160 * np.arange(1, 5)[:, None])
    AssignmentModel.csa(X.astype(np.float32) * np.float32(1e30), sites, polytope)
    assert solve(AssignmentModel(polytope, np.eye(4, 2) * 1e140)).verify().verified
