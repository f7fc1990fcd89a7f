"""`partitope explore`: a local page, or one HTML file, in which bounds move labels, walls and prices together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import OUTPUT, READING, SEARCH, SIZES, Lower, Seed, Upper, number, option, size_bounds, word

if TYPE_CHECKING:
    from ..explore.answer import State


def explore(
    points: Annotated[
        Path | None, typer.Argument(help="CSV, Parquet or Excel of points; without it an example.", show_default=False)
    ] = None,
    clusters: Annotated[int, number(SIZES, "Number of clusters, 1 to 12.", "--clusters", "-k")] = 3,
    lower: Lower = None,
    upper: Upper = None,
    kind: Annotated[str, word(SEARCH, "Scores: lsa, least squares, or csa, cluster sums.")] = "lsa",
    seed: Seed = 0,
    export: Annotated[
        Path | None,
        option(
            OUTPUT, "Write the page to this HTML file, which needs no server and no network, and stop.", metavar="FILE"
        ),
    ] = None,
    columns: Annotated[
        str | None, option(READING, "The two columns of the table: names or numbers, x,y or 2,3.", metavar="X,Y")
    ] = None,
    article: Annotated[
        bool, option(OUTPUT, "The article that explains the page instead: open it, or export it.", "--article")
    ] = False,
    address: Annotated[
        str | None, option(OUTPUT, "Where the page will be public: links that are copied begin with it.", metavar="URL")
    ] = None,
    port: Annotated[int, number(OUTPUT, "Port on this machine; 0 takes a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, option(OUTPUT, "Open the page in the browser.", "--browser/--no-browser")] = True,
) -> None:
    """Play with points, sites and size bounds, and watch labels, walls, prices and the proof follow.

    partitope explore places.csv -k 4
    partitope explore --export page.html

    The served page asks this library for every number. The exported one computes them itself, by a port of the
    exact method that is tested against the library.
    """
    from ..explore.page import build_article, build_page
    from ..explore.points import example_points, read_points, start_state
    from ..output.terminal import note

    chosen = None if columns is None else [name.strip() for name in columns.split(",")]
    X = example_points(seed) if points is None else read_points(points, chosen, note)
    state = start_state(X, size_bounds(lower, upper, len(X), clusters), kind=kind, seed=seed)
    if export is not None:
        from ..output.files import check_writable, write_atomically

        page = build_article(laboratory=address) if article else build_page(state, address=address)
        write_atomically(check_writable(export, sources=(points,)), page)
        note(f"page: {export}")
        return
    _serve(state, port, browser, address, "article" if article else "")


def _serve(state: State, port: int, browser: bool, address: str | None, path: str) -> None:
    import webbrowser

    from ..explore.server import ExploreServer
    from ..output.terminal import note

    with ExploreServer(state, port, address) as server:
        note(f"{server.url}{path}  (Ctrl-C ends it)")
        if browser:
            webbrowser.open(server.url + path)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            note("closed")
