"""Roles of columns: raw tables as people have them, read as a person would read them."""

from __future__ import annotations

import json
import uuid

import numpy as np
import pandas as pd
import pytest

from partitope.base.errors import InvalidInputError
from partitope.classifiers import ClusteringClassifier, TableCleaner
from partitope.classifiers.encoders.find_role import find_role
from partitope.classifiers.encoders.leaks import gives_away
from partitope.model_files.state import from_state, state_of
from partitope.solvers import GeometricPartitioner

N = 120
RNG = np.random.default_rng(0)
DAYS = pd.Timestamp("2023-01-30") + pd.to_timedelta(RNG.integers(0, 500, N), unit="D")
PRICES = np.round(np.exp(RNG.normal(7, 1, N)), 2)


def test_numbers_that_have_no_square_are_missing():
    values = np.where(np.arange(N) == 3, 1e300, PRICES)
    for column in (values, [f"${v}" for v in values], np.where(values == 1e300, -np.inf, values)):
        role = find_role(pd.Series(column, name="v"))
        assert "1 entry beyond 1e+100" in role.remark
        reading = role.read(pd.Series(column))
        assert np.flatnonzero(np.isnan(reading.columns[0])).tolist() == np.flatnonzero(reading.unread).tolist() == [3]
        assert from_state(json.loads(json.dumps(state_of(role), allow_nan=False))) == role
    assert (
        find_role(pd.Series(PRICES * 1e300, name="v")).line == "column v: all 120 numbers are beyond 1e+100, left out"
    )


def test_columns_that_give_the_class_away_are_named():
    y = np.repeat(["no", "yes", "maybe"], 20)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "copy": y,
            "code": pd.Series(y).map({"no": 7.0, "yes": 1.0, "maybe": 3.0}),
            "finer": [f"{label}{j % 4}" for j, label in enumerate(y)],
            "gap": np.where(y == "yes", np.nan, np.where(y == "no", 1.0, 2.0)),
            "noise": rng.integers(0, 3, 60),
            "names": [f"n{j}" for j in range(60)],
            "nearly": np.where(np.arange(60) == 5, "yes", y),
        }
    )
    lines = gives_away(table, y, "y")
    assert [line.split(":")[0] for line in lines] == ["column copy", "column code", "column finer", "column gap"]
    assert "its 3 values are the classes of y under other names, so that it gives the class away" in lines[0]
    assert "each of its 12 values goes with one class of y only" in lines[2]
    by_chance = pd.DataFrame({"a": ["u", "u", "v", "v"]})  # one time in three
    assert gives_away(by_chance, np.array([0, 0, 1, 1]), "y") == []


def test_spellings_of_one_word_stay_apart_and_are_said():
    table = pd.DataFrame({"sex": ["Male", "male", "Female", "male"] * 4, "letter": ["a", "A", "b", "a"] * 4})
    table["umlaut"] = ["\u00e4", "a\u0308", "o", "u"] * 4
    cleaner = TableCleaner().fit(table)
    assert [role.values for role in cleaner.roles_] == [("Female", "Male", "male"), ("A", "a", "b"), ("o", "u", "ä")]
    assert cleaner.lines() == [
        "column sex: 'Male' and 'male' are spellings of one word, kept as 2 values: write them alike"
    ]


def test_a_number_of_nines_far_away_is_a_gap():
    numbers = np.where(np.arange(N) % 9, RNG.integers(0, 60, N), -999)
    cleaner = TableCleaner().fit(pd.DataFrame({"a": numbers, "b": np.where(numbers < 0, 99, numbers)}))
    read = cleaner.transform(pd.DataFrame({"a": [-999, 5.0], "b": [99, 5.0]}))
    assert read["a"].isna().tolist() == [True, False]
    assert read["b"].notna().all()
    assert cleaner.lines() == [
        f"column a: {(numbers < 0).sum()} entries -999, far from all others (0 to 59), read as missing "
        "(--types a=number keeps them)"
    ]


@pytest.mark.parametrize("fill", [-32768, 2**31 - 1, 1e20, float(np.finfo(np.float32).min)])
def test_numbers_that_programs_fill_in_are_said_and_stay_numbers(fill):
    role = find_role(pd.Series(np.where(np.arange(N) % 20 == 3, fill, RNG.integers(0, 60, N)), name="v"))
    assert role.gap == ""
    assert role.remark.startswith(f"6 entries {fill:.15g}, far from all others (")
    assert role.remark.endswith("read as numbers: empty these entries if they stand for missing ones")


ROLES = {
    "number": [
        RNG.normal(size=N),
        RNG.integers(0, 5, N),
        [f"${v:,.2f}" for v in PRICES],
        ["?" if i == 7 else f"{v}" for i, v in enumerate(PRICES)],
        ["abc", *map(str, PRICES[1:])],
        range(1990, 2110),
        [f"{i} $" for i in range(N)],
    ],
    "date": [
        DAYS,
        DAYS.strftime("%Y-%m-%d"),
        DAYS.date,
        DAYS.tz_localize("Europe/Berlin"),
        DAYS.strftime("%Y%m%d").astype(int),
    ],
    "category": [
        RNG.choice(["red", "blue"], N),
        RNG.random(N) < 0.5,
        RNG.choice(["007", "008", "013"], N),
        RNG.choice(["007K", "008K", "013K"], N),
        [f"v{v}" for v in RNG.integers(N, size=N)],
        2**62 + RNG.integers(0, 3, N),
        ["12"] * 60 + ["low"] * 60,
        pd.Categorical(RNG.choice([1, 2], N)),
    ],
    "identifier": [
        [str(uuid.UUID(int=i)) for i in range(1, N + 1)],
        [f"C{i}" for i in range(N)],
        range(N),
        range(1, N + 1),
        RNG.permutation(N),
        2**62 + np.arange(N) * 1000,
    ],
    "refused": [
        [f"{w:.1f} kg" for w in PRICES],
        DAYS.strftime("%d.%m.%Y"),
        DAYS.strftime("%Y%m").astype(int),
        [f"{j}" if j % 2 else f"w{j % 30}" for j in range(N)],
    ],
    "text": [[f"the customer number {i} said it" for i in range(N)]],
    "constant": [["x"] * N, np.ones(N), [pd.Timestamp("2020-01-01")] * N],
    "empty": [np.full(N, np.nan), [None] * N, ["", "NA"] * 60],
}


@pytest.mark.parametrize(
    "role, place", [(role, place) for role, columns in ROLES.items() for place in range(len(columns))]
)
def test_roles_are_found(role, place):
    found = find_role(pd.Series(ROLES[role][place], name="thing"))
    assert found.role == role
    assert bool(found.remark) or role in ("number", "category")
    assert "\n" not in found.line


@pytest.mark.parametrize("name", ["id", "customer_id", "PassengerId", "Unnamed: 0", "Key", "row nr"])
def test_whole_numbers_called_by_what_names_rows_are_identifiers(name):
    values = 10_000 + 3 * RNG.permutation(N)
    assert find_role(pd.Series(values, name=name)).role == "identifier"
    assert find_role(pd.Series(values, name="income")).role == "number"
    assert find_role(pd.Series(values % 40, name=name)).role == "number"  # repeated: a group, not a row


def test_what_is_left_out_is_said_and_can_be_overruled():
    table = pd.DataFrame(
        {"when": [f"code {i}" for i in range(300)], "c": 1, "e": np.nan, "a": range(300), "zip": [10, 20, 30] * 100}
    )
    with pytest.raises(
        InvalidInputError,
        match=r"no column is left \(n_samples=300\): column when: 300 values in 300 rows, no feature; ",
    ):
        TableCleaner(drop=["zip"], types={"a": "identifier"}).fit(table)
    cleaner = TableCleaner(types={"zip": "category"}, drop=["c"], identifiers=["e"]).fit(table)
    assert list(cleaner.transform(table)) == ["zip"]
    assert cleaner.transform(table)["zip"].tolist()[:2] == ["10", "20"]
    assert cleaner.lines() == [
        "column when: 300 values in 300 rows, no feature",
        "column c: left out as asked",
        "column e: declared as identifier, no feature",
        "column a: 300 values in 300 rows, no feature (--types a=number keeps them)",
    ]
    assert cleaner.summary() == "columns: 3 identifiers, 1 dropped, 1 category"
    assert TableCleaner().fit(table[["a"]]).transform(table[["a"]])["a"].tolist() == list(range(300))  # nothing else
    for options, message in [
        ({"types": {"zip": "colour"}}, "role 'colour' of column 'zip' is not known"),
        ({"types": {"zap": "number"}}, "'zap' is not a column: columns are when, c"),
        ({"types": {"when": "date"}}, "declared as date, but no entry is one"),
        ({"types": {"when": "date:%q"}}, "is not a format of dates|no entry is one"),
        ({"decimal": ";"}, "decimal=';'"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            TableCleaner(**options).fit(table)


def test_the_state_survives_json_and_reads_new_tables_alike():
    table = pd.DataFrame({role: columns[0] for role, columns in ROLES.items()}).assign(price=ROLES["number"][2])
    cleaner = TableCleaner().fit(table)
    again = from_state(json.loads(json.dumps(state_of(cleaner), allow_nan=False)))
    new = table.sample(30, random_state=0)
    pd.testing.assert_frame_equal(again.transform(new), cleaner.transform(new))
    assert again.lines() == cleaner.lines()
    assert again.get_feature_names_out().tolist() == list(again.transform(new))


def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    y = np.arange(N) % 2
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "a": np.round(rng.normal(size=N) + y, 2),
            "yes": rng.random(N) < 0.3 + 0.4 * y,
            "b": np.where(rng.random(N) < 0.2 + 0.6 * y, "red", "blue"),
            "when": DAYS.strftime("%Y-%m-%d"),
            "key": [f"k{i}" for i in range(N)],
        }
    )
    return table, y


def test_new_tables_are_checked_against_the_training_table():
    table, _ = mixed()
    cleaner = TableCleaner().fit(table)
    assert cleaner.findings(table) == []
    new = table.assign(a=["abc", *table["a"][1:]], b=["pink", "pink", *table["b"][2:]], more=1)
    new["when"] = ["soon", *table["when"][1:]]
    assert cleaner.findings(new) == [
        "column a: 1 of 120 entries is not a number ('abc'), read as missing",
        "column b: 2 of 120 entries were not in training ('pink')",
        "column when: 1 of 120 entries is not a date ('soon'), read as missing",
        "1 column that training did not have: more",
    ]
    low, high = table["a"].min(), table["a"].max()
    shifted = table.assign(a=[low - 1e6, high, *table["a"][2:]], b=None)
    assert cleaner.findings(shifted) == [
        f"column a: 1 of 120 entries is far from those of training, {low:g} to {high:g} ({low - 1e6:g})",
        "column b: no entry, all read as missing",
    ]
    with pytest.warns(UserWarning, match="'abc'"):
        cleaner.transform(new.drop(columns="more"))
    assert cleaner.aligned(new.drop(columns="key"))["key"].isna().all()
    with pytest.raises(InvalidInputError, match="no column 'a' and 1 more columns"):
        cleaner.aligned(new.drop(columns=["a", "b"]))


def test_what_counts_or_names_rows_is_no_number():
    rows = np.arange(N)
    for counter in (rows + 1001, 500 - rows):
        assert find_role(pd.Series(counter, name="pos")).role == "identifier"
    for measure in (rows[::-1] % 40 + 7, RNG.permutation(rows + 1001), np.arange(1900, 1900 + N), 10 * rows + 5):
        assert find_role(pd.Series(measure, name="pos")).role == "number"
    books = pd.Series(9_780_000_000_000 + RNG.permutation(10**6)[:N], name="book")
    role = find_role(books)
    assert role.remark == "120 values in 120 rows, no feature (--types book=number keeps them)"
    assert find_role(books, "number").role == "number"
    assert find_role(pd.Series(10**9 * (1 + rows % 7), name="sum")).role == "number"


def test_large_whole_numbers_stay_distinct():
    rng, y = np.random.default_rng(0), np.arange(N) % 2
    ids = 2**62 + y + 2 * (rng.random(N) < 0.1)  # 2**62 and its neighbours are one float
    for column in (ids, pd.array([*ids[:-1], None], dtype="Int64")):
        table = pd.DataFrame({"big": column, "noise": rng.normal(size=N)})
        model = ClusteringClassifier(GeometricPartitioner(2), n_starts=2, random_state=0).fit(table, y)
        assert model.score(table[:-1], y[:-1]) > 0.99


def test_a_name_twice_is_refused_in_a_frame():
    table = pd.DataFrame(np.eye(4), columns=["a", "b", "c", "a"])
    for estimator in (TableCleaner(), ClusteringClassifier()):
        with pytest.raises(InvalidInputError, match="X has two columns named 'a': rename one"):
            estimator.fit(table, [0, 1, 0, 1])


def test_the_cleaner_can_be_left_out_and_is_for_arrays():
    table, y = mixed()
    options = {"n_starts": 2, "random_state": 0}
    raw = ClusteringClassifier(GeometricPartitioner(3), cleaner=None, **options).fit(table, y)
    assert raw.cleaner_ is None
    assert ClusteringClassifier(GeometricPartitioner(3), **options).fit(table[["a"]].to_numpy(), y).cleaner_ is None
    clean = ClusteringClassifier(GeometricPartitioner(3), **options).fit(table, y)
    assert [role.role for role in clean.cleaner_.roles_] == ["number", "category", "category", "date", "identifier"]
