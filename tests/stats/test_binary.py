"""Measures of a binary classification and intervals of a share against scikit-learn, statsmodels and print."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

from partitope.stats import accuracy_interval, binary_report


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8)), min_size=4, max_size=60), st.integers(1, 7))
def test_measures_equal_scikit_learn(pairs, cut):
    y = np.array([p[0] for p in pairs] + [0, 1])
    score = np.array([p[1] for p in pairs] + [3, 5]) / 8  # ties on purpose
    report = binary_report(y, score, threshold=cut / 8)
    label = (score >= cut / 8).astype(int)
    expected = {
        "accuracy": metrics.accuracy_score(y, label),
        "sensitivity": metrics.recall_score(y, label),
        "specificity": metrics.recall_score(y, label, pos_label=0),
        "precision": metrics.precision_score(y, label, zero_division=np.nan),
        "npv": metrics.precision_score(y, label, pos_label=0, zero_division=np.nan),
        "f1": metrics.f1_score(y, label),
        "auc": metrics.roc_auc_score(y, score),
        "brier": metrics.brier_score_loss(y, score),
    }
    for name, value in expected.items():
        assert getattr(report, name) == pytest.approx(value, abs=1e-12, nan_ok=True), name
        assert (name in report.undefined) == math.isnan(getattr(report, name))
    assert sum(report.counts.values()) == report.n == y.size


def test_undefined_ratios_are_nan_and_said():
    report = binary_report([0, 0], [0.1, 0.2])
    assert set(report.undefined) == {"sensitivity", "precision", "f1", "auc"}
    assert all(math.isnan(getattr(report, name)) for name in report.undefined)
    assert "no point of class 1" in report.undefined["sensitivity"]
    assert "leave [0, 1]" in binary_report([0, 1], [-1.0, 2.0]).undefined["brier"]


@given(st.integers(1, 3000), st.floats(0, 1), st.floats(0.5, 0.999))
def test_intervals_equal_statsmodels(n, share, confidence):
    correct = round(share * n)
    for method in ("normal", "wilson"):
        low, high = accuracy_interval(correct, n, confidence, method)
        expected = proportion_confint(correct, n, 1 - confidence, method=method)
        assert (low, high) == pytest.approx(np.clip(expected, 0, 1), abs=1e-12)


def test_interval_of_the_published_test_set():
    """Table 7.1 of the dissertation: 84.88 %, sd 0.29, 84.31 to 85.46."""
    interval = accuracy_interval(2100 + 10676, 15051)
    assert [round(100 * v, 2) for v in (interval.estimate, interval.standard_error, *interval)] == [
        84.88,
        0.29,
        84.31,
        85.46,
    ]
