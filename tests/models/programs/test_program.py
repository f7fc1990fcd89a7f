"""Every model of the mission is a program: the same value by every way out, a dual, files that other solvers read."""

from __future__ import annotations

import importlib.util
import itertools
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pyomo.environ as pyo
import pytest
import scipy.sparse as sp
from pyomo.core import TransformationFactory

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.models import (
    AssignmentModel,
    Block,
    LeastSquaresSDP,
    MarginProgram,
    MedoidLocationMIP,
    NormMaximisation,
    PartitionPolytope,
    PowerDiagram,
    Program,
)
from partitope.models.formats.arrays import names_of
from partitope.models.programs.program import read_program
from partitope.solvers import GeometricPartitioner, MedoidPartitioner, solve, solve_global

from ..formats.test_solver_files import READERS, highs

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "models.md").read_text(encoding="utf-8")
N, K = 9, 3
RNG = np.random.default_rng(1)
X, SITES = RNG.normal(size=(N, 2)), RNG.normal(size=(K, 2))
POLYTOPE = PartitionPolytope(N, 2, 4, n_clusters=K)


def by_highs(program: Program) -> tuple[float, dict[str, np.ndarray]]:
    solver = program.to_highs(mip_rel_gap=0.0)
    solver.run()
    return solver.getInfo().objective_function_value, program.read(solver.getSolution().col_value)


def by_cvxpy(program: Program, solver: str) -> float:
    problem = program.to_cvxpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # inaccurate answers show in their value
        problem.solve(solver=solver)
    assert problem.value is not None
    return float(problem.value)


def by_pyomo(program: Program) -> float:
    model = program.to_pyomo()
    solver = pyo.SolverFactory("appsi_highs")
    solver.highs_options = {"mip_rel_gap": 0.0}
    solver.solve(model)
    return float(pyo.value(model.component(program.objective)))


def net(m: int) -> np.ndarray:
    angles = 2 * np.pi * np.arange(m) / m
    return np.column_stack([np.cos(angles), np.sin(angles)])


def models() -> dict[str, tuple[Program, float]]:
    """The models of the page, and their values by what the package has for each."""
    model = AssignmentModel.csa(X, SITES, POLYTOPE)
    solved = solve(model)
    wide = PowerDiagram.max_margin(X, solved.labels, SITES, "csa")
    stated = POLYTOPE.together([0, 0] + [None] * (N - 2)).apart([None, 1, 1] + [None] * (N - 3)).optional(least=2)
    whole = AssignmentModel.csa(X, SITES, stated.share(np.arange(N) % 2 == 0, 0.2, 0.8))
    path = np.column_stack([np.arange(N - 1), np.arange(1, N)])
    connected = AssignmentModel.csa(X, SITES, POLYTOPE.connected(path))
    norms = NormMaximisation(X, POLYTOPE)
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    medoids = MedoidLocationMIP(distances, np.ones(N), 2.0, 4.0, K, K, np.zeros(N), np.arange(N))
    served = MedoidPartitioner(K, lower=2, upper=4, random_state=0).fit(X).partition_
    relaxation = LeastSquaresSDP(X, POLYTOPE)
    return {
        "bounded-shape partition polytope": (model.program, solved.objective),
        "power-diagram dual": (model.program.dualize(), solved.objective),
        "largest margin": (
            MarginProgram.of(PowerDiagram(SITES, np.zeros(K), "csa"), X, solved.labels).program,
            float(wide.margin(X, solved.labels).min()),
        ),
        "undivided points": (whole.program, solve(whole).objective),
        "norm-maximization iteration": (norms.program, solve_global(X, POLYTOPE, "csa").objective),
        "semidefinite relaxation": (relaxation.program, relaxed_value(relaxation)),
        "medoids": (medoids.program, served.objective),
        "connected clusters": (connected.program, solve(connected).objective),
    }


def relaxed_value(relaxation: LeastSquaresSDP) -> float:
    """The relaxation as a person writes it in cvxpy."""
    import cvxpy as cp

    (low, high), v, (least, most) = relaxation.box, relaxation.roots, relaxation.n_filled
    Y = cp.Variable(low.shape, symmetric=True)
    diagonal = cp.reshape(cp.diag(Y) / v**2, (v.size, 1), order="C") @ np.ones((1, v.size))
    rows = [Y @ v == v, Y >> 0, np.eye(v.size) - Y >> 0, cp.trace(Y) >= least, cp.trace(Y) <= most]
    rows += [low <= Y, high >= Y, cp.multiply(Y, 1.0 / np.outer(v, v)) <= diagonal]
    problem = cp.Problem(cp.Minimize(cp.sum(cp.multiply(relaxation.cost, Y))), rows)
    problem.solve(solver="CLARABEL")
    return float(problem.value)


def exits(program: Program, folder: Path) -> dict[str, list[float]]:
    """The value of a program by every way out; no value where a way is refused."""
    mixed = program.integral is not None
    ways = {
        "HiGHS": lambda: [by_highs(program)[0]],
        "cvxpy": lambda: [by_cvxpy(program, "HIGHS" if mixed else "CLARABEL")],
        "Pyomo": lambda: [] if program.to_pyomo() is None or program.quadratic else [by_pyomo(program)],
        ".mps": lambda: [(-1.0 if program.maximise else 1.0) * highs(program.write(folder / "m.mps"))],
        ".lp": lambda: [(-1.0 if program.maximise else 1.0) * read_lp(program, folder)],
        ".json": lambda: [value_of(read_program(program.write(folder / "m.json")))],
        "dual": lambda: [value_of(program.dualize())],
    }
    found = {}
    for name, way in ways.items():
        try:
            found[name] = [value for value in way() if not np.isnan(value)]
        except CapabilityError as error:
            if ": use " not in str(error):  # every refusal says what to do instead
                raise
    return found


def read_lp(program: Program, folder: Path) -> float:
    file = program.write(folder / "m.lp")
    if not program.quadratic:
        return highs(file)
    if importlib.util.find_spec("pyscipopt") is None:
        return float("nan")
    from pyscipopt import Model

    scip = Model()
    scip.hideOutput()
    scip.readProblem(str(file))
    scip.setParam("numerics/feastol", 1e-9)
    scip.optimize()
    return float(scip.getObjVal())


def value_of(program: Program) -> float:
    if program.quadratic:
        return float("nan")
    return by_cvxpy(program, "CLARABEL") if program.semidefinite else by_highs(program)[0]


def test_the_mission_is_kept_by_every_model_and_every_way_out(tmp_path):
    sentence = re.search(r"Clusterings are formulated as explicit LP/MIP models \((.*?)\)", " ".join(PAGE.split()))
    assert sentence is not None
    named = re.findall(r"the ([\w -]+)", sentence[1])
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:2] == "| "]
    ways, rows = table[0][2:], {row[0]: row[2:] for row in table[1:]}
    found = models()
    assert list(rows) == list(found)
    assert len(named) == 3
    assert set(named) <= set(rows), named
    for name, (program, expected) in found.items():
        values = exits(program, tmp_path)
        assert [("yes" if way in values else "no") for way in ways] == rows[name], name
        for way, several in values.items():
            inexact = program.semidefinite or (way == "cvxpy" and program.integral is None)
            for value in several:
                assert value == pytest.approx(expected, rel=1e-6 if inexact else 1e-8), (name, way)


def test_the_dual_is_the_power_diagram():
    model = AssignmentModel.csa(X, SITES, POLYTOPE)
    prices = by_highs(model.program.dualize())[1]
    diagram = PowerDiagram(SITES, prices["size_lower"] + prices["size_upper"], "csa")
    scores = diagram.decision_function(X)
    labels = solve(model).labels
    assert scores[np.arange(N), labels] == pytest.approx(scores.max(axis=1), abs=1e-9)


def test_the_dual_of_the_margin_is_a_cycle_of_least_ratio():
    labels = solve(AssignmentModel.csa(X, SITES, POLYTOPE)).labels
    margin = MarginProgram.of(PowerDiagram(SITES, np.zeros(K), "csa"), X, labels)
    value, flows = by_highs(margin.program.dualize())
    used = np.argwhere(on_arcs(margin, flows["wall"]) > 1e-9)
    assert sorted(used[:, 0]) == sorted(used[:, 1])
    assert len(set(used[:, 0])) == len(used)  # one cycle
    arcs = tuple(used.T)
    assert margin.gaps[arcs].sum() / margin.distances[arcs].sum() == pytest.approx(value)


def on_arcs(margin: MarginProgram, flows: np.ndarray) -> np.ndarray:
    found = np.zeros((K, K))
    found[tuple(margin.program.rows[0].index.T)] = flows
    return found


@pytest.mark.parametrize("m", [6, 12])
def test_a_net_of_directions_encloses_the_longest_sums(m):
    best = max(np.linalg.norm(sums(y), axis=1).sum() for y in POLYTOPE.enumerate())
    found = by_highs(NormMaximisation(X, POLYTOPE).over_net(3.0 * net(m)))[0]
    assert found <= best * (1 + 1e-9)
    assert best <= found / np.cos(np.pi / m) * (1 + 1e-9)
    climbed = GeometricPartitioner(K, objective="csa", lower=2, upper=4, random_state=0).fit(X).partition_.objective
    assert climbed <= best * (1 + 1e-12)


def sums(labels: np.ndarray) -> np.ndarray:
    return np.eye(K)[labels].T @ (X - X.mean(axis=0))


def test_the_norm_program_holds_at_every_clustering_and_no_longer_norm_does():
    program = NormMaximisation(X, POLYTOPE).program
    for labels in list(POLYTOPE.enumerate())[:20]:
        lengths = np.linalg.norm(sums(labels), axis=1)
        for factor, holds in ((1.0, True), (1.001, False)):
            x = np.concatenate([np.eye(K)[labels].ravel(), sums(labels).ravel(), factor * lengths])
            rows = program.matrix @ x + np.array([x @ program.quadratic[r] @ x if r in program.quadratic else 0.0
                                                  for r in range(program.row_lower.size)])  # fmt: skip
            inside = (rows >= program.row_lower - 1e-9) & (rows <= program.row_upper + 1e-9)
            assert inside.all() == holds
            assert program.cost @ x == pytest.approx(factor * lengths.sum())


def test_triangles_tighten_the_relaxation_and_stay_below_the_optimum():
    points = np.random.default_rng(3).normal(size=(10, 2))
    polytope = PartitionPolytope(10, 2, 4, n_clusters=K)
    relaxation, pairs = LeastSquaresSDP(points, polytope), list(itertools.combinations(range(10), 2))
    triangles = [(b, *pair) for b in range(10) for pair in pairs if b not in pair]
    values = [by_cvxpy(program, "CLARABEL") for program in (relaxation.program, relaxation.with_cliques(triangles))]
    assert values[0] < values[1] * (1 - 1e-3)
    assert values[1] <= solve_global(points, polytope, "lsa").objective * (1 + 1e-6)


def around(rng: np.random.Generator, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sides of every kind around numbers (q,): none, one, both or equal ones; and multipliers of those that are met."""
    kind, distance = rng.integers(5, size=places.size), rng.integers(1, 3, (2, places.size))
    other = rng.random((2, places.size)) < 0.3
    low = np.where(np.isin(kind, (1, 3)), places, np.where((kind == 4) | other[0], places - distance[0], -np.inf))
    up = np.where(np.isin(kind, (2, 3)), places, np.where((kind == 4) | other[1], places + distance[1], np.inf))
    sign = np.select([kind == 1, kind == 2, kind == 3], [1.0, -1.0, rng.choice([-1.0, 1.0], places.size)], 0.0)
    return low, up, sign * rng.integers(0, 3, places.size)


def random_program(seed: int) -> Program:
    """A program with an optimum, by complementary slackness, and with every kind of row and column."""
    rng = np.random.default_rng(seed)
    r, c = rng.integers(1, 7, 2)
    matrix = rng.integers(-3, 4, (r, c)) * rng.integers(0, 2, (r, c)).astype(float)
    x = rng.integers(-2, 3, c).astype(float)
    row_lower, row_upper, y = around(rng, matrix @ x)
    lower, upper, slack = around(rng, x)
    cost, maximise = matrix.T @ y + slack, bool(rng.integers(2))
    sides = row_lower, row_upper, lower, upper
    return Program(-cost if maximise else cost, sp.csc_array(matrix), *sides, maximise=maximise)


def test_the_dual_of_the_dual_is_the_program():
    for seed in range(200):
        program = random_program(seed)
        value = by_highs(program)[0]
        dual = program.dualize()
        again = dual.dualize()
        assert by_highs(dual)[0] == pytest.approx(value, rel=1e-9, abs=1e-9), seed
        assert by_highs(again)[0] == pytest.approx(value, rel=1e-9, abs=1e-9), seed
        assert again.maximise == program.maximise


def test_pyomo_dualizes_our_export():
    allowed = np.arange(N * K).reshape(N, K) % 7 != 1
    for polytope in (POLYTOPE, PartitionPolytope(N, 2, 4, n_clusters=K).allow(allowed)):
        model = AssignmentModel.csa(X, SITES, polytope)
        dual = TransformationFactory("core.lp_dual").create_using(model.to_pyomo())
        pyo.SolverFactory("appsi_highs").solve(dual)
        assert pyo.value(dual.obj) == pytest.approx(solve(model).objective, rel=1e-8)


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_files_of_duals_are_read_alike(read, tmp_path):
    allowed = np.arange(N * K).reshape(N, K) % 7 != 1
    polytope = PartitionPolytope(N, 2, 4, n_clusters=K).allow(allowed).share(np.arange(N) % 2 == 0, 0.2, 0.8)
    model = AssignmentModel.csa(X, SITES, polytope)
    best = solve(model, "highs").objective
    programs = [(model.program.dualize(), best), *((random_program(seed), None) for seed in range(20))]
    for program, expected in programs:
        value = by_highs(program)[0] if expected is None else expected
        for suffix in (".lp", ".mps"):
            sign = -1.0 if program.maximise else 1.0
            assert sign * read(program.write(tmp_path / f"m{suffix}")) == pytest.approx(value, rel=1e-8, abs=1e-8)


def test_json_holds_every_number(tmp_path):
    for program in (NormMaximisation(X, POLYTOPE).program, LeastSquaresSDP(X, POLYTOPE).program):
        again = read_program(program.write(tmp_path / "m.json"))
        for name in ("cost", "row_lower", "row_upper", "lower", "upper"):
            np.testing.assert_array_equal(getattr(again, name), getattr(program, name))
        assert (again.matrix != program.matrix).nnz == 0
        assert names_of(again.columns + again.rows) == names_of(program.columns + program.rows)
        assert all(np.array_equal(a, b) for a, b in zip(again.semidefinite, program.semidefinite, strict=True))
        assert all((again.quadratic[r] != square).nnz == 0 for r, square in program.quadratic.items())
    record = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    for damaged in ({}, record | {"integral": [True]}, record | {"matrix": [[2**70], [0], [1.0]]}):
        (tmp_path / "m.json").write_text(json.dumps(damaged), encoding="utf-8")
        with pytest.raises(InvalidInputError, match=r"is not a partitope\.program|integral has shape"):
            read_program(tmp_path / "m.json")


def test_programs_of_ones_own_are_checked():
    fields = {"matrix": sp.csc_array((1, 2)), "row_lower": np.zeros(1), "row_upper": np.ones(1), "lower": np.zeros(2),
              "upper": np.ones(2)}  # fmt: skip
    with pytest.raises(InvalidInputError, match=r"cost has shape \(3,\), expected \(2,\)"):
        Program(cost=np.zeros(3), **fields)
    with pytest.raises(InvalidInputError, match="columns has 3 names, expected 2"):
        Program(cost=np.zeros(2), columns=(Block.grid("x", 3),), **fields)
    with pytest.raises(InvalidInputError, match="two blocks have the name 'x'"):
        Program(cost=np.zeros(2), columns=(Block.grid("x", 2),), rows=(Block.grid("x", 1),), **fields)
    with pytest.raises(InvalidInputError, match=r"values has shape \(1,\), expected \(2,\)"):
        Program(cost=np.zeros(2), **fields).read([1.0])


def test_convex_quadratic_rows_go_to_cvxpy():
    sides = np.array([-np.inf]), np.array([2.0]), np.full(2, -np.inf), np.full(2, np.inf)
    disc = Program(np.ones(2), sp.csc_array((1, 2)), *sides, maximise=True, quadratic={0: sp.csc_array(np.eye(2))})
    assert by_cvxpy(disc, "CLARABEL") == pytest.approx(2.0)
