"""Residual quantisation: a vector as a sequence of codes, each of which narrows down what those before it left.

    r_0 = x,    code_l = the cell of r_(l-1) among k clusters,    r_l = r_(l-1) - centre of the code

so that x is about the sum of its centres. With clusters of equal size every code of a level is used equally often: no
inverted list is long, and no entry of a codebook is idle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from ..base.atomic_fit import AtomicFit
from ..base.checks import refuse_masked, validate_data, whole_number
from ..base.errors import InvalidInputError
from .balanced_k_means import BalancedKMeans

NUMBERS_AT_A_TIME = 1 << 22  # coordinates whose residuals are held at a time


@dataclass(eq=False, repr=False)
class ResidualQuantizer(AtomicFit, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Codes of several levels, each a k-means on what the levels before left, with clusters of equal size.

    Parameters
    ----------
    levels : int, default 2
        Codes of a vector.
    k : int, default 8
        Clusters, and so codes, of every level.
    balanced : bool, default True
        Let every code of a level have floor(n / k) or ceil(n / k) of the training vectors; otherwise at least one.
    n_init : int, default 1
        Starts of every level; the best is kept.
    max_iter : int, default 25
        Assignment steps in one start.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    codebooks_ : (levels, k, d) ndarray
        Centres of every level, in the floating type of X.
    codes_ : (n, levels) ndarray
        Codes of the training vectors, in the smallest unsigned type that holds k.
    errors_ : (levels,) ndarray
        Mean squared distance of the training vectors from the sum of their centres after every level.
    levels_ : tuple of BalancedKMeans
        The models of the levels; each has the certificate of its last assignment.
    n_iter_ : int
        Assignment steps of the level that took most.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InvalidInputError
        From ``fit``: a parameter is no whole number of at least 1, or there are fewer vectors than codes; from
        `inverse_transform`: the codes do not fit.

    Notes
    -----
    Heuristic: greedy over the levels, and each level is a local optimum of k-means within its sizes. A new vector gets
    the cell of the power diagram that holds its residual, the rule under which the training vectors are balanced; so
    training vectors get ``codes_``, unless equal vectors were divided, and new ones of the same distribution are
    balanced up to chance. Costs one fit of `BalancedKMeans` a level and a copy of X in its floating type for the
    residuals; encoding costs O(levels k d) a vector.

    References
    ----------
    Chen, Guan and Wang (2010), Approximate nearest neighbor search by residual vector quantization.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.cluster import ResidualQuantizer
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> model = ResidualQuantizer(2, 2, random_state=0).fit(X)
    >>> np.bincount(model.codes_[:, 0]), model.errors_.tolist(), model.decode(model.encode(X)).ravel().tolist()
    (array([2, 2]), [0.25, 0.0], [0.0, 1.0, 10.0, 11.0])
    """

    levels: int = 2
    k: int = 8
    _: KW_ONLY
    balanced: bool = True
    n_init: int = 1
    max_iter: int = 25
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the codebooks of the vectors X (n, d), an array or a memory map; y is ignored."""
        X = self._vectors(X, reset=True)
        levels, k = whole_number(self.levels, "levels", least=1), whole_number(self.k, "k", least=1)
        if k > len(X):
            raise InvalidInputError(f"k={k} is more than n_samples={len(X)}: pass at most one code a vector")
        rng = check_random_state(self.random_state)
        residuals, models, errors = np.array(X), [], []
        codes = np.empty((len(X), levels), dtype=np.min_scalar_type(k - 1))
        for level in range(levels):
            model = BalancedKMeans(
                k,
                balance=0 if self.balanced else None,
                n_init=self.n_init,
                max_iter=self.max_iter,
                random_state=rng.randint(np.iinfo(np.int32).max),
            ).fit(residuals)
            codes[:, level] = model.labels_
            for part in _parts(residuals):
                residuals[part] -= model.cluster_centers_[model.labels_[part]]
            models.append(model)
            errors.append(_mean_square(residuals))
        self.levels_, self.codes_, self.errors_ = tuple(models), codes, np.array(errors)
        self.n_iter_ = max(model.n_iter_ for model in models)
        self.codebooks_ = np.stack([model.cluster_centers_ for model in models])
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Codes (m, levels) of the vectors X (m, d)."""
        check_is_fitted(self)
        X = self._vectors(X, reset=False)
        codes = np.empty((len(X), len(self.levels_)), dtype=self.codes_.dtype)
        for part in _parts(X):
            residuals = X[part].astype(self.codebooks_.dtype)
            for level, model in enumerate(self.levels_):
                codes[part, level] = found = model.partition_.predict(residuals)
                residuals -= self.codebooks_[level, found]
        return codes

    def inverse_transform(self, codes: ArrayLike) -> NDArray[np.floating]:
        """Vectors (m, d) that the codes (m, l) stand for; with l below the number of levels, those of the first l.

        Raises
        ------
        InvalidInputError
            When there are more codes a vector than levels, or a code is not one of a codebook.
        """
        check_is_fitted(self)
        levels, k, _ = self.codebooks_.shape
        refuse_masked(codes, "codes")
        given = check_array(codes, dtype=None)
        if given.shape[1] > levels:
            raise InvalidInputError(f"codes has {given.shape[1]} columns, expected at most {levels}, one a level")
        if not (np.issubdtype(given.dtype, np.integer) and given.min() >= 0 and given.max() < k):
            raise InvalidInputError(
                f"codes has entries that are no whole numbers from 0 to {k - 1}: pass `transform`'s"
            )
        vectors = np.zeros((len(given), self.n_features_in_), dtype=self.codebooks_.dtype)
        for book, column in zip(self.codebooks_, given.T):
            vectors += book[column]
        return vectors

    def encode(self, X: Any) -> NDArray[Any]:
        """`transform`, by the name that quantisers have."""
        return self.transform(X)

    def decode(self, codes: ArrayLike) -> NDArray[np.floating]:
        """`inverse_transform`, by the name that quantisers have."""
        return self.inverse_transform(codes)

    def reconstruction_error(self, X: Any) -> float:
        """Mean squared distance of the vectors X (m, d) from what their codes stand for."""
        codes, X = self.transform(X), self._vectors(X, reset=False)
        total = sum(_mean_square(X[part] - self.inverse_transform(codes[part])) * len(X[part]) for part in _parts(X))
        return total / len(X)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the `reconstruction_error`, for searches that maximise."""
        return -self.reconstruction_error(X)

    def _vectors(self, X: Any, *, reset: bool) -> Any:
        return validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # codes are whole numbers
        return tags

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`, for scikit-learn's names of them."""
        return len(self.levels_)


def _parts(X: NDArray[np.floating]) -> Iterator[slice]:
    """Ranges of rows of a bounded size."""
    step = max(NUMBERS_AT_A_TIME // max(X.shape[1], 1), 1)
    for start in range(0, len(X), step):
        yield slice(start, start + step)


def _mean_square(X: NDArray[np.floating]) -> float:
    """Mean squared length of the rows, summed in float64."""
    total = sum(float(np.einsum("jd,jd->", X[part], X[part], dtype=np.float64)) for part in _parts(X))
    return total / len(X)
