"""What a base documents is shown by every subclass, in the order of the signature."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import pytest
from numpydoc.docscrape import NumpyDocString

from partitope import classifiers
from partitope.base.inherited_docs import FittedToClasses
from partitope.solvers import STRATEGIES, Partitioner


def documented(cls, section):
    entries = NumpyDocString(inspect.getdoc(cls))[section]
    return {name.strip(): entry for entry in entries for name in entry.name.split(",")}


@pytest.mark.parametrize("name", sorted(STRATEGIES.own))
def test_help_shows_every_parameter_of_a_strategy_in_order(name):
    strategy = STRATEGIES[name]
    assert list(documented(strategy, "Parameters")) == list(inspect.signature(strategy).parameters)
    assert {"labels_", "partition_", "n_iter_", "n_features_in_"} <= set(documented(strategy, "Attributes"))


def test_what_a_subclass_documents_stands_and_defaults_are_its_own():
    @dataclass(eq=False, repr=False)
    class Few(Partitioner):
        """A strategy with words of its own for one parameter.

        Parameters
        ----------
        upper : int
            The only bound.

        Raises
        ------
        ValueError
            Never.
        """

        n_clusters: int = 3

    found = documented(Few, "Parameters")
    assert list(found) == ["n_clusters", "lower", "upper", "balance", "random_state"]
    assert found["n_clusters"].type == "int, default 3"
    assert found["lower"].desc[0].startswith("Bounds on the cluster sizes")
    assert found["upper"].desc == ["The only bound."]
    text = inspect.getdoc(Few)
    assert [text.index(f"\n{title}\n---") for title in ("Parameters", "Attributes", "Raises")] == sorted(
        text.index(f"\n{title}\n---") for title in ("Parameters", "Attributes", "Raises")
    )


ESTIMATORS = sorted(name for name in classifiers.__all__ if hasattr(getattr(classifiers, name), "get_params"))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_help_shows_every_parameter_of_a_classifier_and_what_every_one_has(name):
    estimator = getattr(classifiers, name)
    assert set(inspect.signature(estimator).parameters) <= set(documented(estimator, "Parameters"))
    if issubclass(estimator, FittedToClasses):
        assert {"classes_", "n_features_in_", "feature_names_in_"} <= set(documented(estimator, "Attributes"))
