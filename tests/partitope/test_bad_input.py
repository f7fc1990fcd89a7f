"""Every public name refuses what it cannot use in one line of its own.

The examples of the documentation are run, and every call of theirs is repeated with one argument replaced by something
that was never meant; so is the fit of every estimator, once for each of its parameters. What is accepted is no concern
here. What is refused must be refused by us, or in the words of scikit-learn, and never by whatever happened to break
further down.
"""

from __future__ import annotations

import ast
import copy
import doctest
import inspect
import traceback
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from partitope.base.errors import PartitopeError

PACKAGES = ("classifiers", "cluster", "datasets", "models", "solvers", "stats")
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


def _public_names() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        module = import_module(f"partitope.{package}")
        for name in module.__all__:
            thing = getattr(module, name)
            home = getattr(thing, "__module__", "").split(".")
            if callable(thing) and ">>>" in (inspect.getdoc(thing) or "") and home[1:2] == [package]:
                yield package, name


class _Recorded(ast.NodeTransformer):
    """Sends calls of one name, and of every method ``fit``, through ``_record``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        named = isinstance(node.func, ast.Name) and node.func.id == self.name
        if named or (isinstance(node.func, ast.Attribute) and node.func.attr == "fit"):
            return ast.Call(ast.Name("_record", ast.Load()), [node.func, *node.args], node.keywords)
        return node


def _calls(thing: Any, name: str) -> list[tuple[Callable[..., Any], dict[str, Any]]]:
    """The calls in the examples of a docstring, with their arguments by name."""
    calls: list[tuple[Callable[..., Any], dict[str, Any]]] = []

    def record(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        owner = type(getattr(function, "__self__", None))
        if owner.__module__.startswith("partitope.") or function.__module__.startswith("partitope."):
            bound = inspect.signature(function).bind(*args, **kwargs)
            calls.append((copy.deepcopy(function), copy.deepcopy(dict(bound.arguments))))
        return function(*args, **kwargs)

    scope: dict[str, Any] = {"_record": record}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(thing) or ""):
        tree = ast.fix_missing_locations(_Recorded(name).visit(ast.parse(example.source)))
        exec(compile(tree, f"<example of {name}>", "exec"), scope)
    return calls


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


def _is_flag(parameter: inspect.Parameter, junk: Any) -> bool:
    """Whether this is a yes or no, and an array would be asked for its truth, which NumPy refuses in clear words."""
    return isinstance(parameter.default, bool) and isinstance(junk, np.ndarray)


def _attempts(function: Callable[..., Any], arguments: dict[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """A call repeated with every argument, and for ``fit`` every parameter of its estimator, replaced in turn."""
    signature = inspect.signature(function)
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for name, parameter in signature.parameters.items():
        for said, junk in JUNK.items():
            if parameter.kind in stars or _is_flag(parameter, junk):
                continue
            changed = {**copy.deepcopy(arguments), name: junk}
            yield f"{name}={said}", lambda changed=changed: _repeat(function, changed)
    owner = getattr(function, "__self__", None)
    if hasattr(owner, "get_params"):
        for name in owner.get_params(deep=False):
            for said, junk in JUNK.items():
                if _is_flag(inspect.signature(type(owner)).parameters[name], junk):
                    continue
                other = copy.deepcopy(owner)
                setattr(other, name, junk)
                yield f"{name}={said}", lambda other=other: _repeat(other.fit, copy.deepcopy(arguments))


@pytest.mark.parametrize("package, name", list(_public_names()), ids=lambda part: part)
def test_what_cannot_be_used_is_refused_in_one_line(
    package: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a path named "x" is junk here, and yet a path
    thing = getattr(import_module(f"partitope.{package}"), name)
    faults = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for function, arguments in _calls(thing, name):
            for said, attempt in _attempts(function, arguments):
                try:
                    attempt()
                except Exception as error:
                    fault = _fault(error)
                    if fault:
                        faults.append(f"{name}({said}): {fault}")
    assert not faults, "\n".join(faults)
