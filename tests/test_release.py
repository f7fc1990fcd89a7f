"""What is written twice agrees: version, Python versions, dependencies, in package, recipe, citation and workflows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import partitope

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # without a desktop's toolkit


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def python_versions() -> list[str]:
    found = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in PROJECT["classifiers"])
    return [match[1] for match in found if match]


def test_the_version_stands_once_and_is_quoted_rightly():
    assert "version" in PROJECT["dynamic"]
    assert "version" not in PROJECT
    assert re.findall(r"^version: (\S+)$", text("CITATION.cff"), re.M) == [partitope.__version__]
    assert re.findall(r'^  version: "(\S+)"$', text("recipe/recipe.yaml"), re.M) == [partitope.__version__]


def test_the_changelog_begins_with_this_version_or_with_what_is_unreleased():
    heads = re.findall(r"^## (.+)$", text("CHANGELOG.md"), re.M)
    kinds = set(re.findall(r"^### (.+)$", text("CHANGELOG.md"), re.M))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    released = [head for head in heads if head != "Unreleased"]
    assert heads[0] in ("Unreleased", released[0])
    version, _, date = released[0].partition(" - ")
    assert version == partitope.__version__
    assert date == "unreleased" or re.fullmatch(r"\d{4}-\d\d-\d\d", date)


def test_the_workflow_runs_every_python_that_is_promised():
    workflow, promised = text(".github/workflows/ci.yml"), python_versions()
    assert PROJECT["requires-python"] == f">={promised[0]}"
    matrix = re.search(r"python: \[(.*)\]", workflow)[1]
    assert re.findall(r'"(3\.\d+)"', matrix) == promised
    on_linux = re.search(r"python-version: \|\n((?:\s+3\.\d+\n)+)", workflow)[1].split()
    assert sorted(on_linux) == promised
    assert on_linux[-1] == promised[0]  # the last is the default: the oldest runs everything


def test_what_the_workflows_call_is_there_and_actions_are_pinned():
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        words = workflow.read_text(encoding="utf-8")
        for script in re.findall(r"(?:run: |^ +)(\.ci/\S+)", words, re.M):
            assert (ROOT / script).stat().st_mode & 0o100, script
        for used in re.findall(r"uses: (.*)", words):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", used), used
    assert ".ci/run" in text(".github/workflows/ci.yml")
    assert ".ci/distributions" in text(".ci/run")


def test_the_recipe_needs_what_the_package_needs():
    section = text("recipe/recipe.yaml").split("  run:\n", 1)[1].split("\n\n", 1)[0]
    recipe = dict(line.strip("- ").split(" ", 1) for line in section.splitlines())
    needed = {"python": PROJECT["requires-python"]}
    for requirement in PROJECT["dependencies"]:
        name, lower = re.fullmatch(r"([\w-]+)(>=[\d.,<!=]+)", requirement).groups()
        needed[CONDA_NAMES.get(name, name)] = lower
    assert recipe == needed


def test_the_neighbours_are_described_with_the_version_that_was_looked_at():
    section = text("docs/neighbours.md").split("\n## Neighbours\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ([^|]+) \|", section, re.M)[1:]
    assert [row.split()[0] for row in rows] == ["k-means-constrained", "POT", "scikit-learn", "CC-SOS-SDP", "Khiops"]
    assert all(re.search(r"\d+\.\d+|\b[0-9a-f]{7}\b", row) for row in rows)
