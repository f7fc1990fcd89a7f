"""The site shows docstrings as `help` does, with inherited parameters: mkdocstrings would read the source alone."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import griffe


class CompleteDocstrings(griffe.Extension):
    """Takes the docstrings of strategies and classifiers from the classes instead of the source."""

    def on_class_instance(self, *, cls: griffe.Class, **_: Any) -> None:
        """Replace the docstring of one class."""
        from partitope.base.inherited_docs import InheritsDocs

        if cls.docstring is None or not cls.module.path.startswith(("partitope.solvers", "partitope.classifiers")):
            return
        found = getattr(import_module(cls.module.path), cls.name, None)
        if inspect.isclass(found) and issubclass(found, InheritsDocs):
            cls.docstring.value = inspect.getdoc(found) or ""
