"""Statistics as pure functions of arrays."""

from ._cluster_test_steps import DoubleDippingWarning
from .association import AssociationTest, partition_association_test
from .binary import BinaryReport, binary_report
from .cluster_value_test import (
    ClusterValueTest,
    cluster_value_test,
    cluster_value_test_counts,
)
from .comparing_distance import comparing_distance_limits
from .difference import DifferenceTest, value_difference_test
from .hsic import DependenceResult, hsconic, hsic
from .intervals import ShareInterval, accuracy_interval
from .power import PowerAnalysis, power_analysis
from .selective import SelectiveTest, selective_mean_test
from .separation import ClassSeparation, SeparationBounds, class_separation, separation_bounds
from .separation_plot import plot_separation
from .value_test_study import ValueTestStudy, simulate_value_test

__all__ = [
    "AssociationTest",
    "BinaryReport",
    "ClassSeparation",
    "ClusterValueTest",
    "DependenceResult",
    "DifferenceTest",
    "DoubleDippingWarning",
    "PowerAnalysis",
    "SelectiveTest",
    "SeparationBounds",
    "ShareInterval",
    "ValueTestStudy",
    "accuracy_interval",
    "binary_report",
    "class_separation",
    "cluster_value_test",
    "cluster_value_test_counts",
    "comparing_distance_limits",
    "hsconic",
    "hsic",
    "partition_association_test",
    "plot_separation",
    "power_analysis",
    "selective_mean_test",
    "separation_bounds",
    "simulate_value_test",
    "value_difference_test",
]
