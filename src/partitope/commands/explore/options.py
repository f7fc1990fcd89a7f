"""`partitope explore`: one HTML file in which bounds move labels, boundaries and prices together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...base.errors import InvalidInputError
from ..options import OUTPUT, READING, SEARCH, SIZES, Bounds, Seed, bundled, number, option, refuse_others, word
from ..tables import FileReading


@bundled
def explore(
    context: typer.Context,
    points: Annotated[
        Path | None, typer.Argument(help="CSV, Parquet or Excel of points; without it an example.", show_default=False)
    ] = None,
    clusters: Annotated[int, number(SIZES, "Number of clusters, 1 to 12.", "--clusters", "-k")] = 3,
    *,
    sizes: Bounds,
    kind: Annotated[str, word(SEARCH, "Scores: lsa, least squares, or csa, cluster sums.")] = "lsa",
    seed: Seed = 0,
    export: Annotated[
        Path | None,
        option(OUTPUT, "Write the page to this HTML file instead of opening it.", metavar="FILE"),
    ] = None,
    columns: Annotated[
        str | None, option(READING, "The two columns of the table: names or numbers, x,y or 2,3.", metavar="X,Y")
    ] = None,
    reading: FileReading,
    article: Annotated[
        bool, option(OUTPUT, "The article that explains the page instead: open it, or export it.", "--article")
    ] = False,
    address: Annotated[
        str | None, option(OUTPUT, "Where the page will be public: links that are copied begin with it.", metavar="URL")
    ] = None,
    browser: Annotated[bool, option(OUTPUT, "Open the page in the browser.", "--browser/--no-browser")] = True,
) -> None:
    """Play with points, sites and size bounds, and watch labels, boundaries, prices and the proof follow.

    partitope explore places.csv -k 4
    partitope explore --export page.html

    The page needs no server and no network: it computes everything by a port of the exact method that is tested against
    the library. Without --export it is written to explore.html, the article to explore-article.html, and opened.
    """
    import webbrowser

    from ...output.files import check_writable, write_atomically, write_together
    from ...output.terminal import note
    from .page import build_article, build_page
    from .points import example_points, read_points, start_state

    if article and export is not None:
        refuse_others(context, "--article with --export", read={"article", "export", "address", "browser"})
    # two pages here and not among temporary files, which some browsers may not read
    names = [str(export)] if export is not None else ["explore.html", "explore-article.html"]
    pages = [check_writable(name, sources=(points,)) for name in names]
    if points is None:
        reading.refuse_without_table()
        if columns is not None:
            raise InvalidInputError(f"--columns {columns} was given without a table: name the file to read")
    chosen = None if columns is None else [name.strip() for name in columns.split(",")]
    X = example_points(seed) if points is None else read_points(points, chosen, note, **reading.file_options)
    state = start_state(X, sizes.on(len(X), clusters), kind=kind, seed=seed)
    if export is not None:
        page = build_article(laboratory=address) if article else build_page(state, address=address)
        write_atomically(pages[0], page)
        note(f"page: {export}")
        return
    texts = build_page(state, address=address, article=names[1]), build_article(laboratory=names[0])
    write_together(dict(zip(pages, texts)))
    note(f"pages: {' and '.join(names)}")
    if browser:
        webbrowser.open(Path(names[article]).absolute().as_uri())
