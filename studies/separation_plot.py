"""The pictures of a CAC run: separation of the classes and objective, round by round, for several alpha."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from partitope.base.checks import as_number, finite_numbers, instance_of, same_length
from partitope.base.errors import InvalidInputError
from partitope.output.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def plot_separation(
    histories: Mapping[float, Mapping[str, ArrayLike]], axes: Sequence[Axes] | None = None
) -> Sequence[Axes]:
    """Draw S and phi per round, one line an alpha.

    Parameters
    ----------
    histories : mapping of float to mapping
        ``alpha -> partition.history`` with the columns "S" and "objective".
    axes : two Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    axes : two Axes
        S on the left as a multiple of its start, phi on the right as its fall in per cent of the scatter at the start.

    Raises
    ------
    InvalidInputError
        When there is no history, a column is missing or no series of numbers, or there are not two axes.

    References
    ----------
    Srivastava et al.: Don't Just Divide; Polarize and Conquer!, Figure 3.
    """
    from matplotlib.ticker import MaxNLocator

    instance_of(histories, "histories", Mapping, "pass {alpha: partition.history}")
    if not histories:
        raise InvalidInputError("histories is empty: pass {alpha: partition.history}")
    for alpha, history in histories.items():
        if np.isnan(as_number(alpha)) or not hasattr(history, "keys"):
            raise InvalidInputError(f"histories[{alpha!r}] is not usable: pass {{alpha: partition.history}}")
        for column in ("S", "D", "objective"):
            if column not in history:
                raise InvalidInputError(f"the history of alpha={alpha} has no column {column!r}: pass those of CAC")
    if axes is None:
        import matplotlib.pyplot as plt

        _, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    pair = list(axes) if np.iterable(axes) else []
    if len(pair) != 2 or not all(hasattr(axis, "plot") for axis in pair):
        raise InvalidInputError(f"axes={axes!r} is not usable: pass two Axes")
    left, right = pair
    for position, (alpha, history) in enumerate(sorted(histories.items())):
        S, D, phi = (finite_numbers(history[name], name) for name in ("S", "D", "objective"))
        rounds, label = np.arange(same_length(S=S, D=D, objective=phi)), f"α = {alpha:g}"
        look: dict[str, Any] = {"color": COLOURS[position % len(COLOURS)], "marker": MARKERS[position % len(MARKERS)]}
        left.plot(rounds, S / S[0] if S[0] > 0 else S, label=label, **look)
        right.plot(rounds, 100.0 * (phi - phi[0]) / D[0], label=label, **look)
    left.set(xlabel="round", ylabel="S / S at the start", title="Class separation within the clusters")
    right.set(xlabel="round", ylabel="change of φ, % of D at the start", title="Objective φ = D − α S")
    for axis in pair:
        axis.grid(alpha=0.3)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    left.legend(frameon=False)
    return axes
