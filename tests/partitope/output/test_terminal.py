"""Tables in terminals of any width and any encoding."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys

import pytest

from partitope.output.report import Table
from partitope.output.terminal import note, write_everywhere, write_table

WIDE = Table(
    "What the table shows, in a caption that is longer than forty characters",
    ["method", "objective", "sum of squares", "sizes", "accuracy", "AUC", "proof"],
    [
        ["geometric-lsa", "↓ 423.588", 423.5881234, "91..137", "91.6 ± 2.6 %", 0.98, "step, gap 1e-12"],
        ["kmeans (no bounds)", "↓ 393.081", 393.0812345, "60..218 !", "93.7 ± 1.6 %", 0.97, "none"],
        ["kcc", "needs covariates"],
    ],
    notes=["A note of words that is longer than forty characters and so is folded."],
    best=[(0, 2)],
)


def printed(capsys, monkeypatch, table, width):
    monkeypatch.setenv("COLUMNS", str(width))
    write_table(table)
    return capsys.readouterr().out


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_too_long_and_no_column_is_lost(capsys, monkeypatch, width):
    out = printed(capsys, monkeypatch, WIDE, width)
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out
    assert all(name.split()[-1] in out for name in WIDE.columns)
    assert "91.6 ± 2.6 %" in out


@pytest.mark.parametrize("width", [40, 80])
def test_columns_stand_below_where_they_do_not_fit(capsys, monkeypatch, width):
    columns = ["column", *(f"cluster {i}" for i in range(12)), "a word much too long"]
    rows = [[name, *(100 * i + place for i in range(12)), "x" * 50] for place, name in enumerate(["age", "income"])]
    out = printed(capsys, monkeypatch, Table("Centres", columns, rows), width)
    assert max(map(len, out.splitlines())) <= width
    assert {int(number) for number in re.findall(r"\b\d+(?= +│)", out)} == {n for row in rows for n in row[1:-1]}
    assert out.count("Centres") == 1
    assert out.count("income") == sum("age" in line for line in out.splitlines())


def test_lines_end_between_words_in_a_terminal_and_stay_whole_in_a_pipe(capsys, monkeypatch):
    text = "the highest accuracy of all methods is 95.5 % on the rows that were held out"
    monkeypatch.setenv("COLUMNS", "43")
    note(text)
    monkeypatch.delenv("COLUMNS")
    note(text)
    first, second, whole = capsys.readouterr().err.splitlines()
    assert (f"{first} {second}", whole) == (text, text)
    assert len(first) <= 43
    assert "95.5 %" in second


def test_signs_that_are_written_as_codes_leave_the_columns_straight(monkeypatch):
    written = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    monkeypatch.setattr(sys, "stdout", written)
    write_everywhere()
    write_table(Table("Orte", ["Stadt", "n"], [["Łódź", 1], ["Ulm ≥ 3", 2]]))
    written.seek(0)
    lines = written.read().splitlines()[1:]
    assert len({len(line) for line in lines}) == 1, lines
    assert "Ulm \\u2265 3" in lines[-2]


def test_a_narrow_terminal_cuts_no_option_and_no_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    words = [sys.executable, "-m", "partitope"]
    whole, fit = (
        subprocess.run([*words, *rest, "--help"], capture_output=True, text=True).stdout for rest in ([], ["fit"])
    )
    assert "bounds" in " ".join(whole.split("compare")[1].split())
    assert "--time-limit" in fit
    assert "…" not in whole + fit
    assert "..." not in whole.partition("Commands")[2]
    lines = (whole + fit).splitlines()
    assert max(len(line) for line in lines if not line.strip().startswith("partitope fit")) <= 40  # an example is whole


ANSWERS = ["kleiner → gleich"] * 4 + ["größer"] * 3
TABLE = "a,b,antwort\n" + "".join(f"{i % 7},{i % 5},{ANSWERS[i % 7]}\n" for i in range(60))


C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}  # stdout is ASCII and escapes surrogates


SEVERAL = """
import sys
from partitope.cli import run
for words in {commands!r}:
    assert run(words) == 0, words
    sys.stdout.buffer.write(b"\\0")
"""


def outputs(folder, encoding, *commands):
    """What every command writes to stdout, all of them in one process."""
    asked = C_LOCALE if encoding == "C" else {"PYTHONIOENCODING": encoding}
    environment = {**os.environ, **asked, "COLUMNS": "100"}
    code = SEVERAL.format(commands=[command.split() for command in commands])
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=folder, env=environment, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout.split(b"\0")[:-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encodings")
    (folder / "t.csv").write_text(TABLE, encoding="utf-8")
    outputs(folder, "utf-8", "fit t.csv -t antwort -k 3 -o model.json")
    return folder


@pytest.mark.full
def test_no_encoding_of_stdout_loses_a_result(folder):
    compared, predicted, tested = outputs(
        folder,
        "C",
        "compare t.csv -t antwort -k 3 --folds 2 --starts 1 --method geometric-lsa",
        "predict model.json t.csv",
        "test model.json t.csv --json",
    )
    assert b"geometric-lsa" in compared
    assert predicted.count(b"\n") == 61
    found = json.loads(tested.decode("ascii"))
    assert found["class"] == "kleiner → gleich"
    assert "Verdict" in found["verdict"]


def test_completion_knows_the_commands(tmp_path):
    environment = {
        **os.environ,
        "_PARTITOPE_COMPLETE": "complete_bash",
        "COMP_WORDS": "partitope com",
        "COMP_CWORD": "1",
    }
    code = "import sys; sys.argv[0] = 'partitope'; from partitope.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60)
    assert run.stdout.split() == ["compare"]


@pytest.mark.full
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
@pytest.mark.parametrize(
    ("redirected", "code", "said"),
    [
        (">/dev/full", 2, "partitope: the output cannot be written"),
        ("2>&-", 0, ""),
    ],
)
def test_a_stream_that_takes_nothing_costs_no_result(folder, redirected, code, said):
    command = (
        f"{sys.executable} -m partitope cluster t.csv -k 3 --n-init 1 -o labels.csv --report page.html {redirected}"
    )
    written = [folder / "labels.csv", folder / "page.html"]
    run = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=folder, timeout=120)
    assert run.returncode == code
    assert all(file.stat().st_size for file in written)
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    for file in written:
        file.unlink()
