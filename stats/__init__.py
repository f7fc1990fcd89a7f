"""Statistics as pure functions of arrays."""

from .binary import BinaryReport, binary_report
from .cluster_value_test import (
    ClusterValueTest,
    DoubleDippingWarning,
    cluster_value_test,
    cluster_value_test_counts,
    comparing_distance_limits,
)
from .hsic import DependenceResult, hsconic, hsic
from .intervals import ShareInterval, accuracy_interval
from .selective import SelectiveTest, selective_mean_test

__all__ = [
    "BinaryReport",
    "ClusterValueTest",
    "DependenceResult",
    "DoubleDippingWarning",
    "SelectiveTest",
    "ShareInterval",
    "accuracy_interval",
    "binary_report",
    "cluster_value_test",
    "cluster_value_test_counts",
    "comparing_distance_limits",
    "hsconic",
    "hsic",
    "selective_mean_test",
]
