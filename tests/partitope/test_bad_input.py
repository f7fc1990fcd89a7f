"""Every public name, and every method of a public object, refuses what it cannot use in one line of its own.

The examples of the documentation are run, and every call of theirs is repeated with one argument replaced by something
that was never meant; so is the fit of every estimator, once for each of its parameters, and every public method of the
objects that come up in the examples, from a call that works. What is accepted is no concern here, but for numbers of
clusters and points, where a negative one, which an array would count from its end, has to be refused, and for masked
entries. What is refused must be refused by us, or in the words of scikit-learn, and never by whatever happened to break
further down.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import doctest
import inspect
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

from partitope.base.errors import PartitopeError
from partitope.models import Links, PartitionPolytope
from partitope.solvers import Partition
from partitope.solvers.cells import Cells

Call = tuple[Callable[..., Any], dict[str, Any]]
STARS = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
JUNK = {
    "'x'": "x",
    "None": None,
    "nan": float("nan"),
    "-1": -1,
    "{}": {},
    "object()": object(),
    "ragged": [[1.0], [2.0, 3.0]],
    "words": np.array([["a", "b"], ["c", "d"]]),
    "cube": np.zeros((2, 2, 2)),
}


DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
from reference_pages import documented  # type: ignore[import-not-found]  # noqa: E402

sys.path.remove(str(DOCS))
DOCUMENTED = list(documented())
PUBLIC = {thing for *_, thing in DOCUMENTED if inspect.isclass(thing)} | {Cells}
MASKED = "an entry masked"
NUMBERS = ("labels", "cluster", "clusters", "points", "cell_index", "codes", "a", "b", "n_points", "n_clusters")
"""Names of arguments that number, or count, clusters and points."""


EXAMPLES = {
    name: thing
    for package, _, name, thing in DOCUMENTED
    if callable(thing) and ">>>" in (inspect.getdoc(thing) or "") and thing.__module__.split(".")[1] == package
}


class _Recorded(ast.NodeTransformer):
    """Sends all calls of names and of methods through ``_record``."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name | ast.Attribute):
            return ast.Call(ast.Name("_record", ast.Load()), [node.func, *node.args], node.keywords)
        return node


def _is_ours(thing: Any) -> bool:
    return (getattr(thing, "__module__", None) or "").startswith("partitope.")


def _example(thing: Any) -> tuple[list[Call], list[Any]]:
    """The calls of ours in the examples of a docstring, with their arguments by name, and the objects they leave."""
    calls: list[Call] = []
    objects: list[Any] = []

    def record(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if not (_is_ours(type(owner)) or _is_ours(function)):
            return function(*args, **kwargs)
        bound = inspect.signature(function).bind(*args, **kwargs)
        calls.append((copy.deepcopy(function), copy.deepcopy(dict(bound.arguments))))
        result = function(*args, **kwargs)
        objects.extend([result, owner])
        return result

    pyplot.close("all")  # the next picture would go into the last one's axes
    scope: dict[str, Any] = {"_record": record}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(thing) or ""):
        tree = ast.fix_missing_locations(_Recorded().visit(ast.parse(example.source)))
        exec(compile(tree, f"<example of {thing.__name__}>", "exec"), scope)
    return calls, objects


def _calls(thing: Any) -> list[Call]:
    """The calls of a public name, and of methods ``fit``, in its examples."""
    return [call for call in _example(thing)[0] if call[0] is thing or call[0].__name__ in (thing.__name__, "fit")]


def _repeat(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """The call again; arguments that were collected by stars are spread again."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, value in arguments.items():
        kind = inspect.signature(function).parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            args.extend(value)
        elif kind is inspect.Parameter.POSITIONAL_ONLY:
            args.append(value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            kwargs.update(value)
        else:
            kwargs[name] = value
    return function(*args, **kwargs)


def _fault(error: Exception) -> str | None:
    """What is wrong with an error, or None."""
    if isinstance(error, PartitopeError):
        return f"a message of several lines: {str(error)!r}" if "\n" in str(error) else None
    frames = traceback.extract_tb(error.__traceback__)
    ours = max(i for i, frame in enumerate(frames) if "partitope" in frame.filename)
    checked = any("/sklearn/utils/" in frame.filename for frame in frames[ours:]) or "/sklearn/" in frames[-1].filename
    if checked or (isinstance(error, OSError) and error.filename):
        return None
    path = frames[ours].filename.split("/partitope/")[-1]
    return f"{type(error).__name__} at {path}:{frames[ours].lineno}: {str(error)[:90]!r}"


def _is_usual(parameter: inspect.Parameter, junk: Any) -> bool:
    """Whether this is the default, or a yes or no, where an array's truth is refused by NumPy in clear words."""
    return (junk is None and parameter.default is None) or (
        isinstance(parameter.default, bool) and isinstance(junk, np.ndarray)
    )


def _spoilt(value: Any) -> dict[str, Any]:
    """An argument that can be used with one thing wrong in it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"True": True, "a half more": value + 0.5}
    array = np.array(value) if isinstance(value, list | np.ndarray) and np.size(value) else np.array("")
    if array.dtype.kind not in "iuf" or not array.ndim:
        return {}
    first = np.arange(array.size).reshape(array.shape) == 0
    spoilt = {
        "too short": array[:-1],
        "halves": array + 0.5,
        "NaN in it": np.where(first, np.nan, array),
        MASKED: np.ma.array(array, mask=first),
    }
    spoilt |= {"-1 in it": np.where(first, np.int8(-1), array)} if array.dtype.kind in "iu" else {}
    return spoilt | ({"a column less": array[:, :-1]} if array.ndim > 1 else {})


def _attempts(function: Callable[..., Any], arguments: dict[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """A call repeated with every argument, and for ``fit`` every parameter of its estimator, replaced in turn."""
    for name, parameter in inspect.signature(function).parameters.items():
        for said, junk in {**JUNK, **_spoilt(arguments.get(name))}.items():
            usable = name == "X" and said in ("too short", "halves")  # other points, which only take time
            if parameter.kind in STARS or _is_usual(parameter, junk) or usable:
                continue
            changed = {**copy.deepcopy(arguments), name: junk}
            yield f"{name}={said}", lambda changed=changed: _repeat(function, changed)
    owner = getattr(function, "__self__", None)
    if function.__name__ == "fit" and hasattr(owner, "get_params"):
        for name in owner.get_params(deep=False):
            for said, junk in JUNK.items():
                if _is_usual(inspect.signature(type(owner)).parameters[name], junk):
                    continue
                other = copy.deepcopy(owner)
                setattr(other, name, junk)
                yield f"{name}={said}", lambda other=other: _repeat(other.fit, copy.deepcopy(arguments))


BLOCKS = "blocks of scores, which solvers read in their innermost loops"
PARTS = "put together from what only our own passes over the data make"
ABSTRACT = "every strategy, and every backend through solve, is called itself"
STATED = "how models of ours state their programs; a Program checks its shapes"
TORCH = "needs PyTorch, which examples do without"
LEFT_OUT = {
    "AlikePartitioner.predict": "groups that are alike have no cells for new points",
    "Constraint": "what users write; `subject_to` and the exits check what it gives",
    "Formulation": STATED,
    "PartitionPolytope.of_points": PARTS,
    "PartitionPolytope.with_constraint": PARTS,
    "AssignmentSolution.of": "what a backend found, whatever it is, for verify to judge",
    "AssignmentSolution.plot": "the example's points have one column; drawn in tests/test_shown.py",
    "Backend": ABSTRACT,
    "Block.grid": STATED,
    "Block.taken": STATED,
    "ConnectedPartitioner.predict": "territories have no cells for new points",
    "Certificate.narrowed": PARTS,
    "Certificate.of": PARTS,
    "Certificate.room": PARTS,
    "Certificate.sealed": PARTS,
    "DeepCAC": TORCH,
    "DenseScores": BLOCKS,
    "LinearScores": BLOCKS,
    "MedoidLocationMIP.part": STATED,
    "MedoidLocationMIP.served_by": STATED,
    "Partitioner": ABSTRACT,
    "PartitionPolytope.opened": PARTS,
    "PartitionPolytope.with_open": PARTS,
    "Program.extended": STATED,
    "Program.of_blocks": STATED,
    "QuadraticScores.by_cluster": BLOCKS,
    "QuadraticScores.coordinates": BLOCKS,
    "QuadraticScores.rows": BLOCKS,
    "Separation.by_diagram": PARTS,
    "Separation.by_exchange": PARTS,
    "WholeAssignmentMIP": PARTS,
}
"""Public methods, or all of a class, that are not called with junk, and why."""


def _squares(n: int) -> dict[str, Any]:
    """A map of n squares in a row."""
    rings = [[[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]] for x in range(n)]
    shapes = [{"type": "Polygon", "coordinates": [ring]} for ring in rings]
    return {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": shape} for shape in shapes]}


SAMPLES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "AssignmentModel.of_costs": lambda model: {
        "polytope": PartitionPolytope(2, 1, 1, n_clusters=2),
        "costs": np.array([[1.0, 4.0], [2.0, 3.0]]),
    },
    "AssignmentModel.write": lambda model: {"path": "model.json"},
    "Bound.encloses": lambda bound: {"value": bound.lower},
    "Certificate.stated": lambda found: {"objective": 1.0, "dual_objective": 1.0},
    "ClusterSumPolytope.exchange": lambda sums: {"a": 0, "b": 1},
    "ConnectedPartitioner.divide": lambda model: {"areas": _squares(len(model.labels_))},
    "Dataset.drawn": lambda data: {"n_rows": 2, "seed": 0},
    "Dataset.rows": lambda data: {"chosen": np.array([0, 1])},
    "LeastSquaresSDP.enough": lambda relaxation: {"value": 1.0},
    "LeastSquaresSDP.far_pairs": lambda relaxation: {"value": 1.0},
    "LeastSquaresSDP.safe": lambda relaxation: {"scaled": 1.0},
    "LeastSquaresSDP.with_cliques": lambda relaxation: {"cliques": [(0, 1, 2)]},
    "LeastSquaresSDP.with_links": lambda relaxation: {"links": Links(len(relaxation.X))},
    "LinearAnswer.require_optimum": lambda answer: {"what": "the program"},
    "LinearBasis.columns_of": lambda basis: {"kind": "linear"},
    "Links.and_also": lambda links: {"more": Links(links.n_points)},
    "Links.check": lambda links: {"polytope": PartitionPolytope(links.n_points, n_clusters=3)},
    "Links.satisfied": lambda links: {"labels": np.zeros(links.n_points, dtype=int)},
    "NormMaximisation.over_net": lambda norms: {"directions": np.eye(norms.X.shape[1])},
    "Program.read": lambda program: {"values": program.cost},
    "Program.write": lambda program: {"path": "program.json"},
    "PartitionPolytope.add_rows": lambda polytope: {
        "name": "rows",
        "coefficients": np.ones((polytope.n_points, polytope.n_clusters)),
        "lower": 0.0,
    },
    "PartitionPolytope.allow": lambda polytope: {"mask": np.ones((polytope.n_points, polytope.n_clusters), dtype=bool)},
    "PartitionPolytope.connected": lambda polytope: {
        "edges": np.column_stack([np.arange(polytope.n_points - 1), np.arange(1, polytope.n_points)])
    },
    "PartitionPolytope.require_plain": lambda polytope: {"what": "this"},
    "PartitionPolytope.with_links": lambda polytope: {"more": Links(polytope.n_points)},
    "PartitionPolytope.share": lambda polytope: {"groups": np.arange(polytope.n_points) % 2, "upper": 1.0},
    "PooledLogisticRegression.cell_models": lambda model: {
        "X": np.eye(6, model.n_features_in_),
        "y": np.repeat(model.classes_, 3)[:6],
        "cell_index": np.arange(6) % 2,
        "n_cells": 2,
    },
    "PowerDiagram.exchange_gaps": lambda diagram: {"X": diagram.sites, "labels": np.arange(diagram.n_clusters)},
    "PowerDiagram.from_gaps": lambda diagram: {"gaps": np.ones((diagram.n_clusters,) * 2) - np.eye(diagram.n_clusters)},
    "PowerDiagram.margin": lambda diagram: {"X": diagram.sites, "labels": np.arange(diagram.n_clusters)},
    "PowerDiagram.max_margin": lambda diagram: {"X": diagram.sites, "labels": np.arange(diagram.n_clusters)},
    "TableEncoder.describe": lambda encoder: {"centres": np.zeros((2, len(encoder.get_feature_names_out())))},
}
"""What to call a method with, where neither its example nor an attribute of its object has the name of an argument."""


def _owners(objects: list[Any]) -> dict[type, Any]:
    """One object of every public class of ours, and of the cells of partitions, among objects and their attributes."""
    found: dict[type, Any] = {}
    seen, waiting = set(), list(objects)
    while waiting:
        thing = waiting.pop(0)
        if isinstance(thing, list | tuple) and len(thing) < 10:
            waiting.extend(thing)
        if isinstance(thing, type) or not _is_ours(type(thing)) or type(thing) in seen:
            continue
        seen.add(type(thing))
        if type(thing) in PUBLIC:
            found[type(thing)] = thing
        for name in dir(thing):
            if not name.startswith("_") and not callable(inspect.getattr_static(thing, name)):
                with contextlib.suppress(Exception):  # what needs a package or an optimum that is not there
                    waiting.append(getattr(thing, name))
    return found


def _methods(kind: type) -> Iterator[str]:
    """Public methods of ours with arguments, but for those that hand them to ``fit``, which has a test of its own."""
    for name in dir(kind):
        static = inspect.getattr_static(kind, name)
        function = getattr(static, "__func__", static)
        if name.startswith("_") or not inspect.isfunction(function) or not _is_ours(inspect.unwrap(function)):
            continue
        if name.startswith("fit") and not isinstance(static, classmethod):
            continue
        kinds = {parameter.kind for parameter in list(inspect.signature(function).parameters.values())[1:]}
        if kinds - STARS:
            yield name


def _valid_calls(owner: Any, name: str, calls: list[Call]) -> Iterator[Call]:
    """Calls of a method that may work: that of the example, then arguments of the names that its parameters have."""
    for function, arguments in calls:
        bound = getattr(function, "__self__", None)
        if function.__name__ == name and type(owner) in (bound, type(bound)):
            yield function, arguments
    known = {name: value for _, arguments in reversed(calls) for name, value in arguments.items()}
    own: dict[str, Any] = {}
    with contextlib.suppress(AttributeError):  # of an estimator that was not fitted
        own = SAMPLES.get(f"{type(owner).__name__}.{name}", lambda owner: {})(owner)
    method, needed, wished = getattr(owner, name), {}, {}
    for parameter in inspect.signature(method).parameters.values():
        choice = [own[parameter.name]] if parameter.name in own else []
        choice += [getattr(owner, parameter.name)] if hasattr(owner, parameter.name) else []
        choice += [known[parameter.name]] if parameter.name in known else []
        if choice and parameter.kind not in STARS:
            required = parameter.default is parameter.empty or parameter.name in own
            (needed if required else wished)[parameter.name] = choice[0]
    yield method, {**wished, **needed}
    yield method, needed


def _faults(said: str, function: Callable[..., Any], arguments: dict[str, Any]) -> list[str]:
    """What is wrong with the ways in which a call refuses junk."""
    faults = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for changed, attempt in _attempts(function, arguments):
            name, _, junk = changed.partition("=")
            numbers = name in NUMBERS and name in arguments and not hasattr(function, "get_params")  # looked at in fit
            try:
                kept = inspect.isclass(function) and not hasattr(
                    function, "__post_init__"
                )  # looked at by fit, if at all
                must = (junk == MASKED and not kept) or (numbers and junk.startswith("-1"))
                fault = "is accepted" if attempt() is not False and must else None
            except Exception as error:
                fault = _fault(error)
            faults += [f"{said}({changed}): {fault}"] if fault else []
    return faults


def _first_that_works(owner: Any, name: str, calls: list[Call]) -> Call | None:
    for function, arguments in _valid_calls(owner, name, calls):
        with contextlib.suppress(Exception):
            _repeat(function, copy.deepcopy(arguments))
            return function, arguments
    return None


@pytest.mark.full
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_cannot_be_used_is_refused_in_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a path named "x" is junk here, and yet a path
    thing = EXAMPLES[name]
    faults = [fault for call in _calls(thing) for fault in _faults(name, *call)]
    assert not faults, "\n".join(faults)


@pytest.mark.full
def test_what_a_method_cannot_use_is_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    left = {f"{kind.__name__}.{name}" for kind in PUBLIC for name in _methods(kind)} - LEFT_OUT.keys()
    wanted = {said for said in left if said.split(".")[0] not in LEFT_OUT}
    left, faults = set(wanted), []
    for thing in EXAMPLES.values():
        calls, objects = _example(thing)
        for kind, owner in _owners(objects).items():
            for method in _methods(kind):
                said = f"{kind.__name__}.{method}"
                again = kind in (thing, Cells, Partition)  # the cells of every strategy are others
                call = _first_that_works(owner, method, calls) if said in left or (again and said in wanted) else None
                if call is not None:
                    left.discard(said)
                    faults += _faults(said, *call)
    faults += [f"{said}: no example shows a call that works; add one there, or to SAMPLES" for said in sorted(left)]
    assert not faults, "\n".join(faults)
