"""The moving picture of the front page: size bounds tighten, prices rise, boundaries move.

``python docs/moving_picture.py`` writes ``images/walls-and-prices.svg`` next to this file: one file without scripts,
that follows light and dark of its reader, and does not move where motion is not wanted. Every step is one exact
assignment of 200 points to four sites that do not move; between two steps the prices are interpolated.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram
from partitope.models.diagram.picture import cell_polygons
from partitope.solvers import solve

PLACE = Path(__file__).resolve().parent / "images" / "walls-and-prices.svg"
GROUPS = [((2.6, 5.2), 0.95, 90), ((6.6, 6.0), 0.85, 56), ((3.6, 1.9), 0.7, 34), ((7.6, 2.2), 0.65, 20)]
SLACKS = range(40, -1, -1)
BETWEEN = 3  # frames from one step to the next
BOX = (-0.4, 10.2, -0.45, 8.75)
MAP = (16, 16, 498, 414)  # left, top, width and height of the map
COLOURS = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
SECONDS = 14.0
STYLE = """
text { font: 15px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--ink) }
.small { font-size: 13px; fill: var(--soft) } .head { font-size: 17px; font-weight: 600 } .end { text-anchor: end }
svg { --ink: #1f2328; --soft: #59636e; --paper: #ffffff; --line: #1f2328; --track: #eaeef2 }
@media (prefers-color-scheme: dark) {
  svg { --ink: #f0f6fc; --soft: #9fb0c0; --paper: #0d1117; --line: #d1d9e0; --track: #262c36 }
}
.still { display: none }
@media (prefers-reduced-motion: reduce) { .still { display: inline } .moving { display: none } }
""".strip()


@dataclass(frozen=True)
class Step:
    """An exact assignment within sizes of 50 - slack to 50 + slack, the prices (k,) that prove it, and both values."""

    slack: int
    labels: NDArray[np.int64]
    prices: NDArray[np.float64]
    cost: float
    proved: float


def points() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points (200, 2) of four groups of different size, and sites (4, 2) in their middles."""
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(centre, spread, (size, 2)) for centre, spread, size in GROUPS])
    return X, np.array([centre for centre, _, _ in GROUPS])


def steps() -> list[Step]:
    """One exact assignment for every slack, each verified."""
    (X, sites), made = points(), []
    for slack in SLACKS:
        polytope = PartitionPolytope(len(X), lower=50 - slack, upper=50 + slack, n_clusters=4)
        solution = solve(AssignmentModel.lsa(X, sites, polytope))
        certificate = solution.verify()
        if not certificate.verified:
            raise ValueError(f"the step with slack {slack} is not verified")
        cost = float(((X - sites[solution.labels]) ** 2).sum())
        missing = certificate.dual_objective - certificate.primal_objective
        # with all sizes fixed a constant may be added to all prices: without it none would be near zero
        prices = solution.prices - (np.median(solution.prices) if slack == 0 else 0.0)
        made.append(Step(slack, solution.labels, prices, cost, cost - missing))
    return made


class Film:
    """Elements with a value for every frame; only changes are written."""

    def __init__(self, frames: list[int], times: list[float]) -> None:
        self.frames, self.times = frames, times  # frame shown from each time on, as a share of the whole

    def element(self, tag: str, fixed: dict[str, Any], moving: dict[str, list[str]], still: int | None) -> str:
        """One element; with a ``still`` frame it has the values of that frame and does not move."""
        inside = ""
        first = 0 if still is None else still
        attributes = {**fixed, **{name: values[first] for name, values in moving.items()}}
        for name, values in moving.items():
            shown, changes = [values[f] for f in self.frames], [0]
            changes += [t for t in range(1, len(shown)) if shown[t] != shown[t - 1]]
            if len(changes) > 1 and still is None:
                inside += (
                    f'<animate attributeName="{name}" calcMode="discrete" dur="{SECONDS:g}s" repeatCount="indefinite" '
                    f'values="{";".join(shown[t] for t in changes)}" '
                    f'keyTimes="{";".join(f"{self.times[t]:.4f}".rstrip("0").rstrip(".") for t in changes)}"/>'
                )
        said = " ".join(f'{name}="{value}"' for name, value in attributes.items())
        return f"<{tag} {said}>{inside}</{tag}>"

    def text(self, x: float, y: float, kind: str, words: list[str], still: int | None) -> str:
        """A line of text that changes: one element for every text, of which one is seen."""
        if still is not None:
            return f'<text x="{x}" y="{y}" class="{kind}">{words[still]}</text>'
        parts = []
        for said in dict.fromkeys(words[f] for f in self.frames):
            seen = ["visible" if word == said else "hidden" for word in words]
            element = self.element("text", {"x": x, "y": y, "class": kind}, {"visibility": seen}, None)
            parts.append(element.replace(">", f">{said}", 1))
        return "".join(parts)


def film(count: int) -> Film:
    """A second of rest, eight of tightening, three of rest, two back."""
    forth, back = list(range(count)), list(range(count - 1, 0, -4))
    times = [0.0, *(1.0 + 8.0 * f / count for f in forth[1:]), *(12.0 + 2.0 * b / len(back) for b in range(len(back)))]
    return Film([*forth, *back], [t / SECONDS for t in times])


def picture() -> str:
    """The picture as SVG text."""
    (X, sites), made = points(), steps()
    at = np.minimum(np.arange((len(made) - 1) * BETWEEN + 1) / BETWEEN, len(made) - 1)
    step = np.floor(at).astype(int)
    prices = np.array([np.interp(at, np.arange(len(made)), [s.prices[i] for s in made]) for i in range(4)]).T
    cells = [cell_polygons(PowerDiagram(sites, price, "lsa").reduced, BOX) for price in prices]
    whole = film(len(at))
    words = [made[s] for s in step]
    sizes = np.array([np.bincount(w.labels, minlength=4) for w in words])

    def drawn(still: int | None) -> str:
        edge = {"fill-opacity": 0.2, "stroke": "var(--line)", "stroke-width": 1.6}
        parts = [
            whole.element("path", {"fill": colour, **edge}, {"d": [_path(cell[i]) for cell in cells]}, still)
            for i, colour in enumerate(COLOURS)
        ]
        for (x, y), labels in zip(_place(X), np.array([w.labels for w in words]).T):
            disc = {"cx": x, "cy": y, "r": 3.6, "stroke": "var(--paper)", "stroke-width": 0.7}
            parts.append(whole.element("circle", disc, {"fill": [COLOURS[i] for i in labels]}, still))
        for i, (x, y) in enumerate(_place(sites)):
            for colour, wide in (("paper", 7), ("ink", 3)):
                cross = f"M{x - 7} {y}h14M{x} {y - 7}v14"
                parts.append(f'<path d="{cross}" stroke="var(--{colour})" stroke-width="{wide}"/>')
            parts += _rows(whole, i, sizes[:, i], prices[:, i], still)
        low, high = ([str(_size(50 + sign * w.slack)) for w in words] for sign in (-1, 1))
        for edge in (low, high):
            ends = {"y1": 70, "y2": 190, "stroke": "var(--ink)", "stroke-width": 2, "stroke-dasharray": "5 3"}
            parts.append(whole.element("line", ends, {"x1": edge, "x2": edge}, still))
        allowed = [f"{50 - w.slack} to {50 + w.slack}" if w.slack else "exactly 50" for w in words]
        said = [f"every cluster: {sizes} points" for sizes in allowed]
        parts.append(whole.text(540, 42, "head", said, still))
        parts.append(whole.text(870, 394, "end", [f"{w.cost:.2f}" for w in words], still))
        parts.append(whole.text(870, 417, "end", [f"{w.proved:.2f}" for w in words], still))
        return "".join(parts)

    title = "Four clusters of 90, 56, 34 and 20 points whose size bounds tighten until each holds exactly 50"
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 890 446" role="img" aria-label="' + title + '">'
        f"<title>{title}: prices rise and fall, boundaries move, and at every step the sum of squares equals the bound "
        f"that the prices prove.</title><style>{STYLE}</style>"
        '<rect width="890" height="446" rx="8" fill="var(--paper)"/>'
        '<text x="540" y="218" class="small">price of each bound: the gain if it moves by one</text>'
        '<text x="540" y="394">sum of squares</text><text x="540" y="417">proved by the prices: at least</text>'
        f'<g class="moving">{drawn(None)}</g><g class="still">{drawn(len(at) - 1)}</g></svg>\n'
    )


def _rows(whole: Film, i: int, sizes: NDArray[np.int64], prices: NDArray[np.float64], still: int | None) -> list[str]:
    """Bars and numbers of one cluster: its size (frames,) above, the price of its bounds (frames,) below."""
    y, z, colour, middle = 74 + 29 * i, 232 + 33 * i, COLOURS[i], 684
    width = [f"{max(abs(price) * 10.5, 0.5):.0f}" for price in prices]
    left = [str(middle - int(w) if price < 0 else middle) for w, price in zip(width, prices)]
    return [
        f'<rect x="540" y="{y}" width="280" height="22" fill="var(--track)"/>',
        whole.element(
            "rect",
            {"x": 540, "y": y, "height": 22, "fill": colour},
            {"width": [str(_size(s) - 540) for s in sizes]},
            still,
        ),
        whole.text(870, y + 17, "end", [str(s) for s in sizes], still),
        f'<rect x="540" y="{z}" width="280" height="22" fill="var(--track)"/>',
        whole.element("rect", {"y": z, "height": 22, "fill": colour}, {"x": left, "width": width}, still),
        f'<path d="M{middle} {z - 3}v28" stroke="var(--ink)" stroke-width="1.5"/>',
        whole.text(870, z + 17, "end", [_price(price) for price in prices], still),
    ]


def _price(price: float) -> str:
    """One decimal with its sign."""
    return f"{price:+.1f}".replace("-", "\u2212") if abs(price) >= 0.05 else "0"


def _place(at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places (m, 2) on the map in units of the picture."""
    (left, right, bottom, top), (x, y, width, height) = BOX, MAP
    return np.round(np.column_stack([x + (at[:, 0] - left) / (right - left) * width,
                                     y + (top - at[:, 1]) / (top - bottom) * height]), 1)  # fmt: skip


def _path(corners: NDArray[np.float64]) -> str:
    """A closed path through corners (v, 2)."""
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in _place(corners)) + "Z" if len(corners) else "M0 0"


def _size(size: float) -> int:
    """Where the bar of a size ends."""
    return round(540 + 2.8 * size)


if __name__ == "__main__":
    PLACE.write_text(picture(), encoding="utf-8")
