"""Performance profiles: on which share of the instances is a solver within a factor tau of the fastest?

    r_ps = t_ps / min_s t_ps   (infinite when s does not solve p),     rho_s(tau) = share of p with r_ps <= tau

rho_s(1) is the share of instances on which s is the fastest, the limit for large tau the share that it solves.

Reference: Dolan and More, Benchmarking optimization software with performance profiles, Math. Prog. 91 (2002).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partitope.base.errors import InvalidInputError


def performance_profile(times: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Steps of the profile of every solver.

    Parameters
    ----------
    times : (p, s) array_like
        Seconds of every solver on every instance; infinite or nan where it failed.

    Returns
    -------
    tau : (m,) ndarray
        Factors at which some profile steps, ascending from 1.
    rho : (m, s) ndarray
        Shares at those factors. Instances that no solver solves count for all as not solved.

    Raises
    ------
    InvalidInputError
        When times is no matrix, or holds a number that is not positive.
    """
    t = np.array(times, dtype=np.float64)
    if t.ndim != 2 or not t.size:
        raise InvalidInputError(f"times has shape {t.shape}, expected (n_instances, n_solvers)")
    t[np.isnan(t)] = np.inf
    if (t <= 0).any():
        raise InvalidInputError("times holds numbers that are not positive: pass seconds, infinite for failures")
    best = t.min(axis=1, keepdims=True)
    ratio = np.where(np.isfinite(t), t / np.where(np.isfinite(best), best, 1.0), np.inf)
    tau = np.unique(np.concatenate([[1.0], ratio[np.isfinite(ratio)]]))
    rho = (ratio[:, None, :] <= tau[None, :, None]).mean(axis=0)
    return tau, rho
