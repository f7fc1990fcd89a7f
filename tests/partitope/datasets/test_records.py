"""Rows of files that are no records, and lines above a header: left out and said, or kept where they may be some."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from partitope.cli import run
from partitope.datasets import load_table, read_table
from partitope.datasets.records import only_records

N = 40
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "shop": [f"s{j % 7}" for j in range(N)],
        "pieces": RNG.integers(1, 50, N),
        "price": np.round(RNG.gamma(2.0, 9.0, N), 2),
        "y": np.where(np.arange(N) % 2, "yes", "no"),
    }
)
PIECES, PRICE = TABLE["pieces"].sum(), TABLE["price"].sum().round(2)


def below(*rows):
    """The table with rows added."""
    return pd.concat([TABLE, pd.DataFrame(rows, columns=TABLE.columns)], ignore_index=True)


def subtotals():
    parts = []
    for j in range(0, N, 10):
        part = TABLE[j : j + 10]
        parts += [part, pd.DataFrame([["Subtotal:", part["pieces"].sum(), np.nan, None]], columns=TABLE.columns)]
    return pd.concat([*parts, pd.DataFrame([["Grand Total", PIECES, PRICE, None]], columns=TABLE.columns)])


@pytest.mark.parametrize(
    "table",
    [
        below(["Total", PIECES, PRICE, "yes"]),
        below(["Summe", PIECES, None, None]),
        below(["s1", PIECES, PRICE, "no"]),
        below([None, PIECES, PRICE, None]),
        below(["Mean", PIECES / N, round(PRICE / N, 2), "yes"]),
        below(["Total", PIECES, PRICE, None], ["Average", round(PIECES / N, 1), None, None]),
        below(["Total", f"{PIECES:,}", f"${PRICE:,.2f}", "Total"]).assign(
            price=[*(f"${v:,.2f}" for v in TABLE["price"]), f"${PRICE:,.2f}"]
        ),
        subtotals(),
        pd.concat([pd.DataFrame([["name", "number", "EUR", "class"]], columns=TABLE.columns), TABLE]),
        pd.concat([TABLE[:9], pd.DataFrame([list(TABLE)], columns=TABLE.columns), TABLE[9:]]),
    ],
)
def test_rows_that_are_no_records_are_left_out(tmp_path, table):
    table.to_csv(tmp_path / "t.csv", index=False)
    TABLE.to_csv(tmp_path / "plain.csv", index=False)
    data, plain = load_table(tmp_path / "t.csv", "y"), load_table(tmp_path / "plain.csv", "y")
    assert (data.y == plain.y).all()
    assert data.X["shop"].tolist() == plain.X["shop"].tolist()
    assert len(data.notes) == 1
    assert data.notes[0].endswith("left out, row numbers count the others")
    assert len(read_table(tmp_path / "t.csv")) == len(table)  # whoever predicts gets an answer for every row


@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        TABLE.assign(shop=np.where(np.arange(N) % 3, "Total", "Shell")),
        TABLE.assign(shop=np.where(np.arange(N) < N - 1, "partial", "total"), y=np.nan),
        TABLE.assign(shop=np.where(np.arange(N) < N - 4, "partial", "total"), y=np.nan),
        below(["Total", 3, 4.5, "yes"]),
        below(["s1", PIECES, PRICE + 1, "no"]),
        TABLE.assign(shop=["all", "sum", *TABLE["shop"][2:]]),
        pd.DataFrame({"a": [1, 1, 0, 0, 0, 2], "b": list("xyxyxy")}),
        pd.DataFrame({"a": ["low", "1", "2", "3"], "b": [1, 2, 3, 4]}),
        pd.DataFrame({"a": ["?", "1", "2", "3"], "b": list("wxyz")}),
        pd.DataFrame({"a": list("abc"), "b": list("def")}),
    ],
)
def test_records_are_kept(table):
    kept, notes = only_records(table)
    assert kept is table
    assert notes == ()


@pytest.mark.parametrize(
    "above, separator, said",
    [
        ("# exported by hand\n# in May\n", ",", "2 lines above the header left out (# exported by hand)"),
        ("Shops of the south;;;\n\n", ";", "2 lines above the header left out (Shops of the south;;;)"),
        ("sep=;\n", ";", "1 line above the header left out (sep=;)"),
        ("#", ",", ""),
        ("", "\t", ""),
    ],
)
def test_lines_above_the_header(tmp_path, above, separator, said):
    (tmp_path / "t.csv").write_text(above + TABLE.to_csv(index=False, sep=separator))
    data = load_table(tmp_path / "t.csv", "y")
    assert len(data.y) == N
    assert data.X.shape[1] == 3
    assert data.notes == ((said,) if said else ())


def test_a_header_may_be_missing_or_too_short(tmp_path):
    text = TABLE.to_csv(index=False)
    (tmp_path / "t.csv").write_text(text.partition("\n")[2])
    with pytest.raises(ValueError, match="is the header line missing"):
        load_table(tmp_path / "t.csv", "y")
    (tmp_path / "t.csv").write_text(text.replace("shop,", "", 1))
    assert "such as 's0', is taken for the name of the row" in load_table(tmp_path / "t.csv", "y").notes[0]


def test_rows_shorter_than_the_header_are_counted(tmp_path):
    lines = TABLE.to_csv(index=False).splitlines()
    lines[3:8] = [line.rpartition(",")[0] for line in lines[3:8]]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    assert load_table(tmp_path / "t.csv", "y").notes[1] == (
        "5 rows have fewer fields than the header: the last ones are missing"
    )


def test_classes_lose_the_errors_of_arithmetic(tmp_path):
    exact = np.where(TABLE["y"] == "yes", 0.3, 1.0)
    TABLE.assign(y=exact + 1e-13 * np.arange(N)).to_csv(tmp_path / "t.csv", index=False)
    data = load_table(tmp_path / "t.csv", "y")
    assert (data.y == np.where(exact < 1, "0.3", "1.0")).all()
    assert data.notes == (f"target y: {N} numbers rounded to 2 classes",)


def test_the_command_without_a_target_says_it_too(tmp_path, capsys):
    below(["Total", PIECES, PRICE, None]).drop(columns="y").to_csv(tmp_path / "t.csv", index=False)
    assert run(["cluster", str(tmp_path / "t.csv"), "-k", "3", "--starts", "1", "-o", str(tmp_path / "o.csv")]) == 0
    assert f"row {N + 1} is one of totals (Total, {PIECES}, {PRICE})" in capsys.readouterr().err
    assert len(pd.read_csv(tmp_path / "o.csv")) == N


def test_targets_that_are_none(tmp_path):
    TABLE.assign(y=[f"k{j}" for j in range(N)]).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=f"holds {N} different texts in {N} rows, expected classes"):
        load_table(tmp_path / "t.csv", "y")
    TABLE.assign(y=["-", "-", *TABLE["y"][2:]]).to_csv(tmp_path / "t.csv", index=False)
    assert load_table(tmp_path / "t.csv", "y").notes == (
        "target y: '-' is kept as a class; leave its rows empty if it is none",
    )


@pytest.mark.parametrize("end", ["Source: office, 2024", "* without the north", "120 rows selected.", "nothing more"])
def test_comments_and_remarks_are_no_records(tmp_path, end):
    rows = [f"{j},{'ab'[j % 2]},{'xy'[j // 2 % 2]}" for j in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["n,b,y", *rows[:20], "# checked", *rows[20:], "", end]) + "\n")
    frame, notes = only_records(read_table(tmp_path / "t.csv"))
    assert frame["n"].astype(int).tolist() == list(range(40))
    assert len(notes) == 1
    assert notes[0].startswith("rows 21, 42 are 2 with a remark (# checked): left out")


def test_records_with_gaps_are_no_remarks(tmp_path):
    rows = [f"{['Ann', 'Bob', 'Cid'][j % 3]} {j},{j},{'xy'[j % 2]}" for j in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["name,n,y", *rows, "Dee 41,,", "#N/A,,"]) + "\n")
    assert len(only_records(read_table(tmp_path / "t.csv"))[0]) == 42
