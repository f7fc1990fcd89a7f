"""scikit-learn's contract, for every estimator of the package; what each is excused from, and why."""

from __future__ import annotations

import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import RidgeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from partitope.classifiers import (
    ClusteringClassifier,
    ConditionalMeanEncoder,
    DeepCAC,
    LeastSquaresWeighting,
    LocalModelClassifier,
    LogLikelihoodEncoder,
    SelectiveNaiveBayes,
    TableCleaner,
)
from partitope.classifiers.linear.basis import LinearBasis
from partitope.classifiers.linear.pooled import PooledLogisticRegression
from partitope.cluster import BalancedKMeans
from partitope.cluster.table_encoder import TableEncoder
from partitope.solvers import CAC, KCC, PKM, AlikePartitioner, ClusterwiseRegression, GeometricPartitioner
from partitope.solvers.conditional.residual import ExplainedAwayWarning
from partitope.solvers.microaggregation import Microaggregation


class KCCAlone(KCC):
    """KCC with a covariate of its own, for checks that know no covariates."""

    def fit(self, X, y=None, *, covariates=None, sample_weight=None):
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        return super().fit(X, y, covariates=np.arange(n) % 2, sample_weight=sample_weight)


ALONG_CAC = CAC(2, alpha=0.1, n_init=1, random_state=0)
DEEP = DeepCAC(2, alpha=0.1, epochs=5, pretrain_epochs=1, learning_rate=3e-2, batch_size=32, embedding=(16, 8))
ESTIMATORS = [
    BalancedKMeans(),
    BalancedKMeans(2, lower="20%"),
    GeometricPartitioner(2, objective="csa"),
    CAC(n_init=1),
    KCCAlone(n_init=2, max_iter=3),
    PKM(random_state=0),
    ClusterwiseRegression(random_state=0),
    AlikePartitioner(random_state=0),
    Microaggregation(1, n_iter=500, bound_iter=2),
    TableEncoder(),
    ClusteringClassifier(GeometricPartitioner(n_clusters=4), n_starts=3, random_state=0),
    ClusteringClassifier(GeometricPartitioner(4, objective="lsa"), "max", n_starts=2, encoder=None, random_state=0),
    LocalModelClassifier(KMeans(2, n_init=1, random_state=0), RidgeClassifier()),
    LocalModelClassifier(ALONG_CAC, n_starts=2, random_state=0),
    LocalModelClassifier(PKM(), SelectiveNaiveBayes()),
    SelectiveNaiveBayes(),
    PooledLogisticRegression(),
    LinearBasis(),
    LinearBasis(log_odds=True),
    ConditionalMeanEncoder(),
    ConditionalMeanEncoder(bins=3, smoothing=1.0),
    ConditionalMeanEncoder(smoothing=0.0, cross_fit=0),
    LeastSquaresWeighting(),
    LogLikelihoodEncoder(),
    LogLikelihoodEncoder(output="parts"),
    TableCleaner(),
    *([DEEP] if find_spec("torch") else []),
]
WEIGHTS = "check_sample_weight_equivalence_on_dense_data"
BOTH_WEIGHTS = (WEIGHTS, "check_sample_weight_equivalence_on_sparse_data")
ALL_WEIGHTS = (
    *BOTH_WEIGHTS,
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_all_zero_sample_weights_error",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
)
FEWER = (
    "check_dont_overwrite_parameters",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
)
TRAINED = ("check_transformer_general", "check_transformer_data_not_an_array")
DRAWN = "starting sites are drawn from the rows: repeating or dropping rows changes the draw, not the objective"
SUPERVISED = {"check_clustering": "the check fits without y, which supervised clustering needs"}


def expected(estimator) -> dict[str, str]:
    """Checks that an estimator fails on purpose, with the reason."""
    if isinstance(estimator, BalancedKMeans | GeometricPartitioner):
        return dict.fromkeys(BOTH_WEIGHTS, DRAWN)
    if isinstance(estimator, ClusteringClassifier):
        return {WEIGHTS: DRAWN}
    if isinstance(estimator, CAC):
        return SUPERVISED | {WEIGHTS: "the order of visits differs when a point is repeated"}
    if isinstance(estimator, LocalModelClassifier) and isinstance(estimator.partitioner, CAC):
        return {WEIGHTS: "CAC visits a repeated point at other times"}
    if isinstance(estimator, LocalModelClassifier) and isinstance(estimator.partitioner, PKM):
        names = {*ALL_WEIGHTS, "check_classifiers_one_label_sample_weights"} - {"check_all_zero_sample_weights_error"}
        return dict.fromkeys(names, "weights are refused by name: the criterion of the parts counts whole rows")
    if isinstance(estimator, KCC):
        return dict.fromkeys(ALL_WEIGHTS, "weights are refused by name: HSCONIC is not defined for them here")
    fewer = dict.fromkeys(FEWER, "the check asks for fewer clusters than classes, which the start refuses")
    if isinstance(estimator, PKM):
        counts = dict.fromkeys(ALL_WEIGHTS, "weights are refused by name: the criterion of the parts counts whole rows")
        return SUPERVISED | fewer | counts
    if isinstance(estimator, ClusterwiseRegression):
        return SUPERVISED
    if isinstance(estimator, AlikePartitioner):
        weights = dict.fromkeys(ALL_WEIGHTS, "weights are refused by name: groups are alike by whole rows")
        return weights | {"check_clustering": "groups that are alike are not the three blobs"}
    if isinstance(estimator, Microaggregation):
        weights = {WEIGHTS: "weights of 0 are refused: their records would have to be hidden, too"}
        return weights | {"check_clustering": "groups of one record are not the three blobs"}
    if isinstance(estimator, ConditionalMeanEncoder) and estimator.cross_fit and estimator.smoothing != "auto":
        return dict.fromkeys(TRAINED, "training rows are encoded from other rows, as by scikit-learn's TargetEncoder")
    return {}


@pytest.mark.full
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_scikit_learn_contract(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExplainedAwayWarning)
        check(estimator)
