"""Log-likelihoods and parts of mixed tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from partitope.base.errors import InvalidInputError
from partitope.classifiers import LogLikelihoodEncoder
from partitope.solvers import PKM
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


def test_parts_are_intervals_and_groups():
    table, y = mixed_table()
    before = table.copy(deep=True)
    coded = LogLikelihoodEncoder(output="parts").fit(table, y).transform(table)
    assert list(coded.columns) == list(table.columns)
    codes, age = (y == "yes").astype(int), table["age"].to_numpy()
    np.testing.assert_array_equal(coded["age"], cut_numbers(age, codes, 2).codes(age))
    job = table["job"].to_numpy(dtype=object)
    job[pd.isna(job)] = None
    np.testing.assert_array_equal(coded["job"], group_values(job, codes, 2).codes(job))
    pd.testing.assert_frame_equal(table, before)


def test_log_likelihoods_are_those_of_the_parts_and_of_the_clustering():
    table, y = mixed_table()
    encoder = LogLikelihoodEncoder(smoothing=0.5).fit(table, y)
    Z, parts = encoder.transform(table), encoder.set_params(output="parts").transform(table)
    encoder.set_params(output="log-likelihoods")
    names = encoder.get_feature_names_out().tolist()
    assert "level=no" not in names  # which says nothing of the classes
    for column, of in zip(Z.T, names, strict=True):
        feature, label = of.split("=")
        same, n_parts = y == label, int(parts[feature].max()) + 1
        counts = np.bincount(parts[feature][same], minlength=n_parts)
        expected = np.log((counts + 0.5) / (same.sum() + 0.5 * n_parts))
        np.testing.assert_allclose(column, expected[parts[feature]])
    np.testing.assert_array_equal(PKM(smoothing=0.5).fit(table, y).partition_.cells.embedding(table), Z)
    with pytest.raises(InvalidInputError, match="output='codes'"):
        LogLikelihoodEncoder(output="codes").fit(table, y)


def test_report_says_what_compresses():
    table, y = mixed_table()
    report = LogLikelihoodEncoder().fit(table, y).report()
    assert report.loc["level", "parts"] == 1
    assert report.loc["level", "compression gain"] == 0
    assert report["compression gain"].is_monotonic_decreasing
    np.testing.assert_allclose(report["compression gain"], 1 - report["criterion"] / report["criterion of one part"])
    assert report["exact"].all()
