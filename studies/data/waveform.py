"""The waveform problem of Breiman, Friedman, Olshen and Stone: rows drawn from a published generator.

(1)  h_1(t) = max(6 - |t - 11|, 0),   h_2(t) = h_1(t - 4),   h_3(t) = h_1(t + 4)       t = 1, ..., 21
(2)  x_t = u h_a(t) + (1 - u) h_b(t) + e_t       u uniform in [0, 1], e_t standard normal
(3)  class 0: (a, b) = (1, 2);   class 1: (1, 3);   class 2: (2, 3);   each with probability 1/3
(4)  x_22, ..., x_40 standard normal, for all classes alike                            with noise
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from partitope.base.checks import whole_number
from partitope.base.errors import InvalidInputError
from partitope.datasets.dataset import Dataset

N_WAVE = 21
N_NOISE = 19
PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def make_waveform(
    n_rows: int = 5000, *, noise: bool = True, random_state: int | np.random.RandomState | None = None
) -> Dataset:
    """Rows of three classes, each a random mixture of two of three triangular waves.

    Parameters
    ----------
    n_rows : int, default 5000
        n; the set of the UCI repository is one draw of 5000.
    noise : bool, default True
        Append 19 columns that say nothing about the class.
    random_state : int, RandomState or None
        Seed; an integer gives the same rows again.

    Returns
    -------
    Dataset
        X (n, 40) or (n, 21) with columns x1, x2, ...; y holds 0, 1, 2; name "waveform".

    Raises
    ------
    InvalidInputError
        When ``n_rows`` is no integer of at least 1, or ``random_state`` is no seed.

    Notes
    -----
    O(n) time. The best classifier that knows (1) to (3) is right for about 86 % of the rows. The published file
    rounds to two digits; these rows are not rounded.

    References
    ----------
    Breiman, Friedman, Olshen and Stone 1984, Classification and Regression Trees, section 2.6.2.

    Examples
    --------
    >>> from studies.data import make_waveform
    >>> make_waveform(300, random_state=0)
    Dataset('waveform': 300 rows, 40 features, target 'class')
    """
    whole_number(n_rows, "n_rows")
    try:
        rng = check_random_state(random_state)
    except ValueError as error:
        raise InvalidInputError(f"random_state={random_state!r}: expected an integer >= 0 or None") from error
    y = rng.randint(3, size=n_rows)
    share = rng.uniform(size=(n_rows, 1))
    first, second = triangle_waves()[PAIRS[y].T]
    X = rng.normal(size=(n_rows, N_WAVE + (N_NOISE if noise else 0)))
    X[:, :N_WAVE] += share * first + (1.0 - share) * second
    columns = [f"x{t}" for t in range(1, X.shape[1] + 1)]
    title = "Waveform: mixtures of two of three triangular waves, drawn from the published generator."
    return Dataset(pd.DataFrame(X, columns=columns), y, "waveform", "class", title)


def triangle_waves() -> NDArray[np.float64]:
    """The waves (3, 21) of (1)."""
    t = np.arange(1.0, N_WAVE + 1)
    return np.maximum(6.0 - np.abs(t - np.array([[11.0], [15.0], [7.0]])), 0.0)
