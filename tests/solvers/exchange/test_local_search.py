"""Moves and exchanges: bounds and links hold, and no single move helps at the end."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import Links, PartitionPolytope
from partitope.models.objectives.objectives import sum_of_squares
from partitope.solvers.exchange.local_search import local_search, placed


@pytest.mark.parametrize(("lower", "upper"), [(0, 60), (12, 12)])
def test_local_search_keeps_bounds_and_links(lower, upper):
    rng = np.random.default_rng(upper)
    X, polytope = rng.normal(size=(60, 3)), PartitionPolytope(60, lower, upper, n_clusters=5)
    links = Links(60, must=[(0, 1), (2, 3)], cannot=[(0, 2), (5, 6), (5, 7)])
    start = placed(X, polytope, X[:5], links=links)
    values = [sum_of_squares(X, start)]
    for rounds in (0, 10, 100):
        labels = local_search(X, polytope, start, links=links, rounds=rounds)
        assert polytope.contains(labels)
        assert links.satisfied(labels)
        values.append(sum_of_squares(X, labels))
    assert values == sorted(values, reverse=True)
    free = local_search(X, polytope, start, rounds=100)
    for j in range(60):  # no single move helps
        for i in range(5):
            moved = free.copy()
            moved[j] = i
            if polytope.contains(moved):
                assert sum_of_squares(X, moved) >= sum_of_squares(X, free) * (1 - 1e-9)
