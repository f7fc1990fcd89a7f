"""Classifiers without clusters beside the strategies, local models in their cells, and the word "best"."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from partitope.classifiers import ConditionalMeanEncoder, LocalModelClassifier, SelectiveNaiveBayes
from partitope.classifiers.linear.basis import LinearBasis
from partitope.classifiers.linear.pooled import PooledLogisticRegression
from partitope.commands.compare.report import COLUMNS, comparison_report
from partitope.commands.tables import without_rare_classes
from partitope.compare.local import LOCAL_PENALTY, PENALTY
from partitope.compare.run import compare
from partitope.compare.scoring import holm, leader
from partitope.datasets.dataset import Dataset
from partitope.solvers import GeometricPartitioner


def table(n: int = 160, apart: float = 1.0) -> Dataset:
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = pd.DataFrame({"a": rng.normal(size=n) + apart * y, "b": rng.normal(size=n)})
    return Dataset(X, np.array(["no", "yes"])[y], "toy", "answer")


@cache
def result():
    return compare(table(), 3, folds=4, starts=2, seed=3, methods=["geometric-lsa", "kmeans"])


def test_references_are_scikit_learns_on_the_same_folds():
    data = table()
    splits = list(StratifiedKFold(4, shuffle=True, random_state=3).split(data.X, data.y))
    models = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "naive Bayes": SelectiveNaiveBayes(selective=False),
        "nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "gradient boosting": HistGradientBoostingClassifier(random_state=3),
    }
    assert [one.name for one in result().references] == ["majority", *models]
    assert result().references[0].folds.accuracy == 0.5
    for reference in result().references[1:]:
        model = models[reference.name]
        hits = [model.fit(data.X.iloc[a], data.y[a]).score(data.X.iloc[b], data.y[b]) for a, b in splits]
        np.testing.assert_allclose(reference.folds.accuracies, hits)


def test_local_models_are_those_of_the_classifier_on_the_same_cells():
    data = table()
    row = result().rows[0]
    hits = []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=3).split(data.X, data.y):
        scaled = result().settings.polytope.scaled_to(len(train))
        model = LocalModelClassifier(
            GeometricPartitioner(3, lower=scaled.lower, upper=scaled.upper, objective="lsa"),
            PooledLogisticRegression(PENALTY, LOCAL_PENALTY),
            encoder=ConditionalMeanEncoder(),
            basis=LinearBasis("spline", log_odds=True),
            train_on="cells",
            n_starts=2,
            random_state=3,
        ).fit(data.X.iloc[train], data.y[train])
        hits.append(model.score(data.X.iloc[test], data.y[test]))
    np.testing.assert_allclose(row.local.accuracies, hits)


def test_nobody_is_called_best_where_the_test_does_not_tell():
    report = comparison_report(result())
    text = report.findings[0]
    assert text.startswith("No method within the bounds is shown to classify best")
    assert "does not tell it from" in text
    table_ = report.sections[0].tables[0]
    assert not [place for place in table_.best if COLUMNS[place[1]] in ("accuracy", "local models", "AUC")]


def test_the_leader_is_alone_where_the_test_tells_it_from_all():
    steady = np.array([0.0, 0.01, -0.01, 0.005, -0.005])
    figures = {"good": 0.9 + steady, "bad": 0.6 - steady, "worse": 0.5 + 2 * steady}
    assert leader(figures).name == "good"
    assert leader(figures).rivals == ()
    close = leader({**figures, "near": 0.899 + np.roll(steady, 2)})
    assert (close.name, close.rivals) == ("good", ("near",))
    assert leader({"one": np.array([np.nan, 0.5])}) is None


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8))
def test_holm_written_out(pvalues):
    adjusted = holm(np.array(pvalues))
    for i, p in enumerate(pvalues):
        below = [sum(other >= q for other in pvalues) * q for q in pvalues if q <= p]
        assert adjusted[i] == pytest.approx(min(1.0, max(below)))


def test_classes_with_too_few_rows_for_the_folds_are_left_out_and_said():
    data = table(60)
    y = data.y.astype(object)
    y[:3], y[10] = "rare", "odd"
    rest = without_rare_classes(replace(data, y=y), 5)
    assert list(rest.classes) == ["no", "yes"]
    assert (len(rest.y), len(rest.X)) == (56, 56)
    assert rest.notes[-1] == "classes with fewer rows than the 5 folds are left out: odd (1), rare (3)"
    assert without_rare_classes(data, 5) is data
    assert without_rare_classes(data, 100) is data  # no two classes would be left: refused by name later
