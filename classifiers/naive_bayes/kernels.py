"""Compiled kernels of the selective naive Bayes classifier.

``codes`` (d, n) holds the part of every entry, ``tables`` (d, P, J) the log-likelihoods of the parts, ``scores``
(n, J) the sums log P(j) + sum over chosen features, ``y`` (n,) the classes.
"""

from __future__ import annotations

import math

import numpy as np

from ...base.jit import njit

LARGE = 1e200  # A product of masses above this is replaced by its logarithm.


@njit(cache=True)
def code_length(scores, codes, table, sign, y):
    """Minus the log-likelihood of y for scores + sign * table[codes]; codes (n,), table (P, J)."""
    n, n_classes = scores.shape
    total, masses = 0.0, 1.0  # one logarithm of the product of many masses, each from 1 to J
    row = np.empty(n_classes)
    for i in range(n):
        top = 0
        for j in range(n_classes):
            row[j] = scores[i, j] + sign * table[codes[i], j]
            if row[j] > row[top]:
                top = j
        mass = 1.0
        for j in range(n_classes):
            if j != top:
                mass += math.exp(row[j] - row[top])
        masses *= mass
        if masses > LARGE:
            total += math.log(masses)
            masses = 1.0
        total += row[top] - row[y[i]]
    return total + math.log(masses)


@njit(cache=True)
def shift(scores, codes, table, sign):
    """Add sign * table[codes] to the scores, in place."""
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            scores[i, j] += sign * table[codes[i], j]


@njit(cache=True)
def average_models(codes, tables, y, log_prior, orders, model_prior, null_length):
    """Feature weights (d,) by compression-based averaging over the models met on the way."""
    n_features, n = codes.shape
    n_classes = log_prior.size
    held_weight, all_weight, best, n_models = np.zeros(n_features), 0.0, null_length, 0
    for order in orders:
        # each order of the columns is searched separately, so that no column is favoured by its place
        scores = np.empty((n, n_classes))
        for j in range(n_classes):
            scores[:, j] = log_prior[j]
        chosen = np.zeros(n_features, dtype=np.bool_)
        size, length = 0, null_length
        gained = True
        while gained:
            gained = False
            # first add, then remove: a column may become superfluous through later ones
            for adding in (True, False):
                for f in order:
                    if chosen[f] == adding:
                        continue
                    sign, after = (1.0, size + 1) if adding else (-1.0, size - 1)
                    trial = model_prior[after] + code_length(scores, codes[f], tables[f], sign, y)
                    chosen[f] = adding
                    # every model that is looked at counts by its compression, whether or not the search goes there
                    weight = max(0.0, 1.0 - trial / null_length)
                    all_weight += weight
                    for g in range(n_features):
                        if chosen[g]:
                            held_weight[g] += weight
                    n_models += 1
                    # scores are changed in place: a model costs O(n), not O(n d)
                    if trial < length - 1e-9:
                        shift(scores, codes[f], tables[f], sign)
                        size, length, gained = after, trial, True
                    else:
                        chosen[f] = not adding
        best = min(best, length)
    return held_weight, all_weight, best, n_models
