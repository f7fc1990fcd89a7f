"""MODL transformers on mixed tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from partitope.base.errors import InvalidInputError
from partitope.classifiers import MODLDiscretizer, MODLGrouper
from partitope.stats.modl.cuts_and_groups import cut_numbers, group_values


def mixed_table(seed: int = 0, n: int = 500) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.array(["no", "yes"])[rng.integers(0, 2, n)]
    table = pd.DataFrame(
        {
            "age": np.round(rng.normal(40, 9, n) + 8 * (y == "yes")),
            "job": rng.choice(list("abcdef"), n),
            "when": pd.to_datetime("2021-01-01")
            + pd.to_timedelta(rng.integers(0, 300, n) + 100 * (y == "no"), unit="D"),
            "level": pd.Categorical(rng.choice(["low", "high"], n)),
        }
    )
    table["job"] = np.where((y == "yes") & (rng.random(n) < 0.6), "g", table["job"])
    table.loc[rng.random(n) < 0.15, "age"] = np.nan
    table.loc[rng.random(n) < 0.15, "job"] = None
    return table, y


def test_each_transformer_treats_its_own_kind():
    table, y = mixed_table()
    before = table.copy(deep=True)
    numbers, texts = MODLDiscretizer().fit(table, y), MODLGrouper().fit(table, y)
    assert sorted(numbers.parts_) == [0, 2]
    assert sorted(texts.parts_) == [1, 3]
    coded = numbers.transform(table)
    assert list(coded.columns) == list(table.columns)
    pd.testing.assert_series_equal(coded["job"], table["job"])
    codes = (y == "yes").astype(int)
    np.testing.assert_array_equal(
        coded["age"], cut_numbers(table["age"].to_numpy(), codes, 2).codes(table["age"].to_numpy())
    )
    both = make_pipeline(MODLDiscretizer(), MODLGrouper()).fit(table, y).transform(table)
    assert all(pd.api.types.is_integer_dtype(dtype) for dtype in both.dtypes)
    job = table["job"].to_numpy(dtype=object)
    job[pd.isna(job)] = None
    np.testing.assert_array_equal(both["job"], group_values(job, codes, 2).codes(job))
    pd.testing.assert_frame_equal(table, before)


def test_report_says_what_compresses():
    table, y = mixed_table()
    report = MODLGrouper().fit(table, y).report()
    assert report.loc["level", "parts"] == 1
    assert report.loc["level", "compression gain"] == 0
    assert report["compression gain"].is_monotonic_decreasing
    np.testing.assert_allclose(report["compression gain"], 1 - report["criterion"] / report["criterion of one part"])
    assert report["exact"].all()


def test_columns_can_be_named():
    table, y = mixed_table()
    grouped = MODLGrouper(columns=["age"]).fit(table, y)
    assert list(grouped.parts_) == [0]
    assert "45" in grouped.parts_[0].values
    with pytest.raises(InvalidInputError, match=r"'job' holds .* entries, expected numbers: use MODLGrouper"):
        MODLDiscretizer(columns=["job"]).fit(table, y)
    with pytest.raises(InvalidInputError, match="'salary', which is not a column"):
        MODLGrouper(columns=["salary"]).fit(table, y)
