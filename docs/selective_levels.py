"""Level of the selective test of two cluster means, simulated where there are no clusters.

`python docs/selective_levels.py` simulates anew (a few minutes) and writes selective_levels.csv beside
this file; `draw` makes the picture of the statistics page from it. Rows are N(0, diag(ratio, 1, ..., 1)), k-means has
clusters of equal size up to one, and the test is told nothing about the covariance, or (wrongly, but at ratio 1) that
it is spherical.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

TABLE = Path(__file__).with_suffix(".csv")
USUAL = {"ratio": 25, "n": 40, "k": 3, "d": 2}
VARIED = {"ratio": (1, 4, 25, 100), "n": (20, 40, 80), "k": (2, 3, 4, 5), "d": (2, 3, 5)}
LABELS = {
    "ratio": "largest variance over the others",
    "n": "rows n",
    "k": "clusters k",
    "d": "columns d",
}
TOLD = {"nothing": ("#0072B2", "o"), "spherical": ("#D55E00", "s")}
SIMULATIONS = {"nothing": 2000, "spherical": 500}


def places() -> list[dict[str, int]]:
    """Settings of the grid: the usual ones with one of them varied."""
    found = {tuple((USUAL | {name: value}).items()) for name, values in VARIED.items() for value in values}
    return [dict(place) for place in sorted(found)]


def simulated(at: dict[str, int], told: str) -> dict[str, object]:
    """Settings of one place, what the test was told, simulations, and how many of them rejected at 5 %."""
    from studies.simulations.selective_test import simulate_selective_test

    study = simulate_selective_test(
        SIMULATIONS[told],
        n_points=at["n"],
        n_features=at["d"],
        n_clusters=at["k"],
        true_covariance=np.diag([float(at["ratio"])] + [1.0] * (at["d"] - 1)),
        covariance=None if told == "nothing" else told,
    )
    return {**at, "told": told, "simulations": SIMULATIONS[told], "rejected": int((study.pvalue <= 0.05).sum())}


def picture() -> bytes:
    """The picture of `draw` as PNG."""
    content = io.BytesIO()
    draw().savefig(content, format="png", dpi=110)
    return content.getvalue()


def draw() -> Figure:
    """The level over anisotropy, n, k and d, with intervals of 95 % for the simulation's error."""
    from partitope.stats import accuracy_interval

    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    figure, axes = plt.subplots(1, len(VARIED), figsize=(10, 3.2), layout="constrained", sharey=True)
    for ax, (name, values) in zip(axes, VARIED.items(), strict=True):
        for told, (colour, marker) in TOLD.items():
            shares = []
            for value in values:
                at = {**USUAL, name: value}
                row = next(r for r in rows if r["told"] == told and all(int(r[key]) == at[key] for key in at))
                shares.append(accuracy_interval(int(row["rejected"]), int(row["simulations"]), method="wilson"))
            middle = 100 * np.array([share.estimate for share in shares])
            ends = 100 * np.array([tuple(share) for share in shares]).T
            place = np.arange(len(values)) + (0.06 if told == "spherical" else -0.06)
            ax.errorbar(
                place, middle, np.abs(ends - middle), color=colour, marker=marker, ms=5, lw=1.2, label=f"told {told}"
            )
        ax.axhline(5.0, color="#777777", lw=0.9, ls="--")
        ax.set_xticks(range(len(values)), [str(value) for value in values])
        ax.set_xlabel(LABELS[name])
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylim(0, None)
    axes[0].set_ylabel("rejected at 5 %, in %")
    axes[0].legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    table = [simulated(at, told) for at in places() for told in TOLD]
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
