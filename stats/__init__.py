"""Statistics as pure functions of arrays."""

from .binary import BinaryReport, binary_report
from .cluster_values.difference import DifferenceTest, value_difference_test
from .cluster_values.limits import comparing_distance_limits
from .cluster_values.power import PowerAnalysis, power_analysis
from .cluster_values.precision import BoundSuggestion, suggest_bounds, value_half_width
from .cluster_values.steps import DoubleDippingWarning
from .cluster_values.test import (
    ClusterValueTest,
    cluster_value_test,
    cluster_value_test_counts,
)
from .comparison.cross_validation import CrossValidation, repeated_cross_validation
from .comparison.roc_area import AreaInterval, auc_interval, delong_test
from .comparison.two_classifiers import ClassifierTest, corrected_t_test, mcnemar_test
from .dependence.measures import DependenceResult, hsconic, hsic
from .intervals import ShareInterval, accuracy_interval
from .partitions.agreement import PartitionAgreement, cluster_jaccard, partition_agreement
from .partitions.association import AssociationTest, partition_association_test
from .partitions.prediction_strength import PredictionStrength, prediction_strength
from .partitions.separation import ClassSeparation, SeparationBounds, class_separation, separation_bounds
from .partitions.separation_plot import plot_separation
from .partitions.stability import PartitionStability, partition_stability
from .selective.mean_test import SelectiveTest, selective_mean_test

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
    "PredictionStrength",
    "SelectiveTest",
    "SeparationBounds",
    "ShareInterval",
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
    "prediction_strength",
    "repeated_cross_validation",
    "selective_mean_test",
    "separation_bounds",
    "suggest_bounds",
    "value_difference_test",
    "value_half_width",
]
