"""Instances of a comparison of solvers, each reproducible from its name alone.

    iris, wine, breast-cancer         scikit-learn's tables, k = 3, 3, 2
    FAMILY:n=500,k=5,d=2,seed=0       FAMILY one of `FAMILIES`; whatever is left out has the values shown
    path/to/model.json, .mps          written by `partitope export`, `AssignmentModel.write` or `Program.write`

The first two are assignment programs: k points far apart are the sites, sizes are n/k give or take a fifth, except in
the family "equal", where l = u.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..base.errors import InvalidInputError
from ..models import AssignmentModel, PartitionPolytope
from ..models.programs.assignment import FORMAT
from ..models.programs.instances import read_instance
from ..models.programs.program import Program, read_program

TABLES = {"iris": 3, "wine": 3, "breast-cancer": 2}
FAMILIES = {
    "blobs": "normal clouds around k centres",
    "uniform": "uniform in a cube: the hardest to balance",
    "ties": "small integers: many equal scores and equal points",
    "equal": "normal clouds, all sizes prescribed",
}
DEFAULTS = {"n": 500, "k": 5, "d": 2, "seed": 0}


@dataclass(frozen=True, eq=False)
class Instance:
    """A program, and the assignment model behind it where there is one; backends of `solve` need that."""

    program: Program
    model: AssignmentModel | None = None

    @classmethod
    def of(cls, name: str) -> Instance:
        """The instance of a name; InvalidInputError if it is not one of the three kinds, or cannot be read."""
        suffix = Path(name).suffix.lower()
        if suffix == ".mps":
            return cls(_read_mps(name))
        if suffix == ".json":
            if _format_of(name) != FORMAT:
                return cls(read_program(name))
            model = read_instance(name)
        else:
            points, k, equal, seed = points_of(name)
            model = _at_sites(points, k, equal, seed)
        return cls(model.program, model)


def _format_of(name: str) -> str:
    try:
        return str(json.loads(Path(name).read_text(encoding="utf-8"))["format"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInputError(f"{name} cannot be read ({error}): pass a .json of a model's write()") from None


def _read_mps(name: str) -> Program:
    """A program as HiGHS reads it."""
    import highspy
    import scipy.sparse as sp

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    if highs.readModel(name) == highspy.HighsStatus.kError:
        raise InvalidInputError(f"{name} cannot be read as MPS: pass a file of a model's write()")
    lp = highs.getLp()
    shape, matrix = (lp.num_row_, lp.num_col_), lp.a_matrix_
    make = sp.csc_array if matrix.format_ == highspy.MatrixFormat.kColwise else sp.csr_array
    coefficients = make((np.array(matrix.value_), np.array(matrix.index_), np.array(matrix.start_)), shape=shape)
    whole = np.array([kind != highspy.HighsVarType.kContinuous for kind in lp.integrality_], dtype=bool)
    low, up = np.array(lp.row_lower_), np.array(lp.row_upper_)
    return Program(
        np.array(lp.col_cost_), sp.csc_array(coefficients), low, up, np.array(lp.col_lower_), np.array(lp.col_upper_),
        whole if whole.any() else None, lp.sense_ == highspy.ObjSense.kMaximize,
    )  # fmt: skip


def points_of(name: str) -> tuple[NDArray[np.float64], int, bool, int]:
    """Points (n, d) of a table or a family, the number of clusters, whether sizes are prescribed, and the seed."""
    if name in TABLES:
        return _table(name), TABLES[name], False, 0
    family, _, text = name.partition(":")
    if family not in FAMILIES:
        raise InvalidInputError(
            f"instance {name!r} is not known: choose {', '.join(TABLES)}, one of {', '.join(FAMILIES)} with "
            f":n=500,k=5,d=2,seed=0, or a .json or .mps file of a model's write()"
        )
    p = dict(DEFAULTS)
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in DEFAULTS or not value.isdigit():
            raise InvalidInputError(f"instance {name!r}: {part!r} is not usable, write n=500,k=5,d=2,seed=0")
        p[key] = int(value)
    if min(p["n"], p["k"], p["d"]) < 1 or p["k"] > p["n"]:
        raise InvalidInputError(f"instance {name!r}: n, k and d must be at least 1, and k at most n")
    rng, shape = np.random.default_rng(p["seed"]), (p["n"], p["d"])
    if family == "uniform":
        X = rng.random(shape)
    elif family == "ties":
        X = rng.integers(-3, 4, shape).astype(float)
    else:
        means = 4.0 * rng.normal(size=(p["k"], p["d"]))
        X = means[rng.integers(0, p["k"], p["n"])] + rng.normal(size=shape)
    return X, p["k"], family == "equal", p["seed"]


def _table(name: str) -> NDArray[np.float64]:
    from sklearn import datasets
    from sklearn.preprocessing import scale

    X = getattr(datasets, f"load_{name.replace('-', '_')}")().data
    return np.asarray(X if name == "iris" else scale(X), dtype=np.float64)


def _at_sites(X: NDArray[np.float64], k: int, equal: bool, seed: int) -> AssignmentModel:
    """Least squares at k points far apart, those of k-means++."""
    from sklearn.cluster import kmeans_plusplus

    n = len(X)
    even = n // k + (np.arange(k) < n % k)  # the first clusters take the remainder
    polytope = PartitionPolytope(n, even, even) if equal else PartitionPolytope.within(n, k)
    return AssignmentModel.lsa(X, kmeans_plusplus(X, k, random_state=seed)[0], polytope)
