"""Statistics as pure functions of arrays."""

from .binary import binary_report
from .cluster_values.difference import value_difference_test
from .cluster_values.power import power_analysis
from .cluster_values.precision import suggest_bounds
from .cluster_values.test import cluster_value_test
from .comparison.roc_area import auc_interval
from .comparison.two_classifiers import corrected_t_test, mcnemar_test
from .dependence.measures import hsic
from .intervals import accuracy_interval
from .selective.mean_test import selective_mean_test
from .separation import class_separation
from .stability import partition_stability

__all__ = [
    "accuracy_interval",
    "auc_interval",
    "binary_report",
    "class_separation",
    "cluster_value_test",
    "corrected_t_test",
    "hsic",
    "mcnemar_test",
    "partition_stability",
    "power_analysis",
    "selective_mean_test",
    "suggest_bounds",
    "value_difference_test",
]
