"""Which clusters can matter to a tile of points: bounds on the scores over the box around it.

    s_i(m + e) = s_i(m) + grad_i(m) . e + sum_pq b_ipq e_p e_q,   |e_p| <= h_p,   m and h the middle and half of the box

so s_i lies within |grad_i(m)| . h + sum_pq |b_ipq| h_p h_q of s_i(m), for scores that are linear (b = 0) or quadratic.
A cluster that is beaten by two others all over the box, by more than rounding may change, is among the best two of no
point of the tile, and within reach of none: leaving it out changes no bit of what a pass finds. It pays where points
that stand together in the data lie together in space, as the pixels of an image do.
"""

from __future__ import annotations

import numpy as np

from ....base.jit import njit

FEWEST_CLUSTERS = 32  # With fewer, a pass over all of them costs little more than the bounds.
PAYING_SHARE = 2  # Bounds go on while they leave less than one cluster in so many.
ROUNDING = 2.0**-50  # A score and its bounds together err by less, for each coordinate: eight units of rounding.


@njit(cache=True)
def all_clusters(data, k):
    """The list (k,) of all clusters, and room for the bounds of `near_clusters`: value, change, size and gradient."""
    return np.arange(k), np.empty((3 + data[3].size, k))


@njit(cache=True)
def near_clusters(data, prices, reach, points, near, room):
    """Write the clusters that can matter to the tile ``points``, ascending, into ``near``; returns their number.

    These are all that can be among the two largest reduced scores of a point, and every cluster i whose reduced score
    can be less than ``reach[i]`` below the largest. Positive infinity keeps a cluster, negative infinity adds none.
    """
    _, columns, offsets, origin = data
    d, k = origin.size, prices.size
    value, change, size = room[0], room[1], room[2]
    for i in range(k):
        value[i], change[i], size[i] = offsets[i] - prices[i], 0.0, abs(offsets[i]) + abs(prices[i])
    middle, half = np.empty(d), np.empty(d)
    for p in range(d):
        low, high = points[p, 0], points[p, 0]
        for r in range(1, points.shape[1]):
            low, high = min(low, points[p, r]), max(high, points[p, r])
        middle[p], half[p] = (low + high) / 2.0, (high - low) / 2.0 * (1.0 + ROUNDING)
        half[p] += ROUNDING * abs(middle[p])
        gradient, far = room[3 + p], abs(middle[p]) + half[p]
        for i in range(k):
            slope = columns[p, i]
            gradient[i] = slope
            value[i] += slope * middle[p]
            size[i] += abs(slope) * far
    f = d
    for p in range(d if columns.shape[0] > d else 0):
        for q in range(p, d):
            one, two = room[3 + p], room[3 + q]
            product, beside = middle[p] * middle[q], half[p] * half[q]
            far = (abs(middle[p]) + half[p]) * (abs(middle[q]) + half[q])
            for i in range(k):
                bend = columns[f, i]
                one[i] += bend * middle[q]
                two[i] += bend * middle[p]
                value[i] += bend * product
                change[i] += abs(bend) * beside
                size[i] += abs(bend) * far
            f += 1
    for p in range(d):
        gradient = room[3 + p]
        for i in range(k):
            change[i] += abs(gradient[i]) * half[p]
    first, second = -np.inf, -np.inf
    for i in range(k):
        change[i] += ROUNDING * (columns.shape[0] + 8) * size[i]
        lower = value[i] - change[i]
        second = max(second, min(first, lower))
        first = max(first, lower)
    count = 0
    for i in range(k):
        if not value[i] + change[i] < min(second, first - reach[i]):
            near[count] = i
            count += 1
    return count
