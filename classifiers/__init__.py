"""Classifiers and transformers that stand on partitions."""

from .balance_curve import BalanceCurve, balance_curve, common_lower_bounds
from .bounds_search import BoundsSearch, search_bounds
from .cac_search import CACSearchCV
from .cluster_values import ClusterValues
from .clustering_classifier import ClusteringClassifier
from .deep import DMNN, FNN, DeepCAC
from .encoding import ConditionalMeanEncoder
from .kmeans_baseline import KMeansMajorityVote
from .local_models import LocalModelClassifier
from .modl import LogLikelihoodEncoder, MODLDiscretizer, MODLGrouper
from .naive_bayes import SelectiveNaiveBayes
from .pkm import PKMClassifier
from .profiles import ClusterProfiles, cluster_profiles
from .weighting import LeastSquaresWeighting

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
    "KMeansMajorityVote",
    "LeastSquaresWeighting",
    "LocalModelClassifier",
    "LogLikelihoodEncoder",
    "MODLDiscretizer",
    "MODLGrouper",
    "PKMClassifier",
    "SelectiveNaiveBayes",
    "balance_curve",
    "cluster_profiles",
    "common_lower_bounds",
    "search_bounds",
]
