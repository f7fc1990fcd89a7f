"""Tables 6.6 and 6.7: thresholds from .1 to .9, and the ROC curve of Figure 6.5, for one number of clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_curve

from .base.rows import DISSERTATION, compare, interval, judged, measure
from .printed import Figure

THRESHOLDS = tuple(round(0.1 * step, 1) for step in range(1, 10))
FIGURE = "Figure 6.5"
CURVE = 101
"""Points of the ROC curve that are kept in a job."""
SHOWN = (0, 1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)
"""Those that are rows, in percent."""

# threshold: training accuracy, sensitivity, specificity, then the same on the test rows
_PRINTED: dict[float, tuple[float, ...]] = {
    0.1: (73.35, 95.91, 65.88, 72.51, 95.16, 65.13),
    0.2: (80.95, 89.08, 78.26, 80.49, 88.48, 77.89),
    0.3: (83.06, 84.98, 82.42, 82.62, 84.46, 82.02),
    0.4: (85.81, 72.72, 90.14, 85.34, 71.88, 89.72),
    0.5: (86.24, 65.13, 93.23, 85.98, 64.50, 92.98),
    0.6: (85.90, 54.83, 96.19, 85.61, 53.80, 95.97),
    0.7: (84.42, 42.13, 98.44, 84.16, 41.12, 98.19),
    0.8: (82.95, 33.34, 99.40, 82.94, 32.60, 99.34),
    0.9: (81.58, 26.57, 99.81, 81.54, 25.57, 99.78),
}

SWEEP: tuple[Figure, ...] = tuple(
    Figure(table, "weighted", 500, f"mean at {threshold}", part, metric, value)
    for threshold, values in _PRINTED.items()
    for table, part, three in (("6.6", "train", values[:3]), ("6.7", "test", values[3:]))
    for metric, value in zip(("ACC", "SENS", "SPEC"), three)
)


def sweep_measures(model: Any, parts: Mapping[str, tuple[Any, NDArray[Any]]]) -> dict[str, Any]:
    """Measures of a fitted classifier at every threshold and its ROC curve, by part, as plain values."""
    found: dict[str, Any] = {}
    for name, (X, y) in parts.items():
        scores, positive = model.predict_proba(X, "mean")[:, 1], y == ">50K"
        false, true, _ = roc_curve(positive, scores)
        across = np.linspace(0.0, 1.0, CURVE)
        found[name] = {
            "measures": [measure(positive, scores, threshold) for threshold in THRESHOLDS],
            "roc": np.round(np.interp(across, false, true), 4).tolist(),
        }
    return found


def sweep_rows(result: Mapping[str, Any], k: int) -> list[dict[str, Any]]:
    """Rows of the report, then the ROC curves; the AUC, which no threshold changes, is left to Table 6.5."""
    rows = []
    for part, table in (("train", "6.6"), ("test", "6.7")):
        for threshold, measures in zip(THRESHOLDS, result[part]["measures"]):
            of = ("weighted", k, f"mean at {threshold}", part)
            rows += [row for row in compare(SWEEP, table, "thresholds", of, measures) if row["metric"] != "AUC"]
    return rows + [row for part in ("train", "test") for row in _curve_rows(result[part], k, part)]


def _curve_rows(result: Mapping[str, Any], k: int, part: str) -> list[dict[str, Any]]:
    """Figure 6.5: the sensitivity that goes with each share of negative rows called positive, both in percent."""
    positives = result["measures"][0]["positives"]
    rows = []
    for percent in SHOWN:
        share = result["roc"][percent]
        span = [100 * number for number in (share, *interval("SENS", share, positives, 0))]
        where = (FIGURE, "weighted", k, f"mean, {percent} % false", part)
        rows.append(dict(zip(DISSERTATION, where)) | judged("SENS", None, span))
    return rows
