"""Sentences of notebooks and pages are true: what they say is computed, and every number in them is accounted for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = {script.stem: script for script in sorted((ROOT / "notebooks" / "scripts").glob("*.py"))}

# Numbers in the prose that are no claims: what an exercise sets, a name, or a definition.
GIVEN = {
    "01": ["12 points into 3 clusters of 3 to 5 points", "point 0 in cluster 1 and point 1 in cluster 0",
           "Let cluster 0 hold", "rows of point 0, of cluster 0 and", "clusters of weight 7.5 each"],
    "02": ["With sizes between 38 and 42", "Add 5 to all prices", "the common upper bound step by step from 120 to 40",
           "the price of cluster 0 against", "from 120 down to 40"],
    "03": ["4.1.17 and 4.3.5", "to 3. Keep these values", "the sizes 1 and 2 as well as 2 and 1"],
    "04": ["best of the 60 walks", "Loosen the bounds to 0 and 10"],
    "05": ["in notebook 2"],
    "06": ["Notebook 7", "from 0.5 to 0.3"],
    "07": ["that of notebook 6", "with probability 0.8", "only 300 of the test rows", "rejected at 5 %"],
    "08": ["Customer 0 insists on territory 3", "more than 6 away"],
    "09": [],
}  # fmt: skip


def prose_of(name: str) -> str:
    """All markdown of a notebook in one line, without the code of its solutions."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return " ".join(re.sub(r"```python\n.*?```", " ", text, flags=re.S).split())


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_notebook_runs_its_checks_know_solutions_and_its_prose_says_what_the_data_say(name, executed):
    """One test, so that a notebook runs once whatever the number of workers."""
    claims, before, after = executed(name)
    for number, (open_, solved) in enumerate(zip(before, after, strict=True), 1):
        assert re.fullmatch(rf"Exercise {number}: (?!right).+\.\n", open_), open_
        assert solved == f"Exercise {number}: right.\n"
    rest = prose = prose_of(name)
    assert [said for said in claims.values() if said not in prose] == []
    assert [given for given in GIVEN[name[:2]] if given not in prose] == []
    for said in [*claims.values(), *GIVEN[name[:2]]]:
        rest = rest.replace(said, " ")
    rest = re.sub(r"\*\*Time\.\*\*.*?(?=\*\*Question\.)", " ", rest)  # minutes and what comes before
    rest = re.sub(r"\$\$.*?\$\$|\$.*?\$|`.*?`|^# \d+ ·|\*\*\d\.\*\*", " ", rest)
    assert re.findall(r".{0,40}\d.{0,40}", rest) == []  # every number is computed or given


# Pages of the site


def page(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_statistics_page_normal_or_exact():
    from studies.simulations.value_test import simulate_value_test

    text, table = page("docs/statistics.md"), simulate_value_test(n_simulations=1000).table
    normal, exact = table[table.method == "normal"], table[table.method == "exact"]
    worst = normal[(normal.limit == 0.01) & (normal.n_test == 20)].expected.item()
    assert (
        f"At a limit of 1 % and 20 test points the normal version rejects a true hypothesis in {100 * worst:.0f} %"
        in text
    )
    assert 0.4 < (normal.expected > 0.05 + 1e-12).mean() < 0.5
    assert "exceeds its level in almost half of the cells of the picture. The exact version never does." in text
    assert (exact.expected <= 0.05 + 1e-12).all()
    wide = normal[normal.n_test * normal.p * (1 - normal.p) >= 9]
    assert f"both can be used; the normal version still reaches {100 * wide.expected.max():.0f} %" in text


def test_statistics_page_power():
    from partitope.stats import power_analysis

    text = page("docs/statistics.md")
    (arguments,) = re.findall(r"power_analysis\((\[.*?\]), n_test=(\[.*?\])\)", text)
    values, n_test = (json.loads(numbers) for numbers in arguments)
    last = power_analysis(values, n_test=n_test).table.iloc[-1]
    assert (
        f"The last cluster of the example above has {n_test[-1]} test points and would need {last.n_both:.0f}. Its "
        f"power is {100 * last.power_both:.0f} %"
    ) in text


def test_front_page_example_prints_what_it_says(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n((?:(?!```).)*)```\n\n((?:    [^\n]*\n)+)", text, flags=re.S)
    assert examples
    for example, said in examples:
        exec(example, {})
        assert capsys.readouterr().out.split() == said.split()


def test_how_to_bound():
    text = (ROOT / "docs" / "how-to.md").read_text(encoding="utf-8")
    (example,) = (code for code in re.findall(r"```python\n(.*?)```", text, flags=re.S) if "solve_global" in code)
    from partitope.models import PartitionPolytope

    context: dict = {"PartitionPolytope": PartitionPolytope}
    exec(example, context)
    bound = context["partition"].bound
    lower, upper, proof = re.findall(r"Bound\(lower=([\d.]+)\.\.\., upper=([\d.]+)\.\.\., proof='(.*?)'\)", example)[0]
    assert (int(bound.lower * 1000) / 1000, int(bound.upper * 1000) / 1000) == (float(lower), float(upper))
    assert bound.proof == proof


def test_engine_page_against_the_scores_alone():
    cases = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))["cases"]

    def ratio(name: str) -> float:
        peers = cases[name]["peers"]
        return peers["transport"]["cpu"] / peers["argmax"]["cpu"]

    text = page("docs/engine-figures.md")
    found = re.search(r"takes ([\d.]+) times the processor seconds of NumPy's scores and arg-max", text)
    assert found and float(found[1]) == round(ratio("step_1000000_10"), 1)
    found = re.search(r"with ten million points in four dimensions ([\d.]+) times", text)
    assert found and float(found[1]) == round(ratio("step_10000000_10"), 1)
