"""What the pages of the site show as code runs: the tutorial in order, the how-to in one context, the gallery."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import pytest
from matplotlib import pyplot as plt

from partitope.solvers import STRATEGIES

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS))
import course_pages  # type: ignore[import-not-found]  # noqa: E402
import reference_pages  # type: ignore[import-not-found]  # noqa: E402
from gallery_pages import FOLDER, GROUPS, Example  # type: ignore[import-not-found]  # noqa: E402

sys.path.remove(str(DOCS))


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), flags=re.M | re.S)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_tutorial_runs_in_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    context: dict = {}
    for code in blocks("tutorial.md"):
        exec(code, context)
    said = capsys.readouterr().out
    assert "step" in said.split()
    assert "sum(lower)=180 exceeds n_points=150: lower the bounds by 30 in all" in said
    assert (tmp_path / "cells.png").stat().st_size > 10_000
    assert float(said.split()[-1]) > 0.85


def test_page_of_statements_runs_in_order(capsys):
    context: dict = {}
    for code in blocks("state-your-problem.md"):
        exec(code, context)
    said = capsys.readouterr().out
    assert said.startswith("[30 30 30 30]")
    assert "25.0 units and weights of the points" in said
    assert "[1 0 2 0] 11.0 True" in said
    assert "not optimal, better by" in said
    assert context["fair"].partition_.violation == 0.0
    assert context["depots"].contains(context["opened"].labels)
    assert context["town"].together(context["family"]).contains(context["families"].labels_)
    assert context["town"].apart(context["rivals"]).contains(context["apart"].labels_)
    assert context["mixed"].contains(context["classes"].labels_)
    assert context["classes"].partition_.certificate.whole


def test_local_models_page_runs(capsys):
    context: dict = {}
    for code in blocks("strategies.md"):
        exec(code, context)
    regimes, cells, *_, last = capsys.readouterr().out.strip().splitlines()
    assert "step" in regimes
    alone, together = map(float, cells.split())
    assert 0.3 < alone < 0.7
    assert together > 0.9
    assert float(last) > 0.9
    assert context["search"].best_candidate_.n_clusters > 1


def test_how_to_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for table in ("entries", "_registered"):  # what the page registers is forgotten afterwards
        monkeypatch.setattr(STRATEGIES, table, dict(getattr(STRATEGIES, table)))
    context: dict = {}
    for code in blocks("how-to.md"):
        exec(code, context)
    assert context["checked"].objective == pytest.approx(context["solution"].objective)
    assert (tmp_path / "program.lp").exists()
    assert context["partition"].bound.lower <= context["partition"].objective


@pytest.mark.parametrize("page", ["index.md", "k-means-constrained.md", "models.md"])
def test_page_runs(page, capsys):
    context: dict = {}
    for code in blocks(page):
        exec(code, context)
    if page == "models.md":
        said = re.findall(r"```text\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), flags=re.S)
        assert capsys.readouterr().out == "".join(said)


def test_statistics_page_runs():
    context: dict = {}
    for code in blocks("statistics.md"):
        exec(code, context)
    assert context["result"].table["p_upper"].between(0, 1).all()


EXAMPLES = [name for names in GROUPS.values() for name in names.split()]
SAID = {  # what the words above an example say, in what it prints
    "bounds_that_clash": r"lower the bounds by 10 in all",
    "certificate": r"verified: True\nlargest loss at the prices (\d\.\de-1\d|0\.0e\+00)",
    "exchange_cycle": r"afterwards a cycle: False",
    "links": r"sizes \[(18|19|20|21|22), ",
    "local_models": r"four cells: 0\.9",
    "solvers_agree": r"(.*verified True\n?){5}",
}


def test_every_script_of_the_gallery_has_its_place():
    assert 20 <= len(EXAMPLES) <= 26  # the best, not all
    assert sorted(EXAMPLES) == sorted(script.stem for script in FOLDER.glob("*.py"))
    assert len({Example.read(name).title for name in EXAMPLES}) == len(EXAMPLES)
    for name in EXAMPLES:
        lines = (FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()
        assert 15 <= len(lines) <= 50, name


@pytest.mark.parametrize("name", EXAMPLES)
def test_gallery_draws(name):
    printed, (figure, *_) = Example.read(name).run()
    assert re.search(SAID.get(name, ""), printed, flags=re.M), printed
    assert figure.axes
    assert all(ax.has_data() or ax.patches or ax.images or not ax.axison for ax in figure.axes)


def test_every_place_that_the_page_of_the_house_names_is_there():
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    places = {place for place in re.findall(r"`([\w/]+(?:\.py|/))`", page) if "/" in place}
    assert len(places) > 25
    assert [place for place in sorted(places) if not (DOCS.parent / place).exists()] == []


@pytest.mark.parametrize("package", reference_pages.GROUPS)
def test_reference_has_every_public_name_once(package):
    listed = [name for names in reference_pages.GROUPS[package].values() for name in names.split()]
    assert sorted(name for name in listed if "." not in name) == sorted(
        importlib.import_module(f"partitope.{package}").__all__
    )


def test_blanks_of_the_paper_proofs_hide_what_is_folded_at_the_end():
    ((_, page),) = course_pages.proofs()
    blanks, _, folded = page.partition("<details")
    assert blanks.count('class="blank"') == len(re.findall(r"^\d+\. \S", folded, flags=re.M)) > 30
    assert "[[" not in page and "]]" not in page
    assert len(re.findall(r"^## \d\. ", blanks, flags=re.M)) == 7


def test_slides_show_questions_and_pictures_without_solutions():
    pytest.importorskip("pymdownx", reason="the extensions of the site's Markdown are not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    notebook = nbformat.read(DOCS.parent / "notebooks" / "02_dual_to_power_diagram.ipynb", as_version=4)
    page = course_pages.slides(notebook, "A title", lambda content: content)
    assert page.count("<section") == 9
    assert page.count("data:image/png") == 1
    assert "Solution" not in page
    assert "Complementary slackness" in page
