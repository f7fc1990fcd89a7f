"""MODL transformers on mixed tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from partitope.base.errors import InvalidInputError
from partitope.classifiers import MODLDiscretizer, MODLGrouper
from partitope.classifiers.encoders.modl import LogLikelihoodEncoder
from partitope.stats.modl.parts import cut_numbers, group_values


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
    report = LogLikelihoodEncoder().fit(table, y).report()
    assert report.loc["level", "parts"] == 1
    assert report.loc["level", "compression gain"] == 0
    assert report["compression gain"].is_monotonic_decreasing
    told = report[report["parts"] > 1]
    assert {"age", "job", "when"} == set(told.index)
    np.testing.assert_allclose(told["compression gain"], 1 - told["criterion"] / told["criterion of one part"])
    assert report["exact"].all()


def test_columns_can_be_named():
    table, y = mixed_table()
    grouped = MODLGrouper(columns=["age"]).fit(table, y)
    assert list(grouped.parts_) == [0]
    assert "45" in grouped.parts_[0].values
    with pytest.raises(InvalidInputError, match=r"'job' holds .* entries, expected numbers: use MODLGrouper"):
        MODLDiscretizer(columns=["job"]).fit(table, y)
    with pytest.raises(InvalidInputError, match="'salary', which is no column"):
        MODLGrouper(columns=["salary"]).fit(table, y)


def test_encoder_output_has_a_column_a_class_and_sums_to_the_bayes_score():
    table, y = mixed_table(1)
    encoder = LogLikelihoodEncoder().fit(table, y)
    Z = encoder.transform(table)
    names = encoder.get_feature_names_out()
    assert Z.shape == (500, len(names)) == (500, 6)
    assert names[:2].tolist() == ["age|no", "age|yes"]
    score = Z[:, 1::2].sum(axis=1) - Z[:, 0::2].sum(axis=1)
    assert np.mean((score > 0) == (y == "yes")) > 0.75


def test_unseen_and_missing_entries_have_a_place():
    table, y = mixed_table(2)
    encoder = LogLikelihoodEncoder().fit(table, y)
    new = table.head(3).astype({"level": object})
    new["job"], new["level"], new["age"] = "zz", "middle", np.nan
    assert np.isfinite(encoder.transform(new)).all()
    age = encoder.redescription_.parts[0]
    assert age.missing == age.n_parts - 1


def test_nothing_to_say_gives_zeros():
    rng = np.random.default_rng(0)
    encoder = LogLikelihoodEncoder().fit(rng.normal(size=(50, 2)), np.arange(50) % 2)
    np.testing.assert_array_equal(encoder.transform(np.ones((3, 2))), np.zeros((3, 4)))


def test_errors_name_what_is_wrong():
    table, y = mixed_table()
    with pytest.raises(InvalidInputError, match="one class only"):
        MODLDiscretizer().fit(table, np.zeros(500))
    with pytest.raises(InvalidInputError, match="method='best'"):
        MODLGrouper(method="best").fit(table, y)
    with pytest.raises(InvalidInputError, match="smoothing=-1"):
        LogLikelihoodEncoder(smoothing=-1.0).fit(table, y)
    with pytest.raises(InvalidInputError, match="infinite"):
        LogLikelihoodEncoder().fit(table.assign(age=np.inf), y)
