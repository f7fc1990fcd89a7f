"""Statistics as pure functions of arrays."""

from ._cluster_test_steps import DoubleDippingWarning
from .binary import BinaryReport, binary_report
from .cluster_value_test import (
    ClusterValueTest,
    cluster_value_test,
    cluster_value_test_counts,
)
from .comparing_distance import comparing_distance_limits
from .hsic import DependenceResult, hsconic, hsic
from .intervals import ShareInterval, accuracy_interval
from .selective import SelectiveTest, selective_mean_test
from .separation import ClassSeparation, SeparationBounds, class_separation, separation_bounds
from .separation_plot import plot_separation

__all__ = [
    "BinaryReport",
    "ClassSeparation",
    "ClusterValueTest",
    "DependenceResult",
    "DoubleDippingWarning",
    "SelectiveTest",
    "SeparationBounds",
    "ShareInterval",
    "accuracy_interval",
    "binary_report",
    "class_separation",
    "cluster_value_test",
    "cluster_value_test_counts",
    "comparing_distance_limits",
    "hsconic",
    "hsic",
    "plot_separation",
    "selective_mean_test",
    "separation_bounds",
]
