"""Addresses of version 0.1 lead to the modules of today, with one warning."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from partitope.base.moved import MOVED, old_names
from partitope.workflows.model_files import trusted_types


@pytest.mark.parametrize("old", sorted(MOVED))
def test_every_old_address_offers_what_the_new_one_holds(old):
    new = import_module(f"partitope.{MOVED[old]}")
    public = {name for name in vars(new) if not name.startswith("_") and vars(new)[name].__class__.__name__ != "module"}
    own = {name for name in public if getattr(vars(new)[name], "__module__", "") == new.__name__}
    with pytest.warns(DeprecationWarning, match="has moved") if _is_gone(old) else _silence():
        there = import_module(f"partitope.{old}")
        if _is_gone(old):
            sys.modules.pop(f"partitope.{old}")  # so that another test is warned too
    if _is_gone(old):
        assert there is new
    else:  # a folder of the same name, which offers the names that were there
        assert there.__name__ == f"partitope.{old}"
        classes = {name for name in own if isinstance(vars(new)[name], type)}
        assert not classes or classes & set(vars(there))


def test_new_addresses_are_silent():
    code = (
        "import warnings; warnings.simplefilter('error', DeprecationWarning); import partitope.solvers, partitope.base"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_in_model_files_of_old():
    assert old_names("partitope.solvers.conditional.kcc.KCC") == {"partitope.solvers.kcc.KCC"}
    assert "partitope.classifiers.encoding.ConditionalMeanEncoder" in trusted_types()


def _is_gone(old: str) -> bool:
    package = MOVED[old].startswith(f"{old}.")
    return not package


def _silence():
    from contextlib import nullcontext

    return nullcontext()
