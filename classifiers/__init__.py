"""Classifiers and transformers that use partitions."""

from .clustering_classifier import ClusteringClassifier
from .deep.classifiers import DeepCAC
from .encoders.conditional_mean import ConditionalMeanEncoder
from .encoders.log_likelihood import LogLikelihoodEncoder
from .encoders.table_cleaner import TableCleaner
from .encoders.weighting import LeastSquaresWeighting
from .local_models import LocalModelClassifier
from .naive_bayes.classifier import SelectiveNaiveBayes
from .profiles.profiles import cluster_profiles
from .search.local_models import LocalModelSearch

__all__ = [
    "ClusteringClassifier",
    "ConditionalMeanEncoder",
    "DeepCAC",
    "LeastSquaresWeighting",
    "LocalModelClassifier",
    "LocalModelSearch",
    "LogLikelihoodEncoder",
    "SelectiveNaiveBayes",
    "TableCleaner",
    "cluster_profiles",
]
