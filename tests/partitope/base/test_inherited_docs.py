"""What a base documents is shown by every subclass, in the order of the signature."""

from __future__ import annotations

import inspect

import pytest
from numpydoc.docscrape import NumpyDocString

from partitope import classifiers
from partitope.base.inherited_docs import FittedToClasses
from partitope.solvers import STRATEGIES


def documented(cls, section):
    entries = NumpyDocString(inspect.getdoc(cls))[section]
    return {name.strip(): entry for entry in entries for name in entry.name.split(",")}


@pytest.mark.parametrize("name", sorted(set(STRATEGIES.own) - {"k-means"}))  # the reference is no public name
def test_help_shows_every_parameter_of_a_strategy_in_order(name):
    strategy = STRATEGIES[name]
    assert list(documented(strategy, "Parameters")) == list(inspect.signature(strategy).parameters)
    assert {"labels_", "partition_", "n_iter_", "n_features_in_"} <= set(documented(strategy, "Attributes"))


ESTIMATORS = sorted(name for name in classifiers.__all__ if hasattr(getattr(classifiers, name), "get_params"))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_help_shows_every_parameter_of_a_classifier_and_what_every_one_has(name):
    estimator = getattr(classifiers, name)
    assert set(inspect.signature(estimator).parameters) <= set(documented(estimator, "Parameters"))
    if issubclass(estimator, FittedToClasses):
        assert {"classes_", "n_features_in_", "feature_names_in_"} <= set(documented(estimator, "Attributes"))
