"""Pages: titles of pictures stay in their panels, figures are read at 390 pixels, paper keeps every column."""

from __future__ import annotations

from itertools import pairwise

import matplotlib as mpl
import pytest
from matplotlib.text import Text

from partitope.output.html_pages import as_html
from partitope.output.report import Picture, Report, Section, Table
from partitope.output.style import STYLE, fit_titles, make_panels, svg_text


@pytest.mark.parametrize("count", [2, 3, 4])
def test_titles_do_not_run_into_each_other(count):
    with mpl.rc_context(STYLE):
        figure, panels = make_panels(count, 2.3)
        for number, ax in enumerate(panels):
            ax.set_title(f"a-method-{number} of some length (smaller is better)")
        fit_titles(figure)
        figure.draw_without_rendering()
    titles = [next(t for t in ax.get_children() if isinstance(t, Text) and "method" in t.get_text()) for ax in panels]
    boxes = [title.get_window_extent() for title in titles]
    assert all(one.x1 <= other.x0 for one, other in pairwise(boxes))
    assert all(" ".join(title.get_text().split()).endswith("of some length (smaller is better)") for title in titles)


def _page(tmp_path):
    wide, small = (svg_text(make_panels(4, 2.3, width=width)[0]) for width in (9.6, 5.0))
    names = [f"long column {place}" for place in range(16)]
    rows = [[f"row {number}", *[123456.789 + number] * 14, "words in the last column, a few"] for number in range(5)]
    pictures = [Picture(lambda: wide, "A picture."), Picture(lambda: small, "Another.")]
    sections = [Section("S", pictures=pictures, tables=[Table("A table.", names, rows)])]
    path = tmp_path / "page.html"
    path.write_text(as_html(Report("Title", "Lead.", [], sections)), encoding="utf-8")
    return path


@pytest.mark.browser
def test_pages_on_small_screens_and_on_paper(browser, tmp_path):
    with browser.new_context(viewport={"width": 390, "height": 800}) as context:
        page = context.new_page()
        page.goto(_page(tmp_path).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        widths = page.evaluate("[...document.querySelectorAll('figure img')].map(e => e.clientWidth)")
        assert widths == [pytest.approx(96 * width, abs=1) for width in (9.6, 5.0)]  # letters as drawn, by scrolling
        ground = "getComputedStyle(document.documentElement).backgroundColor"
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(ground) == "rgb(23, 24, 27)"
        page.emulate_media(media="print")
        assert page.evaluate(ground) == "rgb(255, 255, 255)"
        page.set_viewport_size({"width": 660, "height": 1000})  # A4 between its margins, at 96 pixels an inch
        assert (
            page.evaluate(
                "Math.max(...[...document.querySelectorAll('td, th, img')].map(e => e.getBoundingClientRect().right))"
            )
            <= 660
        )
