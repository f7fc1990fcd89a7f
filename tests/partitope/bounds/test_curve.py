"""Curves along a growing lower bound."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from partitope.commands.bounds.run import class_measures, walk_one_start
from partitope.solvers import GeometricPartitioner

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)[:, :6]


@pytest.mark.parametrize("objective", ["lsa", "csa"])
def test_the_curve_is_what_the_partitioner_gives(objective):
    lowers = [0, 40, 80, 100]
    seeds = np.random.RandomState(3).randint(np.iinfo(np.int32).max, size=2)
    measure = partial(class_measures, Y[:400], X[400:], Y[400:] == 1)
    walks = [walk_one_start(X[:400], 4, np.array(lowers), objective, measure, int(seed)) for seed in seeds]
    table = pd.concat([pd.DataFrame(rows).assign(start=start) for start, rows in enumerate(walks)])
    assert len(table) == 8
    assert (table.smallest >= table.lower).all()
    assert table.smallest[table.lower == 100].eq(100).all()
    assert table.accuracy.between(0.5, 1).all()
    first = table[(table.start == 0) & (table.lower == 0)].iloc[0]
    again = GeometricPartitioner(4, objective=objective, random_state=int(seeds[0])).fit(X[:400])
    assert first.objective == again.partition_.objective
    values = np.array([Y[:400][again.labels_ == i].mean() for i in range(4)])
    assert first.accuracy == ((values[again.predict(X[400:])] >= 0.5) == Y[400:]).mean()
    worse = table[table.lower == 100].objective.mean() - table[table.lower == 0].objective.mean()
    assert worse > 0 if objective == "lsa" else worse < 0
