"""Conditional-mean encoding against the definition, on tables of every kind."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.base.errors import InvalidInputError
from partitope.classifiers import ConditionalMeanEncoder, LogLikelihoodEncoder
from partitope.model_files.state import from_state, state_of


def plain(**options) -> ConditionalMeanEncoder:
    """The encoder of the dissertation."""
    return ConditionalMeanEncoder(**{"smoothing": 0.0, "cross_fit": 0} | options)


def mixed_table(rng: np.random.Generator, n: int = 200) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "text": rng.choice(["a", "b", "c"], n),
            "whole": rng.integers(0, 4, n),
            "real": rng.choice([0.25, 1.5, -3.0], n),
            "yes": rng.random(n) < 0.5,
            "level": pd.Categorical(rng.choice(["low", "high"], n)),
            "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 3, n), unit="D"),
            "objects": rng.choice(np.array([1, "one", 2.5], dtype=object), n),
        }
    )
    for name in ("text", "real", "level", "day", "objects"):
        table.loc[rng.random(n) < 0.1, name] = None
    return table


def means_by_definition(column: pd.Series, y: np.ndarray) -> np.ndarray:
    values = column.astype(object).to_numpy()
    absent = column.isna().to_numpy()
    return np.array(
        [
            y[absent].mean() if absent[j] else np.mean([y[i] for i in np.flatnonzero(~absent) if values[i] == v])
            for j, v in enumerate(values)
        ]
    )


def test_every_kind_of_column_follows_the_definition():
    rng = np.random.default_rng(0)
    table, y = mixed_table(rng), rng.integers(0, 2, 200)
    before = table.copy(deep=True)
    encoded = plain(bins=None).fit_transform(table, y)
    expected = np.column_stack([means_by_definition(table[name], y) for name in table])
    np.testing.assert_allclose(encoded, expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(encoded.mean(axis=0), y.mean(), atol=1e-12)  # Remark 4.2.3
    pd.testing.assert_frame_equal(table, before)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, -0.0, 1.0, 2.5, np.nan]), st.integers(0, 1)), min_size=2, max_size=30),
    st.sampled_from([0.0, 0.5, 3.0]),
)
def test_numbers_follow_the_definition(rows, smoothing):
    column, y = pd.Series([v for v, _ in rows]), np.array([t for _, t in rows])
    y[:2] = 0, 1
    encoded = plain(bins=None, smoothing=smoothing).fit_transform(column.to_frame(), y)[:, 0]
    for j, value in enumerate(column):
        same = column.isna() if np.isnan(value) else column == value
        expected = (y[same].sum() + smoothing * y.mean()) / (same.sum() + smoothing)
        assert encoded[j] == pytest.approx(expected, abs=1e-12)


def test_unseen_values_and_unseen_missing_become_the_mean():
    encoder = plain().fit(pd.DataFrame({"t": ["a", "b", "b"], "v": [1.0, 2.0, 2.0]}), [1, 1, 0])
    new = pd.DataFrame({"t": ["zzz", None, "b"], "v": [1.5, np.nan, 9.0]})
    np.testing.assert_allclose(encoder.transform(new), [[2 / 3, 2 / 3], [2 / 3, 2 / 3], [0.5, 2 / 3]])


def test_numbers_read_as_texts_still_meet_their_values():
    encoder = plain(bins=None).fit(pd.DataFrame({"v": [39, 40, 40]}), [1, 0, 0])
    np.testing.assert_allclose(encoder.transform(pd.DataFrame({"v": ["39", "40", "many"]})).ravel(), [1, 0, 1 / 3])
    back = plain().fit(pd.DataFrame({"v": ["39", "40"]}), [1, 0])
    np.testing.assert_allclose(back.transform(pd.DataFrame({"v": [39.0, 40.0]})).ravel(), [1, 0])


def test_quantile_intervals():
    values = np.arange(1, 101, dtype=float)
    y = (values > 60).astype(int)
    encoder = plain(bins=5).fit(values[:, None], y)
    np.testing.assert_array_equal(encoder.tables_[0].keys, [20, 40, 60, 80])
    np.testing.assert_allclose(encoder.transform([[-9.0], [60.0], [60.5], [1e6]]).ravel(), [0, 0, 1, 1])
    skewed = np.where(np.arange(100) < 90, 0.0, values)  # four of the four quantiles coincide
    assert plain(bins=5).fit(skewed[:, None], y).tables_[0].keys.tolist() == [0.0]


def test_auto_bins_only_rare_values():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"rare": rng.normal(size=300), "common": rng.integers(0, 20, 300), "named": rng.random(300)})
    kinds = [t.kind for t in plain().fit(table, rng.integers(0, 2, 300)).tables_]
    assert kinds == ["bins", "number", "bins"]
    chosen = plain(bins={"named": None}).fit(table, rng.integers(0, 2, 300))
    assert [t.kind for t in chosen.tables_] == ["bins", "number", "number"]


def test_more_classes_give_one_column_each():
    X, y = np.array([["u"], ["u"], ["v"], ["w"]], dtype=object), np.array(["a", "b", "b", "c"])
    encoder = plain().fit(X, y)
    np.testing.assert_allclose(encoder.transform(X), [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    assert encoder.get_feature_names_out().tolist() == ["x0=a", "x0=b", "x0=c"]
    with pytest.raises(InvalidInputError, match="input_features"):
        encoder.get_feature_names_out(["x0", "x1"])


def test_continuous_target_is_averaged():
    encoder = plain().fit([["u"], ["u"], ["v"]], [0.5, 1.0, 2.25])
    np.testing.assert_allclose(encoder.transform([["u"], ["v"]]).ravel(), [0.75, 2.25])


def test_state_survives_json():
    rng = np.random.default_rng(2)
    table, y = mixed_table(rng), rng.integers(0, 3, 200)
    table["spread"] = rng.normal(size=200)
    encoder = plain(bins="auto").fit(table, y)
    twin = from_state(json.loads(json.dumps(state_of(encoder), allow_nan=False)))
    new = mixed_table(np.random.default_rng(3))
    new["spread"] = 0.1
    np.testing.assert_array_equal(twin.transform(new), encoder.transform(new))
    assert twin.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()


def test_infinite_entries_are_refused_by_name():
    with pytest.raises(InvalidInputError, match="'v' holds 1 infinite value, the first in row 1"):
        plain().fit(pd.DataFrame({"v": [1.0, np.inf]}), [0, 1])
    encoder = plain().fit(pd.DataFrame({"v": [1.0, 2.0]}), [0, 1])
    with pytest.raises(InvalidInputError, match="infinite"):
        encoder.transform(pd.DataFrame({"v": [-np.inf]}))


def _parts_table(n=300, classes=2, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    table = pd.DataFrame(
        {
            "x": rng.normal(size=n) + 3 * y,
            "noise": rng.normal(size=n),
            "c": np.array(list("abcdef"))[y + 3 * (rng.random(n) < 0.5)],
        }
    )
    table.loc[::7, "x"] = np.nan
    table.loc[::8, "c"] = None
    return table, y


@pytest.mark.parametrize("classes", [2, 3])
def test_modl_bins_are_the_means_over_supervised_parts(classes):
    X, y = _parts_table(classes=classes)
    encoder = plain(bins="modl").fit(X, y)
    encoded = encoder.transform(X).reshape(len(y), 3, -1)
    parts = LogLikelihoodEncoder(output="parts").fit(X, y).transform(X)
    for f, name in enumerate(["x", "noise", "c"]):
        for part in np.unique(parts[name]):
            rows = parts[name].to_numpy() == part
            for j in range(encoded.shape[2]):
                target = y == (1 if classes == 2 else j)
                np.testing.assert_allclose(encoded[rows, f, j], target[rows].mean())
    assert np.ptp(encoded[:, 1], axis=0).max() < 1e-12  # noise says nothing: one value
    again = from_state(state_of(encoder))
    np.testing.assert_array_equal(again.transform(X), encoder.transform(X))


def test_modl_bins_of_values_that_training_did_not_hold():
    X, y = _parts_table()
    encoder = plain(bins={"x": "modl", "c": "modl", "noise": 2}).fit(X.dropna(), y[X.notna().all(axis=1)])
    fresh = pd.DataFrame({"x": [np.nan, 1e9], "noise": [0.0, 0.0], "c": ["z", None]})
    encoded = encoder.transform(fresh)
    share = y[X.notna().all(axis=1)].mean()
    assert encoded[0, 0] == encoded[0, 2] == encoded[1, 2] == pytest.approx(share)
    assert encoded[1, 0] > 0.9
