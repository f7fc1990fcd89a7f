"""The command line: what it prints where, what it writes, and how it ends."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command

from partitope.cli import app, run
from partitope.commands import COMMANDS

from .commands import call

ROWS = 90


@cache
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    y = np.arange(ROWS) % 2
    a = np.round(rng.normal(size=ROWS) + 2.0 * y, 2)
    return pd.DataFrame({"a": a, "b": np.where(rng.random(ROWS) < 0.3 + 0.4 * y, "red", "blue"), "answer": y})


def words(text: str) -> list[str]:
    return text.split()


QUICK = "-k 3 --folds 2 --starts 1"


def test_help_names_every_command_and_loads_nothing_heavy():
    probe = (
        "import sys; from partitope.cli import run; code = run(['--help'])\n"
        "heavy = [m for m in ('numpy', 'pandas', 'sklearn', 'numba', 'matplotlib') if m in sys.modules]\n"
        "sys.stderr.write(','.join(heavy)); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert done.stderr == ""
    for name in COMMANDS:
        assert name in done.stdout


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_help(capsys, name):
    code, out, err = call(capsys, f"{name} --help")
    assert code == 0
    assert "Usage" in out
    assert err == ""


def test_version_and_bare_call(capsys):
    from partitope import __version__

    assert call(capsys, "--version")[:2] == (0, f"partitope {__version__}\n")
    code, out, _ = call(capsys, "")
    assert code == 0
    assert "compare" in out


def test_compare_prints_a_table_and_writes_one_report(folder, capsys):
    code, out, err = call(capsys, f"compare table.csv --target answer {QUICK} --report out/report.html")
    assert code == 0
    for word in (
        "geometric-csa",
        "geometric-lsa",
        "kmeans (no bounds)",
        "accuracy",
        "AUC",
        "proof",
        "step",
        "24 to 36",
    ):
        assert word in out
    assert err.splitlines()[-1] == f"report: out{os.sep}report.html"
    assert out.index("Within the bounds") < out.index("objective")  # findings first
    assert (folder / "out" / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert sorted(os.listdir(folder)) == ["out", "table.csv"]


def test_compare_json_is_json_and_nothing_else(folder, capsys):
    code, out, err = call(
        capsys, f"compare table.csv -t answer {QUICK} --lower 20,25,30 --upper 40% --json -m geometric"
    )
    assert code == 0
    assert err == ""
    record = json.loads(out)
    assert record["settings"]["lower"] == [20, 25, 30]
    assert record["settings"]["upper"] == [36, 36, 36]
    assert [row["method"] for row in record["rows"]] == ["geometric-csa", "geometric-lsa"]


def test_compare_without_a_table_uses_the_breast_cancer_table(capsys):
    code, out, _ = call(capsys, "compare --folds 2 --starts 1 --json -m kmeans")
    assert code == 0
    assert json.loads(out)["data"]["rows"] == 569


def test_fit_then_predict(folder, capsys):
    code, out, err = call(capsys, "fit table.csv -t answer -k 3 --lower 20 --starts 2 -o model.json")
    assert (code, out) == (0, "")
    assert "model: model.json" in err
    code, out, _ = call(capsys, "predict model.json table.csv")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "prediction,score:0,score:1,cluster,boundary_distance"
    assert len(lines) == ROWS + 1
    code, out, err = call(capsys, "predict model.json table.csv -o deep/predictions.csv")
    assert (code, out) == (0, "")
    written = pd.read_csv(folder / "deep" / "predictions.csv")
    assert (written["prediction"] == frame()["answer"]).mean() > 0.7
    assert np.allclose(written["score:0"] + written["score:1"], 1.0)


def test_predict_needs_the_columns_in_any_order_and_ignores_others(folder, capsys):
    assert call(capsys, "fit table.csv -t answer -k 3 --starts 1 -o model.json")[0] == 0
    frame()[["b", "answer", "a"]].assign(extra=1).to_csv("shuffled.csv", index=False)
    assert call(capsys, "predict model.json shuffled.csv")[1] == call(capsys, "predict model.json table.csv")[1]
    frame()[["a"]].to_csv("short.csv", index=False)
    code, out, err = call(capsys, "predict model.json short.csv -o never.csv")
    assert (code, out) == (2, "")
    assert "no column 'b'" in err
    assert not (folder / "never.csv").exists()


def test_test_command(folder, capsys):
    assert call(capsys, "fit table.csv -t answer -k 3 --starts 2 -o model.json")[0] == 0
    frame().iloc[:50].to_csv("new.csv", index=False)
    code, out, err = call(capsys, "test model.json new.csv -t answer --adjust holm --plot picture.svg --json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["class"] == "1"
    assert sum(row["n_test"] for row in record["rows"]) == 50
    assert "<svg" in (folder / "picture.svg").read_text()
    code, out, err = call(capsys, "test model.json table.csv -t answer")
    assert code == 0
    assert out.index("too small") < out.index("p_lower")  # the training rows were noticed, and it comes first


def bad_tables(folder) -> None:
    good = frame()
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    good.assign(answer=good["answer"].where(good.index != 4, 7)).to_csv(folder / "rare.csv", index=False)
    (folder / "only_target.csv").write_text("answer\n0\n1\n")


BAD = [  # what `fit` and `compare` refuse alike
    ("table.csv", "target is missing"),
    ("table.csv -t answr", "did you mean 'answer'"),
    ("nowhere.csv -t answer", "does not exist"),
    ("binary.csv -t answer", ""),
    ("only_target.csv -t answer", "no column besides the target"),
    ("table.csv -t answer -k 91", "ask for at most"),
    ("table.csv -t answer -k 3 --lower 40", "sum(lower)=120 exceeds n_points=90"),
    ("table.csv -t answer -k 3 --lower 1,2", "expected 1 or 3"),
    ("table.csv -t answer -k 3 --starts 0", "Invalid value for '--starts'"),
    ("table.csv -t answer --nonsense 3", "--nonsense"),
]


@pytest.mark.parametrize("command", ["fit", "compare"])
@pytest.mark.parametrize("arguments, message", BAD)
def test_bad_input_is_one_line_exit_code_2_and_nothing_written(folder, capsys, command, arguments, message):
    bad_tables(folder)
    before = sorted(os.listdir(folder))
    output = {"fit": "-o model.json", "compare": "--report report.html"}[command]
    code, out, err = call(capsys, f"{command} {arguments} {output}")
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("partitope: ")
    assert "Traceback" not in err
    assert any(part in err for part in message.split("|"))
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("compare table.csv -t answer --folds 1", "folds=1"),
        ("compare rare.csv -t answer -k 3 --folds 1000", "1 rows of class '7'"),
        ("compare table.csv -t answer -m nonsense", "method 'nonsense'"),
        ("compare table.csv -t answer --covariates zzz", "'zzz' is not a column"),
        ("compare table.csv -t answer --covariates a --covariates b", "names every column"),
        ("compare -t answer", "leave it out, or name a file"),
        ("compare table.csv -t answer --report table.csv", "is also the input"),
        ("compare table.csv -t answer --report table.csv/report.html", "expected a folder"),
        ("fit table.csv -t answer -o model.pkl", "name a model file .json"),
        ("fit table.csv -t answer -m geometric -o model.json", "has variants"),
        ("fit table.csv -t answer -m kcc", "needs covariates: name their columns with --covariates"),
        ("fit table.csv -t answer -m pkm --covariates b", "has no use for covariates"),
        ("fit table.csv -t answer -m pkm --weighting", "reads the table itself"),
        ("predict table.csv table.csv", "not a model file"),
        ("predict", "Missing argument"),
        ("unknown", "unknown"),
    ],
)
def test_more_bad_input(folder, capsys, arguments, message):
    bad_tables(folder)
    before = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
    code, out, err = call(capsys, arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err
    assert {name: (folder / name).read_bytes() for name in os.listdir(folder)} == before


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("-t b", "the model knows 0, 1"),
        ("-t answer --class 5", "--class '5'"),
        ("-t answer --lambda 7", "lam"),
        ("-t answer --method guess", "method"),
        ("-t answer --plot picture.doc", ".doc"),
    ],
)
def test_bad_input_of_the_test_command(folder, capsys, arguments, message):
    assert call(capsys, "fit table.csv -t answer -k 3 --starts 1 -o model.json")[0] == 0
    code, out, err = call(capsys, f"test model.json table.csv {arguments}")
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "solvers"])  # which writes nothing
def test_outputs_never_overwrite_inputs(folder, capsys, name):
    parameters = get_command(app).commands[name].params
    paths = [one for one, p in inspect.signature(COMMANDS[name]).parameters.items() if "Path" in str(p.annotation)]
    given = [p.name for p in parameters if p.param_type_name == "argument"]
    options = {p.name: p.opts[-1] for p in parameters if p.name in paths and p.name not in given}
    writes = {"output", "model", "report", "plot", "export"} & set(options)
    assert writes
    for source, output in product({*given, *options} - writes, writes):
        own = folder / ("own.mps" if name == "export" and source != "solution" else "own.csv")  # as it is to be called
        own.write_text("not to be read")
        words = [own.name if what == source else "table.csv" for what in given]
        words += [options[source], own.name] if source in options else []
        code, _, err = call(capsys, " ".join([name, *words, options[output], own.name]))
        assert (code, "is also the input" in err) == (2, True), (words, output, err)
        assert own.read_text() == "not to be read"


def test_keyboard_interrupt_is_one_line_and_exit_code_130(folder, capsys, monkeypatch):
    import partitope.compare.method

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(partitope.compare.method, "fitted", interrupt)
    code, out, err = call(capsys, f"compare table.csv -t answer {QUICK} --report report.html")
    assert (code, out) == (130, "")
    assert err.strip().splitlines()[-1].startswith("partitope: interrupted")
    assert os.listdir(folder) == ["table.csv"]


def test_a_fault_of_partitope_itself_is_one_line_and_exit_code_1(folder, capsys, monkeypatch):
    import partitope.compare.method

    def fail(*arguments, **options):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(partitope.compare.method, "fitted", fail)
    monkeypatch.delenv("PARTITOPE_DEBUG", raising=False)
    code, _, err = call(capsys, f"compare table.csv -t answer {QUICK}")
    assert code == 1
    assert err == "partitope: internal error: RuntimeError: two lines (PARTITOPE_DEBUG=1 shows where)\n"
    monkeypatch.setenv("PARTITOPE_DEBUG", "1")
    with pytest.raises(RuntimeError, match="two"):
        run(words(f"compare table.csv -t answer {QUICK}"))


@pytest.mark.full
def test_a_closed_pipe_is_no_error(folder):
    assert run(words("fit table.csv -t answer -k 3 --starts 1 -o model.json")) == 0
    pd.concat([frame()] * 300).to_csv("long.csv", index=False)
    command = f"{sys.executable} -m partitope predict model.json long.csv | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines() == ["prediction,score:0,score:1,cluster,boundary_distance", "0"]
    assert done.stderr == ""
