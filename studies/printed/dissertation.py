"""Figures printed in the dissertation, chapters 5 and 6, in percent.

Left out because the source is not legible there: Table 5.3 beyond the means given in the text, and the training
accuracy and sensitivity of Table 6.5 for 300 and 400 clusters. The test sensitivity of Table 6.5 for 250 clusters
is typed as printed, 62.05; with the printed specificity 93.79 and accuracy 85.55 it would have to be 60.25. The
test specificity of Table 6.4 for the mean is typed as printed, 94.63; the counts in that table make it 94.53.
"""

from __future__ import annotations

from . import Figure


def _rows(table: str, weighting: str, k: int, classifier: str, part: str, **metrics: float | None) -> list[Figure]:
    return [Figure(table, weighting, k, classifier, part, m, v) for m, v in metrics.items() if v is not None]


GERMAN: tuple[Figure, ...] = (
    *_rows("5.3", "unweighted", 30, "mean", "train", ACC=77.89, SENS=88.95, SPEC=52.06, AUC=82.25),
    *_rows("5.4", "unweighted", 30, "mean", "test", ACC=75.48, SENS=88.11, SPEC=46.37, AUC=75.74),
)

GERMAN_FOLDS = (71.0, 72.0, 73.0, 80.0, 77.0, 75.0, 72.0, 86.0, 70.0, 78.79)
"""Table 5.4: accuracies of the ten test folds, the last of 99 rows."""

# clusters: training accuracy, sensitivity, specificity, then the same on the test rows
_TABLE_65: dict[int, tuple[float | None, ...]] = {
    50: (85.23, 57.87, 94.30, 85.11, 57.59, 94.07),
    100: (85.39, 58.90, 94.17, 85.30, 58.77, 93.94),
    150: (85.50, 56.51, 95.11, 85.30, 55.86, 94.89),
    200: (85.64, 59.31, 94.37, 85.45, 58.63, 94.19),
    250: (85.81, 61.04, 94.01, 85.55, 62.05, 93.79),
    300: (None, None, 94.45, 85.53, 58.80, 94.24),
    350: (85.81, 58.54, 94.85, 85.52, 57.46, 94.66),
    400: (None, None, 93.93, 85.72, 60.85, 93.82),
    450: (86.01, 60.91, 94.32, 85.74, 60.11, 94.09),
    500: (86.24, 65.13, 93.23, 85.98, 64.50, 92.98),
}

CENSUS: tuple[Figure, ...] = (
    *_rows("6.3", "unweighted", 29, "max", "train", ACC=85.02, SENS=53.00, SPEC=95.64),
    *_rows("6.3", "unweighted", 29, "max", "test", ACC=84.89, SENS=52.39, SPEC=95.48),
    *_rows("6.3", "unweighted", 29, "mean", "train", ACC=85.12, SENS=55.91, SPEC=94.80),
    *_rows("6.3", "unweighted", 29, "mean", "test", ACC=85.08, SENS=55.72, SPEC=94.64),
    *_rows("6.4", "weighted", 29, "max", "train", ACC=85.08, SENS=56.62, SPEC=94.51),
    *_rows("6.4", "weighted", 29, "max", "test", ACC=85.08, SENS=56.37, SPEC=94.44),
    *_rows("6.4", "weighted", 29, "mean", "train", ACC=85.15, SENS=56.61, SPEC=94.61),
    *_rows("6.4", "weighted", 29, "mean", "test", ACC=85.15, SENS=56.37, SPEC=94.63),
    *(
        figure
        for k, (acc, sens, spec, acc_test, sens_test, spec_test) in _TABLE_65.items()
        for figure in (
            *_rows("6.5", "weighted", k, "mean", "train", ACC=acc, SENS=sens, SPEC=spec),
            *_rows("6.5", "weighted", k, "mean", "test", ACC=acc_test, SENS=sens_test, SPEC=spec_test),
        )
    ),
    *_rows("6.5", "weighted", 500, "mean", "train", AUC=91.21),
    *_rows("6.5", "weighted", 500, "mean", "test", AUC=90.49),
)
