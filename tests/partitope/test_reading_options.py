"""Every option of reading is honoured by every command that has it, or refused: none is dropped in silence."""

from __future__ import annotations

import inspect
import json
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from partitope.cli import run
from partitope.commands import COMMANDS

N = 60
RNG = np.random.default_rng(0)
CLASS = np.arange(N) % 2
# three decimals: with a comma they would be read as thousands unless --decimal is honoured
TABLE = pd.DataFrame({
    "größe": np.round(RNG.uniform(100, 900, N) + 0.0005, 3) + 90 * CLASS, "b": np.round(RNG.uniform(100, 900, N), 3),
    "c": np.round(RNG.uniform(1, 9, N), 3), "y": np.where(CLASS == 1, "yes", "no"),
})  # fmt: skip
CALLS = {
    "cluster": "cluster {table} -k 3 --drop y --balance-column c=60% --starts 2 -o {out}.csv",
    "aggregate": "aggregate {table} --drop y -o {out}.csv",
    "groups": "groups {table} -k 3 --share y --seed 0 -o {out}.csv",
    "depots": "depots {table} --at größe --at b --demand c -k 2 --time-limit 5 -o {out}.csv",
    "assign": "assign {costs} --lower 10 -o {out}.csv --id y",
    "suggest-k": "suggest-k {table} -k 2-3 --drop y --starts 1 --splits 2 --json",
    "compare": "compare {table} -t y -k 3 --folds 2 --starts 1 -m geometric-lsa --json",
    "fit": "fit {table} -t y -k 3 --starts 1 --folds 0 -o {out}.json",
    "predict": "predict model.json {table} -o {out}.csv",
    "test": "test model.json {table} -t y --json",
    "bounds": "bounds {table} --drop y -k 3 --starts 1 --points 3 --json",
    "explore": "explore {table} -k 3 --columns b,c --export {out}.html",
    "export": "export {table} -k 3 --starts 1 --drop y -o {out}.mps",
}


def figures(record):
    """A record without what depends on the clock, or says how the file was read."""
    if isinstance(record, dict):
        said = ("name", "remarks", "notes", "seconds", "columns", "cleaner", "findings", "digest", "sha256")
        return {key: figures(value) for key, value in record.items() if not any(word in key for word in said)}
    return [figures(value) for value in record] if isinstance(record, list) else record


def answer(capsys, name: str, table: str, costs: str, out: str, *options: str):
    """What a command writes or prints."""
    capsys.readouterr()
    for old in Path().glob(f"{out}.*"):
        old.unlink()
    code = run([*CALLS[name].format(table=table, costs=costs, out=out).split(), *options])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    written = next(Path().glob(f"{out}.*"), None)
    text = captured.out if written is None else written.read_text()
    if written is None or written.suffix == ".json":
        return figures(json.loads(text))
    return text


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    costs = TABLE.assign(y=[f"p{j}" for j in range(N)])
    for name, frame in (("t", TABLE), ("c", costs)):
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_csv(folder / f"{name}_de.csv", index=False, sep=";", decimal=",", encoding="latin-1")
        if find_spec("openpyxl"):
            with pd.ExcelWriter(folder / f"{name}.xlsx") as book:
                pd.DataFrame({"nothing": [1.5, 2.5]}).to_excel(book, sheet_name="first", index=False)
                frame.to_excel(book, sheet_name="second", index=False)
    return folder


@pytest.fixture
def here(home, monkeypatch, capsys):
    monkeypatch.chdir(home)
    if not Path("model.json").exists():
        assert run(["fit", "t.csv", "-t", "y", "-k", "3", "--starts", "1", "--folds", "0", "-o", "model.json"]) == 0
    return home


def test_every_command_that_reads_a_table_is_here():
    reads = {name for name, command in COMMANDS.items() if "decimal" in inspect.signature(command).parameters}
    assert reads == set(COMMANDS) - {"solvers"} == set(CALLS)  # it reads model files


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name not in ("cluster", "assign"))) for name in CALLS]
)
def test_the_way_a_file_is_written_changes_nothing_once_it_is_said(here, capsys, name):
    plain = answer(capsys, name, "t.csv", "c.csv", "plain")
    german = answer(capsys, name, "t_de.csv", "c_de.csv", "german", "--decimal", ",", "--encoding", "latin-1")
    assert german == plain
    if find_spec("openpyxl"):
        assert answer(capsys, name, "t.xlsx", "c.xlsx", "sheet", "--sheet", "second") == plain


@pytest.mark.parametrize(
    "words",
    [
        "explore --decimal , --export p.html",
        "explore --columns a,b --export p.html",
        "explore --article -k 3 --export p.html",
        "compare --decimal ,",
        "bounds german --sheet 2",
        "bounds t.csv --drop y --precision 0.1",
        "export model.json --solution labels.csv -k 3 -o l.csv",
        "export model.json --solution labels.csv --decimal , -o l.csv",
        "fit t.csv -t y --drop y -o m.json",
        "fit t.csv -t y --types y=number -o m.json",
    ],
)  # fmt: skip
def test_an_option_without_a_use_is_refused(here, capsys, words):
    assert run(words.split()) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert any(
        re.search(rf"{option}\b", said) for option in words.replace("-k", "--clusters").split() if "--" in option
    ) or ("is the target" in said)


STATED = "--together g", "--apart z", "--share g --within 50%", "--most-even c", "--balance-column c=50%", "--allowed a"


@pytest.mark.parametrize("words", STATED)
def test_a_column_that_is_stated_is_known_to_the_other_options(here, capsys, words):
    places = np.arange(N)
    frame = TABLE.drop(columns="y").assign(g=places % 3, z=places // 3, a="", c=1 + places % 7)
    frame["who"] = [f"p{j}" for j in places]
    frame.to_csv("stated.csv", index=False)
    column = words.split()[1].partition("=")[0]
    others = [f"--drop={name}" for name in "gza" if name != column]
    base = ["cluster", "stated.csv", "-k", "3", "--lower", "1", "--starts", "1", *others, *words.split(), "-o", "l.csv"]
    assert run([*base, "--id", "who"]) == 0
    labels = pd.read_csv("l.csv")
    kind = "number" if column == "c" else "category"
    for more in (["--types", f"{column}={kind}"], ["--drop", column]):
        assert run([*base, "--id", "who", *more]) == 0
        pd.testing.assert_frame_equal(pd.read_csv("l.csv"), labels)
    assert run([*base, "--drop", "who", "--id", column]) == 0
    named = pd.read_csv("l.csv")
    assert named.columns[0] == column
    assert named["cluster"].tolist() == labels["cluster"].tolist()
    assert run([*base, "--types", f"{column}=date"]) == 2
    assert "write number or category" in capsys.readouterr().err
