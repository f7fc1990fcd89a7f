"""`partitope explore`: a local page, or one HTML file, in which bounds move labels, walls and prices together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Lower, Seed, Upper, size_bounds

if TYPE_CHECKING:
    from ..explore.answer import State


def explore(
    points: Annotated[
        Path | None, typer.Argument(help="Text file of two columns; without it an example.", show_default=False)
    ] = None,
    clusters: Annotated[int, typer.Option("--clusters", "-k", help="Number of clusters, 1 to 8.")] = 3,
    lower: Lower = None,
    upper: Upper = None,
    kind: Annotated[str, typer.Option(help="Scores: 'lsa' (least squares) or 'csa' (cluster sums).")] = "lsa",
    seed: Seed = 0,
    export: Annotated[
        Path | None,
        typer.Option(help="Write the page to this HTML file, which needs no server and no network, and stop."),
    ] = None,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
) -> None:
    """Play with points, sites and size bounds, and watch labels, walls, prices and the proof follow.

    The served page asks this library for every number. The exported one computes them itself, by a port of the
    exact method that is tested against the library.
    """
    from ..explore.page import build_page, example_points, read_points, start_state
    from ..output.terminal import note

    X = example_points(seed) if points is None else read_points(points)
    state = start_state(X, size_bounds(lower, upper, len(X), clusters), kind=kind, seed=seed)
    if export is not None:
        from ..output.files import check_writable, write_atomically

        write_atomically(check_writable(export, sources=(points,)), build_page(state))
        note(f"page: {export}")
        return
    _serve(state, port, browser)


def _serve(state: State, port: int, browser: bool) -> None:
    import webbrowser

    from ..explore.server import ExploreServer
    from ..output.terminal import note

    with ExploreServer(state, port) as server:
        note(f"{server.url}  (Ctrl-C ends it)")
        if browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            note("closed")
