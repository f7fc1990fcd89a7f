"""Short names for types in signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]
Record = dict[str, Any]  # What a JSON object, or a set of keyword options, holds.
