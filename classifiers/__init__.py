"""Classifiers and transformers that stand on partitions."""

from .cluster_values import ClusterValues
from .clustering_classifier import ClusteringClassifier
from .encoding import ConditionalMeanEncoder
from .modl import LogLikelihoodEncoder, MODLDiscretizer, MODLGrouper
from .naive_bayes import SelectiveNaiveBayes
from .weighting import LeastSquaresWeighting

__all__ = [
    "ClusterValues",
    "ClusteringClassifier",
    "ConditionalMeanEncoder",
    "LeastSquaresWeighting",
    "LogLikelihoodEncoder",
    "MODLDiscretizer",
    "MODLGrouper",
    "SelectiveNaiveBayes",
]
