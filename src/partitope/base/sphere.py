"""Places on the sphere of the earth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RADIUS = 6371.0088  # Mean radius of the earth in kilometres.


def on_earth(latitude: NDArray[np.float64], longitude: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 3) in kilometres from the centre of the earth, of degrees (n,)."""
    a, b = np.radians(latitude), np.radians(longitude)
    return np.column_stack([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(a)]) * RADIUS
