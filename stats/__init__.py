"""Statistics as pure functions of arrays."""

from ._cluster_test_steps import DoubleDippingWarning
from .agreement import PartitionAgreement, cluster_jaccard, partition_agreement
from .association import AssociationTest, partition_association_test
from .binary import BinaryReport, binary_report
from .bound_suggestion import BoundSuggestion, suggest_bounds, value_half_width
from .classifier_tests import ClassifierTest, corrected_t_test, mcnemar_test
from .comparing_distance import comparing_distance_limits
from .cross_validation import CrossValidation, repeated_cross_validation
from .dependence import DependenceResult, hsconic, hsic
from .difference import DifferenceTest, value_difference_test
from .intervals import ShareInterval, accuracy_interval
from .power import PowerAnalysis, power_analysis
from .roc_area import AreaInterval, auc_interval, delong_test
from .selective import SelectiveTest, selective_mean_test
from .separation import ClassSeparation, SeparationBounds, class_separation, separation_bounds
from .separation_plot import plot_separation
from .stability import PartitionStability, partition_stability
from .value_test import (
    ClusterValueTest,
    cluster_value_test,
    cluster_value_test_counts,
)
from .value_test_study import ValueTestStudy, simulate_value_test

__all__ = [
    "AreaInterval",
    "AssociationTest",
    "BinaryReport",
    "BoundSuggestion",
    "ClassSeparation",
    "ClassifierTest",
    "ClusterValueTest",
    "CrossValidation",
    "DependenceResult",
    "DifferenceTest",
    "DoubleDippingWarning",
    "PartitionAgreement",
    "PartitionStability",
    "PowerAnalysis",
    "SelectiveTest",
    "SeparationBounds",
    "ShareInterval",
    "ValueTestStudy",
    "accuracy_interval",
    "auc_interval",
    "binary_report",
    "class_separation",
    "cluster_jaccard",
    "cluster_value_test",
    "cluster_value_test_counts",
    "comparing_distance_limits",
    "corrected_t_test",
    "delong_test",
    "hsconic",
    "hsic",
    "mcnemar_test",
    "partition_agreement",
    "partition_association_test",
    "partition_stability",
    "plot_separation",
    "power_analysis",
    "repeated_cross_validation",
    "selective_mean_test",
    "separation_bounds",
    "simulate_value_test",
    "suggest_bounds",
    "value_difference_test",
    "value_half_width",
]
