"""The bars of the front page: processor seconds of the codes on one instance, as SVG that follows light and dark."""

from __future__ import annotations

from .case import OURS
from .other_codes_text import NAMES, Done

SHOWN = {
    "fit_30162_30": "balanced k-means, 30 162 points, 30 clusters of sizes within 10 %",
    "step_30162_30": "one exact assignment of such points, within 20 %",
}
"""Cases, and what stands above their bars."""
COLUMN, BAR = 262, 460  # where bars begin, and the longest
STYLE = """
text { font: 15px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--ink) }
.head { font-weight: 600 } .end { text-anchor: end }
svg { --ink: #1f2328; --paper: #ffffff; --other: #b6bfc9; --ours: #0072b2 }
@media (prefers-color-scheme: dark) { svg { --ink: #f0f6fc; --paper: #0d1117; --other: #59636e; --ours: #56b4e9 } }
""".strip()


def bars_svg(done: Done) -> str:
    """Bars of the cases in `SHOWN` that are done, each group on a scale of its own; ours first, then the fastest."""
    parts, y = [], 12
    for result in sorted((one for one in done if one["case"]["name"] in SHOWN), key=lambda one: one["case"]["kind"]):
        taken = {peer: one["cpu"] for peer, one in result["peers"].items() if peer != "argmax"}
        parts.append(f'<text x="16" y="{y + 22}" class="head">{SHOWN[result["case"]["name"]]}</text>')
        y += 34
        for peer in sorted(taken, key=lambda peer: (peer not in OURS, taken[peer])):
            width = max(BAR * taken[peer] / max(taken.values()), 1.5)
            name, colour = NAMES[peer].replace(" (no bounds)", ", no bounds"), "ours" if peer in OURS else "other"
            parts.append(f'<text x="{COLUMN - 10}" y="{y + 17}" class="end">{name}</text>'
                         f'<rect x="{COLUMN}" y="{y + 2}" width="{width:.1f}" height="20" fill="var(--{colour})"/>'
                         f'<text x="{COLUMN + width + 8:.1f}" y="{y + 17}">{taken[peer]:.2g} s</text>')  # fmt: skip
            y += 27
        y += 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {y}" role="img" aria-label="Processor seconds">'
        f'<style>{STYLE}</style><rect width="800" height="{y}" rx="8" fill="var(--paper)"/>{"".join(parts)}</svg>\n'
    )
