"""``python -m studies``: rows with verdicts, refusals in one line, where finished jobs are kept."""

from __future__ import annotations

import json

import pytest

from partitope.cli import run
from studies.__main__ import app


def call(capsys, *words: str) -> tuple[int, str, str]:
    code = run(words, application=app)
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nothing", "study 'nothing' is not known: choose one of census, german, tests"),
        ("german --starts 0", "at least 1"),
        ("german --part 2", "expected two numbers such as 2/4"),
    ],
)
def test_what_cannot_be_run_is_one_line_and_exit_code_2(words, said, capsys):
    code, _, err = call(capsys, *words.split())
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.data
def test_a_verdict_for_every_row(capsys, data_home):
    code, out, err = call(capsys, "german", "--quick", "--fresh", "--json")
    assert (code, err) == (0, "")
    rows = json.loads(out)["rows"]
    assert rows
    assert {row["verdict"] for row in rows} <= {
        "met",
        "checked",
        "beaten",
        "missed",
        "undecided",
        "differs",
        "not printed",
    }


def test_ctrl_c_says_where_finished_jobs_are_kept(capsys, monkeypatch):
    def stop(*given, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("studies.base.record.Reproduction.run", stop)
    code, _, err = call(capsys, "census")
    assert code == 130
    assert err.startswith("finished jobs are kept in ")
