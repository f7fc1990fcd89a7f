"""Figures printed by He, Gumbsch, Roqueiro and Borgwardt (2019): Tables 2 and 3, as shares.

Of the eleven methods of Table 2, those are typed that are computed here: KM (k-means), KKM (kernel k-means), OC
(orthogonal projection), KDAC and KCC.
"""

from __future__ import annotations

from .rows import Printed

DATA = ("simu1", "simu2", "simu3", "face", "face4", "multi", "dlbcl", "webkb")
METHODS = ("KM", "KKM", "OC", "KDAC", "KCC")

_NONE = None
_TABLE_2: dict[str, dict[str, tuple[float | None, ...]]] = {
    "ACC": {
        "simu1": (0.573, 0.573, 0.993, 0.993, 0.993),
        "simu2": (0.505, 0.505, 0.725, 1.0, 1.0),
        "simu3": (0.668, 0.675, _NONE, 0.675, 1.0),
        "face": (0.358, 0.466, 0.738, 0.788, 0.796),
        "face4": (0.375, 0.375, 0.640, 0.812, 0.851),
        "multi": (0.474, 0.592, 0.755, 0.837, 0.807),
        "dlbcl": (0.492, 0.512, 0.467, 0.448, 0.595),
        "webkb": (0.491, 0.518, 0.654, 0.573, 0.644),
    },
    "NMI_g": {
        "simu1": (0.387, 0.387, 0.966, 0.966, 0.966),
        "simu2": (0.0, 0.0, 0.258, 1.0, 1.0),
        "simu3": (0.553, 0.579, _NONE, 0.579, 1.0),
        "face": (0.070, 0.152, 0.483, 0.518, 0.526),
        "face4": (0.126, 0.126, 0.602, 0.604, 0.689),
        "multi": (0.070, 0.152, 0.671, 0.656, 0.619),
        "dlbcl": (0.113, 0.118, 0.123, 0.089, 0.225),
        "webkb": (0.276, 0.225, 0.384, 0.343, 0.387),
    },
    "NMI_c": {
        "simu1": (0.590, 0.590, 0.001, 0.001, 0.001),
        "simu2": (1.0, 1.0, 0.001, 0.002, 0.002),
        "face": (0.503, 0.356, 0.021, 0.016, 0.018),
        "face4": (0.781, 0.781, 0.090, 0.012, 0.024),
        "multi": (0.651, 0.637, 0.038, 0.016, 0.034),
        "dlbcl": (0.814, 0.832, 0.273, 0.010, 0.046),
        "webkb": (0.412, 0.338, 0.009, 0.001, 0.010),
    },
    "JI": {
        "simu1": (0.514, 0.514, 0.200, 0.200, 0.200),
        "simu2": (1.0, 1.0, 0.392, 0.333, 0.333),
        "face": (0.144, 0.109, 0.047, 0.046, 0.046),
        "face4": (0.655, 0.655, 0.183, 0.149, 0.153),
        "multi": (0.588, 0.423, 0.257, 0.226, 0.232),
        "dlbcl": (0.810, 0.810, 0.499, 0.263, 0.266),
        "webkb": (0.342, 0.285, 0.156, 0.147, 0.157),
    },
}

KCC: tuple[Printed, ...] = tuple(
    Printed("2", data, method, metric, value)
    for metric, rows in _TABLE_2.items()
    for data, values in rows.items()
    for method, value in zip(METHODS, values)
    if value is not None
)

SEMI_METHODS = ("LP", "SP", "ST", "KCSSL")
_TABLE_3: dict[str, tuple[tuple[float, float] | None, ...]] = {
    "simu1": ((0.355, 0.07), (0.601, 0.14), (0.967, 0.02), (0.993, 0.01)),
    "simu2": ((0.507, 0.06), (0.722, 0.18), (0.868, 0.01), (0.985, 0.02)),
    "simu3": ((0.353, 0.08), (0.663, 0.13), (0.972, 0.01), (0.988, 0.01)),
    "face": ((0.251, 0.01), (0.345, 0.02), (0.655, 0.05), (0.811, 0.02)),
    "face4": ((0.248, 0.01), (0.317, 0.03), (0.445, 0.09), (0.581, 0.15)),
    "multi": ((0.247, 0.04), (0.311, 0.09), (0.579, 0.11), (0.735, 0.18)),
    "dlbcl": ((0.369, 0.05), (0.388, 0.05), _NONE, (0.656, 0.07)),
    "webkb": ((0.534, 0.01), (0.534, 0.01), (0.674, 0.03), (0.668, 0.01)),
}

KCSSL: tuple[Printed, ...] = tuple(
    Printed("3", data, method, "ACC", *pair)
    for data, pairs in _TABLE_3.items()
    for method, pair in zip(SEMI_METHODS, pairs)
    if pair is not None
)
