"""Addresses of version 0.1 lead to the modules of today, with one warning."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from partitope import models, solvers
from partitope.base.moved import MOVED, old_names
from partitope.workflows.model_files import trusted_types


@pytest.mark.parametrize("old", sorted(MOVED))
def test_every_old_address_offers_what_the_new_one_holds(old):
    new = import_module(f"partitope.{MOVED[old]}")
    public = {name for name in vars(new) if not name.startswith("_") and vars(new)[name].__class__.__name__ != "module"}
    own = {name for name in public if getattr(vars(new)[name], "__module__", "") == new.__name__}
    if _is_gone(old):
        sys.modules.pop(f"partitope.{old}", None)  # another test may have read a model file of before
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


@pytest.mark.parametrize("old", ["classifiers.balance_curve", "commands.value_test"])
def test_a_function_called_as_a_module_was_stays_a_function(old):
    package, _, name = f"partitope.{old}".rpartition(".")
    function = getattr(import_module(package), name)
    sys.modules.pop(f"partitope.{old}", None)
    with pytest.warns(DeprecationWarning, match="has moved"):
        module = import_module(f"partitope.{old}")
    assert isinstance(module, ModuleType)
    assert getattr(import_module(package), name) is function
    assert callable(function)


def test_new_addresses_are_silent():
    code = (
        "import warnings; warnings.simplefilter('error', DeprecationWarning); import partitope.solvers, partitope.base"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_in_model_files_of_old():
    assert old_names("partitope.solvers.conditional.kcc.KCC") == {"partitope.solvers.kcc.KCC"}
    assert "partitope.classifiers.encoding.ConditionalMeanEncoder" in trusted_types()


def test_models_only_state_and_their_former_methods_warn():
    """What was a method of a model is a function of a solver, with the same answer; nothing in models calls HiGHS."""
    X, polytope = np.array([[-2.0], [-1.0], [1.0], [2.0]]), models.PartitionPolytope(4, 2, 2, n_clusters=2)
    model = models.AssignmentModel.lsa(X, X[[0, 3]], polytope)
    margin, prices = models.MarginProgram.of(X, [0, 0, 1, 1], X[[0, 3]]), models.PriceProgram(model)
    net, relaxation = models.NormMaximizationMIP(X, polytope, 2), models.LeastSquaresSDP(X, polytope)
    calls = [
        (lambda: prices.solve()[1], solvers.optimal_prices(prices)[1]),
        (lambda: margin.solve()[1], solvers.largest_margin_prices(margin)[1]),
        (lambda: net.solve()[1], solvers.solve_norm_mip(net)[1]),
        (lambda: net.bound(time_limit=60.0).lower, solvers.norm_mip_bound(net).lower),
        (lambda: relaxation.bound(1.0, max_rounds=1).lower, solvers.sdp_bound(relaxation, 1.0, max_rounds=1).lower),
        (lambda: relaxation.relax(max_rounds=1)[0], solvers.sdp_relaxation(relaxation, max_rounds=1)[0]),
        (lambda: prices.linear_program.solve().value, solvers.solve_linear(prices.linear_program).value),
        (lambda: models.is_separable(X, [0, 0, 1, 1]).margin, solvers.is_separable(X, [0, 0, 1, 1]).margin),
    ]
    for former, expected in calls:
        with pytest.warns(DeprecationWarning, match=r"call partitope\.solvers\.") as caught:
            assert former() == expected
        assert [warning.filename for warning in caught] == [__file__]
    for path in Path(models.__file__).parent.rglob("*.py"):
        assert not re.search(r"linprog|\.run\(\)|import milp", path.read_text()), path


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("models.links", "LinkedAssignmentMIP"),
        ("models.linear_program", "LinearAnswer"),
        ("solvers.global_optimum.search", "mirror_parts"),
        ("solvers.global_optimum.search", "objective_value"),
    ],
)
def test_names_that_went_to_another_module_are_found_with_a_warning(module, name):
    home = import_module(f"partitope.{module}")
    with pytest.warns(DeprecationWarning, match=f"{name} has moved"):
        assert getattr(home, name).__name__ == name
    with pytest.raises(AttributeError, match="nothing"):
        home.nothing


def _is_gone(old: str) -> bool:
    package = MOVED[old].startswith(f"{old}.")
    return not package


def _silence():
    from contextlib import nullcontext

    return nullcontext()
