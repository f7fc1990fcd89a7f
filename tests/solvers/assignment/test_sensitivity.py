"""Sensitivity of every bound against linear programs solved anew by SciPy; bounds that cannot bind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import sensitivity, solve


def _maximum(scores, lower, upper):
    """The maximum of the assignment program with these bounds, None where they admit no assignment."""
    n, k = scores.shape
    by_point = np.kron(np.eye(n), np.ones(k))
    by_cluster = np.tile(np.eye(k), n)
    room, sizes = np.concatenate([upper, -lower]), np.vstack([by_cluster, -by_cluster])
    found = linprog(-scores.ravel(), A_ub=sizes, b_ub=room, A_eq=by_point, b_eq=np.ones(n), method="highs")
    return -found.fun if found.status == 0 else None


def _instance(seed):
    rng = np.random.default_rng([seed, 5])
    k = int(rng.integers(1, 4))
    n = int(rng.integers(k, 9))
    scores = rng.integers(-4, 5, (n, k)).astype(float) if seed % 2 else rng.normal(size=(n, k))
    lower = rng.integers(0, n // k + 1, k)
    upper = np.minimum(np.maximum(lower, -(-n // k)) + rng.integers(0, n + 1, k), n)
    return scores, lower.astype(float), upper.astype(float)


@pytest.mark.parametrize("block", range(2))
def test_every_row_equals_the_program_solved_anew(block):
    for seed in range(12 * block, 12 * block + 12):
        scores, lower, upper = _instance(seed)
        n = len(scores)
        table = sensitivity(solve(AssignmentModel(PartitionPolytope(n, lower, upper), scores))).table
        best = _maximum(scores, lower, upper)
        rounding = 1e-7 * n * np.abs(scores).max()  # HiGHS works to a feasibility of 1e-7 in every row
        for row in table.itertuples():
            sign = 1.0 if row.side == "raise" else -1.0
            for length in (0.5, 1.0, 3.0 * n) if np.isinf(row.range) else (row.range / 2, row.range):
                moved = {"lower": lower.copy(), "upper": upper.copy()}
                moved[row.bound][row.cluster] += sign * (length if row.feasible else 0.25)
                found = _maximum(scores, **moved) if moved["lower"].min() >= 0 else None
                if row.feasible:
                    assert found == pytest.approx(best + length * row.derivative, abs=rounding), (seed, row)
                else:
                    assert found is None, (seed, row)


@pytest.mark.parametrize("lower", [0, 1])
def test_an_upper_bound_at_n_has_no_effect_when_raised(lower):
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    for upper in (5, 50):
        solution = solve(AssignmentModel.lsa(X, [[0.0], [100.0]], PartitionPolytope(5, lower, upper, n_clusters=2)))
        table = sensitivity(solution).table.set_index(["bound", "side"])
        raised = table.loc[("upper", "raise")]
        assert raised.feasible.all()
        assert (raised.derivative == 0.0).all()
        assert np.isinf(raised.range).all()


def test_one_cluster_takes_everything_whatever_its_upper_bound():
    solution = solve(AssignmentModel(PartitionPolytope(4, 4, 4, n_clusters=1), np.arange(4.0)[:, None]))
    table = sensitivity(solution).table.set_index(["bound", "side"])
    assert table.loc[("upper", "raise"), ["derivative", "range", "feasible"]].tolist() == [0.0, np.inf, True]
    assert not table.loc[("upper", "reduce"), "feasible"]
    assert not table.loc[("lower", "raise"), "feasible"]
    assert table.loc[("lower", "reduce"), ["derivative", "range", "feasible"]].tolist() == [0.0, 4.0, True]


@pytest.mark.parametrize("unit, weight", [(1e-6, 1.0), (1e6, 1.0), (1.0, 1e-9), (1e-9, 1e9)])
def test_intervals_of_prices_do_not_depend_on_units(unit, weight):
    rng = np.random.default_rng(0)
    X, loads = rng.normal(size=(20, 2)), np.column_stack([rng.lognormal(0, 0.5, 20), rng.random(20)])
    tables = []
    for u, w in ((1.0, 1.0), (unit, weight)):
        even = loads.sum(axis=0) * w / 3
        polytope = PartitionPolytope(20, [[0.8 * even[0], 0]] * 3, [[1.1 * even[0], 1.2 * even[1]]] * 3, w * loads)
        table = sensitivity(solve(AssignmentModel.lsa(u * X, u * X[:3], polytope))).table
        tables.append(table[["lowest", "highest"]].to_numpy(float) / u**2)
    assert tables[1] == pytest.approx(tables[0], abs=1e-6)
