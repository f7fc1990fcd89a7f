"""Columns that give the class of every row away: copies of the target, other spellings of it, finer names of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import gammaln

CHANCE = 1e-3  # Largest probability that a column separates all classes by chance, for it to count as a leak.


def gives_away(X: pd.DataFrame, y: ArrayLike, target: str) -> list[str]:
    """A line for every column of which each value, a missing one too, goes with one class only, beyond chance.
    Shapes: X (n, d), y (n,)."""
    classes, codes, counts = np.unique(np.asarray(y), return_inverse=True, return_counts=True)
    ways = gammaln(len(codes) + 1) - gammaln(counts + 1).sum()
    lines = []
    for name in X.columns:
        values, different = pd.factorize(X[name], use_na_sentinel=False)
        k = len(different)
        if k < 2 or k * np.log(len(classes)) - ways > np.log(CHANCE):
            continue
        if len(np.unique(values * len(classes) + codes)) == k:
            one = f"its {k} values are the classes of {target} under other names"
            finer = f"each of its {k} values goes with one class of {target} only"
            lines.append(
                f"column {name}: {one if k == len(classes) else finer}, so that it gives the class away: leave it out "
                f"(--drop) unless it is known before the class is"
            )
    return lines
