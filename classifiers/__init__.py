"""Classifiers and transformers that stand on partitions."""

from .cluster_values import ClusterValues
from .clustering_classifier import ClusteringClassifier
from .deep.classifiers import DMNN, FNN, DeepCAC
from .encoders.conditional_mean import ConditionalMeanEncoder
from .encoders.modl import LogLikelihoodEncoder, MODLDiscretizer, MODLGrouper
from .encoders.table_cleaner import TableCleaner
from .encoders.weighting import LeastSquaresWeighting
from .linear.basis import LinearBasis
from .linear.pooled import PooledLogisticRegression
from .local_models import LocalModelClassifier
from .naive_bayes.classifier import SelectiveNaiveBayes
from .pkm import PKMClassifier
from .profiles.profiles import ClusterProfiles, cluster_profiles
from .search.balance_curve import BalanceCurve, balance_curve, common_lower_bounds
from .search.bounds import BoundsSearch, search_bounds
from .search.cac import CACSearchCV
from .search.local_models import LocalModelSearch

__all__ = [
    "DMNN",
    "FNN",
    "BalanceCurve",
    "BoundsSearch",
    "CACSearchCV",
    "ClusterProfiles",
    "ClusterValues",
    "ClusteringClassifier",
    "ConditionalMeanEncoder",
    "DeepCAC",
    "LeastSquaresWeighting",
    "LinearBasis",
    "LocalModelClassifier",
    "LocalModelSearch",
    "LogLikelihoodEncoder",
    "MODLDiscretizer",
    "MODLGrouper",
    "PKMClassifier",
    "PooledLogisticRegression",
    "SelectiveNaiveBayes",
    "TableCleaner",
    "balance_curve",
    "cluster_profiles",
    "common_lower_bounds",
    "search_bounds",
]
