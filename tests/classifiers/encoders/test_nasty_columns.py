"""Columns as people write them: read rightly, refused by name, or names; never taken for something else.

One column a line, its different entries between bars.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from partitope.classifiers import TableCleaner
from partitope.classifiers.encoders.find_role import find_role
from partitope.datasets import read_table

READ = [
    ("1,5 | 2,25 | 1.200,5", [1.5, 2.25, 1200.5]),
    ("12 % | 7%", [12, 7]),
    ("1 200 | 1 200.5 | 1'200", [1200, 1200.5, 1200]),
    ("1,200 | 3,400", [1200, 3400]),
    ("0,125 | 3,400", [0.125, 3.4]),
    ("12\u2009500 | 900", [12500, 900]),
    ("3,125e+05 | 1,500e+04", [312500, 15000]),
    ("AED 1,839 | AED 5", [1839, 5]),
    ("1e-3 | .5 | 5. | 12", [0.001, 0.5, 5, 12]),
    ("-5 | −7 | +3", [-5, -7, 3]),
    ("$1,200.50 | -$3 | $-2 | 8", [1200.5, -3, -2, 8]),
    ("1.200,50 € | -3 €", [1200.5, -3]),
    ("1.234.567 | 1.000.000", [1234567, 1000000]),
    ("2024-01-31 | 2024-02-01", "2024-01-31"),
    ("2024-01-31T23:30:00+01:00 | 2024-02-01T12:00:00Z", "2024-01-31 22:30"),
    ("20240131 | 20240201", "2024-01-31"),
    ("2024-01 | 2024-02", "2024-01-01"),
]
REFUSED = r"""
$1,200.50 | USD 5 | (7) | -$3
١٢ | １７.５ | 3
950 | 1.205 | 12.035
1h 30m | 45:00 | 2 hours 15 min
5- | 1,200.50- | 3
1.200,5 km/h | 3,5 km/h
21 °C | -3.5°C
13:45 | 0:30 | -1:15
1:45 pm | 12:00 AM | 12:30 p.m.
<5 | >= 80 | ≤7.5 | ~12 | ca. 3 | 80+ | 65 and over | 4
5-10 | 5–10 | 5 to 6 kg | 10 bis 20 kg | 2 kg - 3 kg
[16, 21) | (16.0, 21.0] | [1.5; 2.5]
16.8* | 16.8 (est.) | 16.8 ± 1.7 | <5*
1.5k | 2.5K | 1M | 700
12,34,567 | 1,00,000 | 5,000
58.5 % | .25 | 61% | 0
20 °C | 68 °F | -4°F | 25℃
40-60% | 0.5 | 70 %
$(1,200) | (5) € | $7
12,- € | 3,-- | 1.200,—
3/4 | 1 1/2 | 5-3/8 | 2½ | ¼ | 7 | 0/4
PT36H | PT90M
="12" | '7 | 2 x 10^3 | 1.5·10⁻²
48.85 N | 12.1N | 3.5 S | N 12.1 | S 7
4.1 l/100km | 7 l/100 km
$1,900/mo | $850 /mo | $12,000/yr
from $470 | ab 500 | max. 12
▲ 8.45% | ▼ 2.5 %
5.06 | 7,25 | 1.200,5 | 3
1 star | 4 stars | 2 stars
4 or more | 1
5.00 CR | 7.50 DR
5'11" | 6′ 2″ | 5 ft 6 in | 5 feet, 3 inches | 6' | 5'6 | 5' 4 1/2"
2d 5h | 1 h 30 min | 1h30 | 14 days 15:12:00 | 1 Tag und 6 Stunden | 45m | PT5H51M | P1DT2H | -1:15
12°30' | 46°48'36"S | W 2° 15' | 7°30'N
59:30 | 1:05:30 | 45:15 | 2:00:00.6
5:30 min/km | 6:15/km | 72:30 /km
48.85, 2.35 | -33.9, 18.4 | (40.7, -74.0)
POINT (2.35 48.85) | POINT(-74 40.7)
10 x 20 x 3 cm | 5×4×2.5 cm
+49 30 0123 | +49 40 0456
red, blue | 1, 2
1.2.3 | 1.2.4
555-1234 | 652-5550
12-34-AB | 1-2-CD
1+ | 2- | 3 | 2+ | 1-
3/4 | 1/2 | 12/5
15 marca 2023 | 16 марта 2023 г.
2023年3月15日 | 2023년 3월 16일
2023-3-15 | 2023-3-16
[15/Mar/2023:21:00:05 +0000] | [16/Mar/2023:21:00:05 +0100]
2024-Q3 | FY2023 Q1 | 2023Q4
2024-01-31 12:00 UTC | 2024-01-31 23:30 PST
01/02/2024 | 25/02/2024 | 03/26/2024
Mar-23 | Apr-23
20-29 | 30-39
<=50K | >50K
€ 5 | $ 7
1,200 | 1.200
5 | 7 | 9 | several
"""
AMBIGUOUS = r"""
950 | 1.205 | 12.035
58.5 % | .25 | 61% | 0
5.06 | 7,25 | 1.200,5 | 3
Mar-23 | Apr-23
€ 5 | $ 7
1,200 | 1.200
"""
NAMES = r"""
1st | 2nd | 23rd | 4th
3rd floor | 2nd floor
007 | 008 | 013K
AB12 | AB7
N18.6 | E11.9
RM101 | RM12
v1.2 | v2.0
1 | 2 | A
12 | low
Sun 12 | Mon 13
4611686018427387904 | 4611686018427387905
a (b) | c/d
marble 12 | may be | decor 3
type 2 | type 1
2f504e0d-4f89-11d3-9a0c-0305e82c3301 | 3f2504e0-4f89-11d3-9a0c-0305e82c3301
"""


def columns(block: str) -> list[list[str]]:
    return [line.split(" | ") for line in block.strip().split("\n")]


def repeated(entries: list[str]) -> pd.Series:
    """The entries in about forty rows."""
    return pd.Series((entries * 40)[: len(entries) * max(2, 40 // len(entries))], name="v")


def from_file(folder, column: pd.Series) -> pd.Series:
    """The column after a way through a file."""
    column.to_frame().to_csv(folder / "t.csv", index=False)
    return read_table(folder / "t.csv")["v"]


@pytest.mark.parametrize("entries, expected", READ)
def test_read_rightly(tmp_path, entries, expected):
    entries = entries.split(" | ")
    for column in (repeated(entries), from_file(tmp_path, repeated(entries))):
        role = find_role(column)
        found = role.read(column[: len(entries)])
        assert not found.unread.any()
        if isinstance(expected, str):
            assert role.role == "date"
            days = (pd.Timestamp(expected) - pd.Timestamp(0)) / pd.Timedelta(days=1)
            assert found.columns[role.parts.index("elapsed days")][0] == pytest.approx(days)
        else:
            assert role.role == "number"
            np.testing.assert_array_equal(found.columns[0], expected)


@pytest.mark.parametrize("entries", columns(REFUSED), ids=" | ".join)
def test_refused_by_name(tmp_path, entries):
    if entries[0] == "5":
        entries = [*map(str, range(20)), *["several"] * 5]
    alone = pd.Series(entries, name="v")
    for column in (alone, from_file(tmp_path, alone)):
        role = find_role(column)
        assert role.role == "refused"
        assert 0 < role.entries <= len(column)
        assert role.example in entries
        assert f"{role.entries} entr" in role.line
        assert repr(role.example) in role.line
        assert "--types" in role.line or "--decimal" in role.line
        assert "\n" not in role.line
        assert find_role(column, "category").role == "category"
    # what repeats is compared as it is, but for dates, and for numbers that may be read in two ways
    often = find_role(repeated(entries))
    assert often.role == "refused" if entries in columns(AMBIGUOUS) else often.role == "category"
    assert often.role == "refused" or often.remark.endswith("are compared as they are")


@pytest.mark.parametrize("entries", columns(NAMES), ids=" | ".join)
def test_names(tmp_path, entries):
    for column in (repeated(entries), from_file(tmp_path, repeated(entries))):
        assert find_role(column).role == "category"
        assert set(find_role(column).values) == set(entries)


@pytest.mark.parametrize(
    "entries, asked",
    [
        ("31.01.2024 | 01.02.2024", "%d.%m.%Y"),
        ("01/31/2024 12:30 | 02/01/2024 08:00", "%m/%d/%Y %H:%M"),
        ("31 Jan 2024 | 01 Feb 2024", "%d %b %Y"),
        ("202401 | 202402 | 202403 | 202404 | 202405 | 202406", "%Y%m"),
        ("31012024 | 01022024", "%d%m%Y"),
    ],
)
def test_what_to_declare_is_said_and_then_read(tmp_path, entries, asked):
    for column in (repeated(entries.split(" | ")), from_file(tmp_path, repeated(entries.split(" | ")))):
        assert f"--types 'v=date:{asked}'" in find_role(column).line
        role = find_role(column, f"date:{asked}")
        assert not role.read(column).unread.any()
        assert role.read(column).columns[role.parts.index("month")][0] == 1


def test_codes_of_one_length_are_names_and_a_stray_zero_makes_none_of_numbers(tmp_path):
    codes = [f"{code:05}" for code in range(500, 99_500, 3000)]
    assert find_role(from_file(tmp_path, repeated(codes + codes))).role == "category"
    numbers = [f"{j}.5" for j in range(20)] + ["00"]
    assert find_role(from_file(tmp_path, pd.Series(numbers, name="v"))).role == "refused"


def test_intervals_and_open_ends_that_repeat_are_categories():
    ages = [f"{age}-{age + 9}" for age in range(20, 80, 10)]
    role = find_role(repeated(ages))
    assert (role.role, role.values) == ("category", tuple(ages))
    assert role.remark == "entries such as '20-29' are compared as they are"
    assert find_role(repeated(["2", "3", "4", "5more"])).values == ("2", "3", "4", "5more")
    assert find_role(pd.Series([f"{j} kg" for j in range(40)], name="v")).role == "refused"


@pytest.mark.parametrize("name", ["id", "customer_id", "No", "key", "userId"])
def test_what_names_few_rows_is_no_number(name):
    for entries in ([1, 2, 3], [3, 1, 1], [10, 20, 30, 40, 50], ["a1", "a2", "a3"], ["a", "a", "b"]):
        assert find_role(pd.Series(entries, name=name)).role == "identifier"
        assert find_role(pd.Series(entries, name="measure")).role in ("number", "category")
    assert find_role(pd.Series([0.5, 1.5, 2.5], name=name)).role == "number"


def test_day_and_month_that_may_change_places_are_both_offered():
    line = find_role(repeated(["01/02/2024", "03/04/2024"])).line
    assert "--types 'v=date:%d/%m/%Y' or --types 'v=date:%m/%d/%Y'" in line


def test_the_decimal_sign_follows_the_other_columns_or_the_user():
    table = pd.DataFrame({"sure": ["1,5", "2,25", "3"] * 9, "open": ["1.200", "3.400", "7"] * 9})
    assert TableCleaner().fit_transform(table)["open"].tolist()[:2] == [1200, 3400]
    assert find_role(table["open"]).role == "refused"
    assert TableCleaner(decimal=".").fit_transform(table[["open"]])["open"].tolist()[:2] == [1.2, 3.4]
    role = find_role(repeated(["1,200", "3,400"]))
    assert role.remark == "'1,200' read as 1200 (--decimal , reads 1.2)"


def test_few_entries_that_are_no_numbers_are_missing_and_said():
    weights = [*(f"{w / 10}" for w in range(500, 600)), "5 kg", "-"]
    role = find_role(pd.Series(weights, name="w"))
    assert (role.role, role.entries, role.example) == ("number", 1, "5 kg")
    assert role.remark == "1 entry '-' read as missing; 1 entry that is not a number ('5 kg') read as missing"
