"""Raw tables through the command line: read, diagnosed, said, fitted, predicted; files that were tampered with."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from partitope.base.errors import InvalidInputError
from partitope.cli import run
from partitope.datasets import load_table, read_table
from partitope.model_files.files import load_model

N = 120
RNG = np.random.default_rng(0)
CLASS = np.arange(N) % 2
NUMBER = np.round(RNG.normal(size=N) + 1.5 * CLASS, 2)
BASE = pd.DataFrame(
    {
        "a": NUMBER,
        "b": np.where(RNG.random(N) < 0.25 + 0.5 * CLASS, "red", "blue"),
        "y": np.where(CLASS == 1, "yes", "no"),
    }
)
DAYS = pd.Timestamp("2023-01-30") + pd.to_timedelta(RNG.integers(0, 500, N), unit="D")
excel = pytest.mark.skipif(find_spec("openpyxl") is None, reason="openpyxl is not installed")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *words: str) -> tuple[int, str, str]:
    code = run(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def fit(capsys, file: str, *options: str) -> tuple[int, str]:
    code, _, err = call(capsys, "fit", file, "-t", "y", "-k", "3", "--starts", "1", "-o", "model.json", *options)
    return code, err


TABLES = {
    "dates": (BASE.assign(when=DAYS.strftime("%Y-%m-%d")), {}, "column when: dates 2023-01-30 to", "1 date"),
    "index": (BASE, {"index": True}, "column Unnamed: 0: 120 values in 120 rows, no feature", "1 identifier"),
    "comma": (
        BASE.assign(a=[f"{v}".replace(".", ",") for v in NUMBER]),
        {"sep": ";"},
        "column a: numbers with the decimal sign ,",
        "1 number, 1 category",
    ),
    "target": (
        BASE.assign(y=[None, *BASE["y"][1:]]),
        {},
        "target y: missing in 1 of 120 rows, which are left out",
        "1 number",
    ),
    "utf16": (BASE, {"encoding": "utf-16"}, "", "1 number, 1 category"),
    "spaces": (BASE.rename(columns={"a": " a "}), {}, "", "1 number, 1 category"),
    "leak": (
        BASE.assign(z=np.where(CLASS == 1, "A", "B")),
        {},
        "column z: its 2 values are the classes of y",
        "2 categ",
    ),
    "noise": (
        BASE.assign(z=[f"v{v}" for v in RNG.integers(N, size=N)]),
        {},
        "column z: says nothing about y beyond chance, left out of the encoding",
        "2 categories",
    ),
}


@pytest.mark.parametrize("name", list(TABLES))
def test_raw_tables_are_read_and_what_was_done_is_said(folder, capsys, name):
    table, options, line, roles = TABLES[name]
    table.to_csv("t.csv", **{"index": False} | options)
    code, err = fit(capsys, "t.csv")
    assert code == 0
    assert roles in err.splitlines()[0]
    assert line in err
    assert "Warning" not in err
    code, out, err = call(capsys, "predict", "model.json", "t.csv", "--id", "a" if name != "spaces" else "b")
    assert code == 0
    rows = out.splitlines()
    assert len(rows) == N + 1
    assert rows[0].startswith(f"{'b' if name == 'spaces' else 'a'},prediction,score:no,score:yes")
    assert err == ""


def test_options_overrule_what_is_found(folder, capsys):
    BASE.assign(
        a=[f"{v}".replace(".", ",") for v in NUMBER], level=np.arange(N) % 3, row=range(N), c="1.200", n="x"
    ).to_csv("t.csv", index=False)
    code, err = fit(
        capsys, "t.csv", "--types", "level=category", "--types", "row=number", "--drop", "n", "--decimal", ","
    )
    assert code == 0
    assert err.splitlines()[0] == "columns: 2 numbers, 2 categories, 1 constant, 1 dropped"
    assert "one value (1200)" in err
    code, err = fit(capsys, "t.csv", "--id", "a", "--drop", "b")
    assert "column a: declared as identifier, no feature" in err
    for options, message in [
        (["--types", "level"], "--types 'level' is not usable: write column=role"),
        (["--sheet", "2"], "sheet '2' was given, but t.csv is not an Excel file"),
        (["--encoding", "klingon"], "encoding 'klingon' is not known"),
    ]:
        code, err = fit(capsys, "t.csv", *options)
        assert (code, err.count("\n")) == (2, 1)
        assert message in err


def test_predict_says_what_training_did_not_hold(folder, capsys):
    BASE.to_csv("t.csv", index=False)
    assert fit(capsys, "t.csv")[0] == 0
    BASE.assign(a=["abc", *NUMBER[1:]], b=["pink"] * 3 + [*BASE["b"][3:]], more=1).to_csv("new.csv", index=False)
    code, _, err = call(capsys, "predict", "model.json", "new.csv")
    assert code == 0
    assert "column b: 3 of 120 entries were not in training ('pink')" in err
    BASE.rename(columns={"a": "A "}).to_csv("named.csv", index=False)
    code, _, err = call(capsys, "predict", "model.json", "named.csv")
    assert code == 2
    assert "no column 'a', which the model needs: rename 'A'" in err
    code, _, err = call(capsys, "test", "model.json", "new.csv", "-t", "y")
    assert code == 0
    assert "'pink'" in err


def test_classes_may_be_fractions_and_spellings_of_one_class_are_said(folder, capsys):
    BASE.assign(y=np.where(CLASS == 1, 1.5, 0.0)).to_csv("halves.csv", index=False)
    assert fit(capsys, "halves.csv")[0] == 0
    assert set(load_table("halves.csv", "y").y) == {"0.0", "1.5"}
    BASE.assign(y=["Yes", *BASE["y"][1:-1], "yes "]).to_csv("spelling.csv", index=False)
    assert "target y: 'Yes' and 'yes' are spellings of one word, kept as 2 classes" in fit(capsys, "spelling.csv")[1]


def test_files_of_other_programs(folder):
    rows = [f"{v},{c},{y}" for v, c, y in BASE.itertuples(index=False)]
    (folder / "named.csv").write_text("\n".join(["a,b,y", *(f"row {i},{row}" for i, row in enumerate(rows))]))
    (folder / "trailing.csv").write_text("\n".join(["a,b,y", *(f"{row}," for row in rows)]))
    BASE.set_index("b").to_parquet("indexed.parquet")
    for name in ("named.csv", "trailing.csv"):
        pd.testing.assert_frame_equal(read_table(name), BASE, check_dtype=False)
    assert list(read_table("indexed.parquet")) == ["a", "y"]
    gaps = pd.DataFrame({"big": [str(2**62), None, str(2**62 + 1)], "y": ["u", "v", "u"]})
    gaps.to_csv("gaps.csv", index=False)
    assert read_table("gaps.csv")["big"].dropna().tolist() == [2**62, 2**62 + 1]


def test_what_stands_between_columns_is_what_splits_header_and_rows_alike(folder):
    rows = [f"{v}\t{c}, big, round and old\t{y}" for v, c, y in BASE.itertuples(index=False)]
    (folder / "t.tsv").write_text("\n".join(["a\ta word, more words, and others, too\ty", *rows]))
    assert read_table("t.tsv").shape == (N, 3)
    rows = [f"{str(v).replace('.', ',')};{c}, or not;{y}" for v, c, y in BASE.itertuples(index=False)]
    (folder / "t.csv").write_text("\n".join(["a;b;y", *rows]))
    assert list(read_table("t.csv")) == ["a", "b", "y"]


def test_names_of_columns_may_go_on_in_the_next_line(folder):
    rows = [f"{v},{c},{y}" for v, c, y in BASE.itertuples(index=False)]
    (folder / "t.csv").write_text("\n".join(['"a\n(in m)",b,y', *rows]))
    assert list(load_table("t.csv", "y").X) == ["a\n(in m)", "b"]
    (folder / "t.csv").write_text("\n".join(['a,b 5",y', *rows]))  # inches: a quote that is not closed
    assert list(read_table("t.csv")) == ["a", 'b 5"', "y"]


def test_columns_without_name_and_entries_are_none(folder):
    rows = [f"{v},{c},{y},," for v, c, y in BASE.itertuples(index=False)]
    (folder / "t.csv").write_text("\n".join(["a,b,y,,", *rows]))
    data = load_table("t.csv", "y")
    assert (list(data.X), data.notes) == (["a", "b"], ())


@pytest.mark.parametrize(
    "start, said",
    [
        (b"<!DOCTYPE html><html>", "is a page of HTML, not a table"),
        (b"PK\x03\x04rest", "is a zip archive or a workbook, not text: unpack it, or give it the suffix .xlsx"),
        (b"\xd0\xcf\x11\xe0rest", "is a workbook of an old Excel"),
        (b"version https://git-lfs.github.com/spec/v1", "is a pointer of Git LFS"),
        (b"a,y\n1,b\n2,c,d\n", "line 3 has 3 fields where the lines above have 2: put entries that hold a ',' into"),
        (b'a,y\n1,b\n2,"c\n3,d\n', "a quote that opens in row 2 is not closed"),
        (b"Export 2024\n\na,y\n1,b\n", "('Export 2024'): take out the lines above the header"),
        (BASE.to_csv(index=False).encode("utf-16-le"), "is not UTF-8: name its encoding, e.g. utf-16-le"),
        (b"a^y\n1^b\n", "only one column was found: put commas, semicolons, tabs, bars or blanks between columns"),
    ],
)
def test_files_that_are_no_tables_are_told_by_what_they_are(folder, capsys, start, said):
    (folder / "t.csv").write_bytes(start)
    code, err = fit(capsys, "t.csv")
    assert (code, err.count("\n")) == (2, 1)
    assert said in err


@excel
def test_merged_cells_are_said_and_a_name_twice_is_refused(folder, capsys):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["region", "a", "y"])
    for j in range(40):
        book.active.append([f"r{j // 4 % 3}" if j % 4 == 0 else None, j * j % 17, "yes" if j % 2 else "no"])
    book.active.merge_cells("A2:A5")
    book.save("m.xlsx")
    assert (
        "cells are merged: all but the first of each are read as missing, so fill them in"
        in load_table("m.xlsx", "y").notes
    )
    book.active["B1"] = "region"
    book.save("m.xlsx")
    code, err = fit(capsys, "m.xlsx")
    assert (code, err) == (2, "partitope: m.xlsx has two columns named 'region': rename one\n")


def test_blanks_around_classes_make_no_others(folder):
    odd = BASE.assign(y=[" yes" if j in (3, 5) else "no " if j == 4 else label for j, label in enumerate(BASE["y"])])
    odd.to_csv("t.csv", index=False)
    assert (load_table("t.csv", "y").y == BASE["y"]).all()
    (folder / "quoted.csv").write_text("a,b,y\n" + "".join(f'{v}, "red, {c}",{y}\n' for v, c, y in BASE.to_numpy()))
    assert set(load_table("quoted.csv", "y").X["b"]) == {"red, red", "red, blue"}


def test_a_last_row_of_totals_is_said(folder):
    pd.concat([BASE, pd.DataFrame([["", "Total", "yes"]], columns=list(BASE))]).to_csv("t.csv", index=False)
    assert load_table("t.csv", "y").notes == (
        "the last row says 'Total' and is read as any other: take it out if it sums up",
    )


@excel
def test_sheets_of_an_excel_file(folder, capsys):
    with pd.ExcelWriter("book.xlsx") as book:
        BASE.to_excel(book, sheet_name="first", index=False)
        BASE.assign(when=DAYS).to_excel(book, sheet_name="second", index=False)
    assert load_table("book.xlsx", "y").X.shape == (N, 2)
    assert "sheet 'first' is read, the first of first, second: --sheet names another" in fit(capsys, "book.xlsx")[1]
    with pytest.raises(InvalidInputError, match=r"'when' is not a column of book\.xlsx: .*; sheet 'first' is read"):
        load_table("book.xlsx", "when")
    assert load_table("book.xlsx", "y", sheet="2").X["when"].dtype.kind == "M"
    assert fit(capsys, "book.xlsx", "--sheet", "second")[0] == 0
    with pd.ExcelWriter("below.xlsx") as book:
        pd.DataFrame().to_excel(book, sheet_name="cover", index=False)
        BASE.to_excel(book, sheet_name="data", index=False, startrow=2)
    for sheet in (None, "data"):
        with pytest.raises(
            InvalidInputError, match="no table that begins in its first line: begin it there, or choose"
        ):
            load_table("below.xlsx", "y", sheet=sheet)
    with pytest.raises(InvalidInputError, match=r"sheet 'third' is not in book\.xlsx: choose among first, second"):
        load_table("book.xlsx", "y", sheet="third")


def test_files_without_their_package_are_one_line(folder, capsys, monkeypatch):
    import partitope.datasets.table_reader as reader

    (folder / "book.xlsx").write_bytes(b"x")
    (folder / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setattr(reader.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InvalidInputError, match=r"needs openpyxl: pip install '.\[excel\]'"):
        read_table("book.xlsx")
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"] + ["pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    code, said = fit(capsys, "t.parquet")
    assert (code, said.count("\n")) == (2, 1)
    assert "pip install '.[parquet]' in a clone" in said


def test_a_stored_model_reads_raw_tables_in_python_and_knows_its_class_column(folder, capsys):
    table = BASE.assign(when=DAYS.strftime("%Y-%m-%d"), key=[f"row {i}" for i in range(N)])
    table.to_csv("raw.csv", index=False)
    options = ("raw.csv", "-t", "y", "--auto", "--folds", "0", "--time-limit", "0", "-o", "auto.json")
    assert call(capsys, "fit", *options)[0] == 0
    model = load_model("auto.json")
    cleaned = model.cleaner_.transform(model.cleaner_.aligned(table))
    assert model.predict(table).tolist() == model.predict(cleaned).tolist()
    with pytest.raises(InvalidInputError, match="no column 'when'"):
        model.predict(table[["a", "b"]])
    fit(capsys, "raw.csv", "--folds", "0")
    for file in ("raw.csv", "more.csv"):  # by its name, then as the only column that is new
        frame = table.assign(other=0) if file == "raw.csv" else table.rename(columns={"y": "label"})
        frame.to_csv(file, index=False)
        code, out, err = call(capsys, "test", "model.json", file)
        assert code == 0, err
        assert "Verdict" in out


def test_rows_without_entries_numbers_as_classes_and_many_idle_columns(folder, capsys):
    (folder / "gaps.csv").write_text("a,b\n" + "".join(f"{v},{c}\n,\n" for v, c in zip(NUMBER, BASE["b"])))
    code, out, err = call(capsys, "cluster", "gaps.csv", "-k", "2", "--starts", "1", "-o", "labels.csv", "--json")
    assert code == 0
    assert f"{N} of {2 * N} rows hold no entry and are left out" in err
    assert sum(row["size"] for row in json.loads(out)["clusters"]) == N
    assert len((folder / "labels.csv").read_text().splitlines()) == N + 1
    BASE.assign(y=RNG.normal(size=N)).head(60).to_csv("numbers.csv", index=False)
    code, err = fit(capsys, "numbers.csv")
    assert code == 2
    assert "target 'y' holds 60 different numbers in 60 rows, expected classes" in err
    noise = pd.DataFrame(RNG.normal(size=(N, 40))).add_prefix("f")
    pd.concat([noise, BASE[["a", "y"]]], axis=1).to_csv("wide.csv", index=False)
    _, err = fit(capsys, "wide.csv", "--folds", "0")
    assert "columns say nothing about y beyond chance, left out of the encoding: f" in err
    assert len(err.splitlines()) < 12


def test_in_a_target_of_words_only_an_empty_cell_is_missing(folder, capsys):
    words = ["None", "NA", "null", "yes", "", "?"]
    table = pd.DataFrame({"a": NUMBER, "b": BASE["b"], "y": [words[j % 6] for j in range(N)]})
    table.to_csv("t.csv", index=False)
    data = load_table("t.csv", "y")
    assert data.classes.tolist() == ["?", "NA", "None", "null", "yes"]
    assert data.notes[0] == "target y: missing in 20 of 120 rows, which are left out"
    assert len(data.y) == 100
    assert fit(capsys, "t.csv")[0] == 0
    assert run(["predict", "model.json", "t.csv", "-o", "p.csv"]) == 0
    found = pd.read_csv("p.csv", keep_default_na=False)
    assert {"score:None", "score:NA", "score:null"} <= set(found.columns)
    assert set(found["prediction"]) <= set(words)


def test_in_a_target_of_numbers_what_is_left_out_is_named(folder):
    table = pd.DataFrame({"a": NUMBER, "y": [["0", "1", "NA", ""][j % 4] for j in range(N)]})
    table.to_csv("t.csv", index=False)
    data = load_table("t.csv", "y")
    assert data.classes.tolist() == [0, 1]
    assert "target y: 30 entries 'NA' read as missing" in data.notes
    assert "target y: missing in 60 of 120 rows, which are left out" in data.notes
    assert read_table("t.csv")["y"].isna().sum() == 60
