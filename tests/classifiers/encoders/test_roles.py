"""Roles of columns: raw tables as people have them, read as a person would read them."""

from __future__ import annotations

import json
import uuid

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from partitope.base import date_texts, number_texts
from partitope.base.date_texts import FORMATS, ISO, _plainly, _shaped, read_dates
from partitope.base.number_texts import read_numbers
from partitope.classifiers import ClusteringClassifier, TableCleaner
from partitope.classifiers.encoders.find_role import find_role
from partitope.classifiers.encoders.leaks import gives_away
from partitope.models import InvalidInputError
from partitope.solvers import GeometricPartitioner
from partitope.workflows.model_state import from_state, state_of

N = 120
RNG = np.random.default_rng(0)
DAYS = pd.Timestamp("2023-01-30") + pd.to_timedelta(RNG.integers(0, 500, N), unit="D")
PRICES = np.round(np.exp(RNG.normal(7, 1, N)), 2)


@parametrize_with_checks([TableCleaner()])
def test_sklearn_contract(estimator, check):
    check(estimator)


LIMITS, RANGES = ("limits (read as the number)",), "ranges (read as the middle)"
BRACKETS = "brackets (read as minus)"
HOURS = "hours and minutes (read as hours)"


@pytest.mark.parametrize(
    "texts, numbers, found",
    [
        (["1,5", "2,25", "1.200,5"], [1.5, 2.25, 1200.5], ("decimal comma", "thousands separators")),
        (["$1,200.50", "USD 5", "(7)", "-$3"], [1200.5, 5, -7, -3], (BRACKETS, "currency", "thousands separators")),
        (["12 %", "7%"], [12, 7], ("percent signs",)),
        (["12 %", "7%", "−5"], [12, 7, -5], ("percent signs behind some of them, not all",)),
        (["950", "1.200", "12.035"], [950, 1200, 12035], ("thousands separators",)),
        (["١٢", "１７.５", "3"], [12, 17.5, 3], ()),
        (["950", "1.205", "12.035"], [950, 1.205, 12.035], ()),
        (["1 200", "1 200.5", "1'200"], [1200, 1200.5, 1200], ("thousands separators",)),
        (["1,200", "3,400"], [1200, 3400], ("thousands separators",)),
        (["0,125", "3,400"], [0.125, 3.4], ("decimal comma",)),
        (["1e-3", ".5", "5.", "inf"], [1e-3, 0.5, 5, np.inf], ()),
        (["CHF 5", "7 kr", "€8"], [5, 7, 8], ("currencies CHF, EUR, KR as if they were one (convert them first)",)),
        (["12\u2009500", "900"], [12500, 900], ("thousands separators",)),
        (["3,125e+05", "1,500e+04"], [312500, 15000], ("decimal comma",)),
        (["1h 30m", "45:00", "2 hours 15 min"], [1.5, 45, 2.25], (HOURS,)),
        (["5-", "1,200.50-", "3"], [-5, -1200.5, 3], ("minus signs behind", "thousands separators")),
        (["9.3 kg", "10kg", "8 KG", "7"], [9.3, 10, 8, 7], ("the unit kg",)),
        (["1.200,5 km/h", "3,5 km/h"], [1200.5, 3.5], ("decimal comma", "the unit km/h", "thousands separators")),
        (["21 °C", "-3.5°C"], [21, -3.5], ("the unit °C",)),
        (["13:45", "0:30", "-1:15"], [13.75, 0.5, -1.25], (HOURS,)),
        (["1:45 pm", "12:00 AM", "12:30 p.m."], [13.75, 0, 12.5], (HOURS,)),
        (["100:00:36", "0:59:15.0"], [100.01, 0.9875], (HOURS,)),
        (["<5", ">= 80", "≤7.5", "~12", "ca. 3", "80+", "65 and over", "4"], [5, 80, 7.5, 12, 3, 80, 65, 4], LIMITS),
        (
            ["5-10", "5–10", "5 to 6 kg", "10 bis 20 kg", "2 kg - 3 kg"],
            [7.5, 7.5, 5.5, 15, 2.5],
            (RANGES, "the unit kg"),
        ),
        (["[16, 21)", "(16.0, 21.0]", "[1.5; 2.5]"], [18.5, 18.5, 2], (RANGES,)),
        (
            ["16.8*", "16.8 (est.)", "16.8 ± 1.7", "<5*"],
            [16.8, 16.8, 16.8, 5],
            ("limits (read as the number)", "marks behind them"),
        ),
        (["5 mg", "7 mg", "2 g", ".001 kg"], [5, 7, 2000, 1000], ("the unit mg", "units of its kind (turned into mg)")),
        (["1.5k", "2.5K", "1M", "700"], [1.5, 2.5, 1000, 0.7], ("the unit k", "units of its kind (turned into k)")),
        (["3 mg/dl", "4 mg/dl", "1 g/l"], [3, 4, 100], ("the unit mg/dl", "units of its kind (turned into mg/dl)")),
        (["180 cm", "175 cm", "70 in"], [180, 175, 177.8], ("the unit cm", "units of its kind (turned into cm)")),
        (["90 min", "30 min", "2 h"], [90, 30, 120], ("the unit min", "units of its kind (turned into min)")),
        (["12,34,567", "1,00,000", "5,000"], [1234567, 100000, 5000], ("thousands separators",)),
        (["1st", "2nd", "23rd", "4th"], [1, 2, 23, 4], ()),
        (["58.5 %", ".25", "61%", "0"], [58.5, 25, 61, 0], ("shares (turned into percent)",)),
        (["12 %", "7 %", "0.5"], [12, 7, 50], ("shares (turned into percent)",)),
        ([".2 %", "7 %", "1.3 %", "0.5"], [0.2, 7, 1.3, 0.5], ("percent signs behind some of them, not all",)),
        (["20 °C", "68 °F", "-4°F", "25℃"], [20, 20, -20, 25], ("the unit °C", "units of its kind (turned into °C)")),
        (["20 °C", "21 degC", "22 C"], [20, 21, 22], ("the unit °C", "units of its kind (turned into °C)")),
        (["40-60%", "0.5", "70 %"], [50, 50, 70], (RANGES, "shares (turned into percent)")),
        (["300 K", "26.85 C", "310K"], [300, 300, 310], ("the unit K", "units of its kind (turned into K)")),
        (
            ["$(1,200)", "(5) €", "$7"],
            [-1200, -5, 7],
            (BRACKETS, "currencies EUR, USD as if they were one (convert them first)", "thousands separators"),
        ),
        (["12,- €", "3,--", "1.200,—"], [12, 3, 1200], ("currency", "decimal comma", "thousands separators")),
        (["12.-", "3.--"], [12, 3], ()),
        (["3/4", "1 1/2", "5-3/8", "2½", "¼", "7", "0/4"], [0.75, 1.5, 5.375, 2.5, 0.25, 7, 0], ("fractions",)),
        (['7 1/2"', '3"'], [7.5, 3], ("fractions", 'the unit "')),
        (["3 wks", "14 days", "2 wks"], [3, 2, 2], ("the unit wks", "units of its kind (turned into wks)")),
        (["8.30 am", "9 pm", "12 am"], [8.5, 21, 0], (HOURS,)),
        (["PT36H", "PT90M"], [36, 1.5], (HOURS,)),
        (['="12"', "'7", "2 x 10^3", "1.5·10⁻²"], [12, 7, 2000, 0.015], ()),
        (["48.85 N", "12.1N", "3.5 S", "N 12.1", "S 7"], [48.85, 12.1, -3.5, 12.1, -7], ("S as minus N", "the unit N")),
        (["1,850 sq ft", "900 sq. ft."], [1850, 900], ("the unit sqft", "thousands separators")),
        (["4.1 l/100km", "7 l/100 km"], [4.1, 7], ("the unit l/100km",)),
        (
            ["$1,900/mo", "$850 /mo", "$12,000/yr"],
            [1900, 850, 1000],
            ("currency", "the unit /mo", "thousands separators", "units of its kind (turned into /mo)"),
        ),
        (["661 € / Monat", "900 € / Monat"], [661, 900], ("currency", "the unit /Monat")),
        (["26 m^2", "30 m²"], [26, 30], ("the unit m²",)),
        (["1404 € VB", "900 €"], [1404, 900], ("currency", "marks behind them")),
        (["from $470", "ab 500", "max. 12"], [470, 500, 12], ("currency", "limits (read as the number)")),
        (["AED 1,839", "AED 5"], [1839, 5], ("currency", "thousands separators")),
        (["10,50 S", "7,25 H"], [-10.5, 7.25], ("S as minus H", "decimal comma", "the unit H")),
        (["3 D", "7 C"], [-3, 7], ("D as minus C", "the unit C")),
        (["▲ 8.45%", "▼ 2.5 %"], [8.45, -2.5], ("percent signs",)),
        (["28.2-inch", "15-inch", "3-"], [28.2, 15, -3], ("minus signs behind", "the unit inch")),
        (["1.397D+02", "2D-01"], [139.7, 0.2], ()),
        (
            ["5.06", "7,25", "1.200,5", "3"],
            [5.06, 7.25, 1200.5, 3],
            ("both decimal signs, each number by its own", "decimal comma", "thousands separators"),
        ),
        (["6.1 H", "3.3", "2.9L", "15 HH"], [6.1, 3.3, 2.9, 15], ("flags H and L",)),
        (["1.2B", "300M", "2T", "1.5B"], [1.2, 0.3, 2000, 1.5], ("the unit B", "units of its kind (turned into B)")),
        (
            ["2 years", "3 months", "1 year", "1461 days"],
            [2, 0.25, 1, 4],
            ("the unit years", "units of its kind (turned into years)"),
        ),
        (["1 star", "4 stars", "2 stars"], [1, 4, 2], ("the unit stars",)),
        (["3rd floor", "2nd floor"], [3, 2], ("the unit floor",)),
        (["692 KiB", "2 MiB", "512 KiB"], [692, 2048, 512], ("the unit KiB", "units of its kind (turned into KiB)")),
        (["4 or more", "1"], [4, 1], ("limits (read as the number)",)),
        (["2.35° W", "3° W", "3.5°E"], [-2.35, -3, 3.5], ("the unit °E", "°W as minus °E")),
        (["5.00 CR", "7.50 DR"], [5, -7.5], ("DR as minus CR", "the unit CR")),
        (
            ["1.2 Mio. €", "3 Mio. €", "900 Tsd. €"],
            [1.2, 3, 0.9],
            ("currency", "the unit Mio", "units of its kind (turned into Mio)"),
        ),
    ],
)
def test_numbers_as_people_write_them(texts, numbers, found):
    reading = read_numbers(np.array([*texts, None, "?", "n/a"], dtype=object))
    np.testing.assert_array_equal(reading.values, [*numbers, np.nan, np.nan, np.nan])
    assert not reading.unread.any()
    assert reading.found == found


SEVERAL_UNITS = [
    (["5'11\"", "6′ 2″", "5 ft 6 in", "5 feet, 3 inches", "6'", "5'6", "5' 4 1/2\""], "ft",
     [5 + 11 / 12, 6 + 1 / 6, 5.5, 5.25, 6, 5.5, 5.375]),
    (["12 lb 8 oz", "7lbs 4oz", "1 st 2 lb", "3 lb"], "lb", [12.5, 7.25, 16, 3]),
    (["1m75", "1 m 80 cm", "95 cm"], "m", [1.75, 1.8, 0.95]),
    (["2d 5h", "1 h 30 min", "1h30", "14 days 15:12:00", "1 Tag und 6 Stunden", "45m", "PT5H51M", "P1DT2H", "-1:15"],
     "h", [53, 1.5, 1.5, 351.2, 30, 0.75, 5.85, 26, -1.25]),
    (["3 years 6 months", "1y 3m", "2 Jahre", "9 mois"], "years", [3.5, 1.25, 2, 0.75]),
    (["12°30'", "46°48'36\"S", "W 2° 15'", "7°30'N"], "°", [12.5, -46.81, -2.25, 7.5]),
    (["5'51\"", "10'30\""], "min", [5.85, 10.5]),
    (["59:30", "1:05:30", "45:15", "2:00:00.6"], "min:s", [59.5, 65.5, 45.25, 120.01]),
    (["18:30", "1:05:30", "17:15"], "min:s", [18.5, 65.5, 17.25]),
    (["14:30", "14:30:36", "9:15"], "h", [14.5, 14.51, 9.25]),
    (["14:30 Uhr", "9:15 Uhr"], "h", [14.5, 9.25]),
    (["1:18.48", "12:03.6", "0:59.40"], "min:s", [1.308, 12.06, 0.99]),
    (["5:30 min/km", "6:15/km", "72:30 /km"], "min:s", [5.5, 6.25, 72.5]),
]  # fmt: skip


@pytest.mark.parametrize("texts, unit, numbers", SEVERAL_UNITS)
def test_numbers_in_several_units(texts, unit, numbers):
    """In the first unit of their kind, alone and beside plain numbers, which have it too; at prediction likewise."""
    reading = read_numbers(np.array([*texts, "4", None], dtype=object))
    np.testing.assert_allclose(reading.values, [*numbers, 4, np.nan], rtol=1e-12)
    assert reading.unit == unit
    assert len(reading.found) == 1
    for text, number in zip(texts, numbers):
        again = read_numbers(np.array([text], dtype=object), unit=unit)
        np.testing.assert_allclose(again.values, [number], rtol=1e-12)
    assert read_numbers(np.array(["5 kg", "7 kg", "2 kg", texts[0]], dtype=object)).unread.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("text", ["1h 90m", "5 in 3 ft", "5 ft 3 kg", "1 a 5", "5 3", "P", "3 h 2 h", "13:45 pm"])
def test_what_is_no_number_in_several_units(text):
    assert read_numbers(np.array(["1h 30m", "2 ft 3 in", text], dtype=object)).unread[2]


SEVERAL_NUMBERS = [
    (["120/80 mmHg", "135 / 85", "95/60 mmHg"], [[120, 80], [135, 85], [95, 60]]),
    (["48.85, 2.35", "-33.9, 18.4", "(40.7, -74.0)"], [[48.85, 2.35], [-33.9, 18.4], [40.7, -74]]),
    (["48,85; 2,35", "40,7; 74,0"], [[48.85, 2.35], [40.7, 74]]),
    (["48.85N, 2.35E", "12.5S, 77W"], [[48.85, 2.35], [-12.5, -77]]),
    (["48°51'N, 2°21'E", "12°30'S, 77°15'W"], [[48.85, 2.35], [-12.5, -77.25]]),
    (["48.85 2.35", "40.7 -74.0"], [[48.85, 2.35], [40.7, -74]]),
    (["POINT (2.35 48.85)", "POINT(-74 40.7)"], [[2.35, 48.85], [-74, 40.7]]),
    (["10 x 20 x 3 cm", "5×4×2.5 cm"], [[10, 20, 3], [5, 4, 2.5]]),
    (["1920x1080", "800x600"], [[1920, 1080], [800, 600]]),
    (["38+4", "40+1"], [[38, 4], [40, 1]]),
    (["12 of 15", "3 of 20"], [[12, 15], [3, 20]]),
    (["90-112", "101 - 98"], [[90, 112], [101, 98]]),
    (["4-27-7", "10-3-12"], [[4, 27, 7], [10, 3, 12]]),
]


@pytest.mark.parametrize("texts, numbers", SEVERAL_NUMBERS)
def test_several_numbers_in_an_entry_are_columns_of_their_own(texts, numbers):
    table = pd.DataFrame({"v": texts * 20, "b": ["x", "y"] * (10 * len(texts))})
    cleaner = TableCleaner().fit(table)
    width = len(numbers[0])
    assert list(cleaner.transform(table)) == [*(f"v: {j + 1}" for j in range(width)), "b"]
    assert f"column v: {width} numbers in every entry ({texts[0]!r}), read as columns 'v: 1'" in cleaner.lines()[0]
    again = from_state(json.loads(json.dumps(state_of(cleaner))))
    assert again.lines() == cleaner.lines()
    new = pd.DataFrame({"v": [*texts, "abc", None], "b": "x"})
    assert again.findings(new) == [f"column v: 1 of {len(texts) + 2} entries is no vector ('abc'), read as missing"]
    with pytest.warns(UserWarning, match="'abc'"):
        read = again.transform(new).iloc[:, :width]
    np.testing.assert_allclose(read, [*numbers, [np.nan] * width, [np.nan] * width])
    assert TableCleaner(types={"v": "category"}).fit(table).roles_[0].role == "category"


@pytest.mark.parametrize(
    "texts",
    [
        ["N18.6", "E11.9"],
        ["12 34", "56 78"],
        ["+49 30 0123", "+49 40 0456"],
        ["030/1234", "040/5678"],
        ["red, blue", "1, 2"],
        ["1, 2", "1, 2, 3"],
        ["1.2.3"] * 2,
        ["555-1234", "652-5550"],
        ["561-86", "118-42"],
        ["12-34-AB", "1-2-CD"],
    ],
)
def test_what_is_no_row_of_numbers(texts):
    assert find_role(pd.Series(texts * 20, name="v")).role != "vector"


NO_NUMBERS = [
    "abc",
    "1,2,3",
    "1.2.3",
    "5-3",
    "12 34",
    ".",
    "1 200 5",
    "A11",
    "--5",
    "(5",
    "1,,2",
    "05-2020",
    "10-5",
    "<",
    "5 to",
    "a-5",
    "1-2-3",
]
NO_SIGN_OR_TIME = ["-5-", "9:75", "13:45 pm", "1:2:3"]


@pytest.mark.parametrize("text", NO_NUMBERS + NO_SIGN_OR_TIME)
def test_what_is_no_number(text):
    reading = read_numbers(np.array(["1.5", "2.5", text], dtype=object))
    assert np.isnan(reading.values[2])
    assert reading.unread[2] == (text not in ("--", "."))


def test_a_column_has_one_unit():
    weights = [f"{w:.1f} kg" for w in RNG.uniform(50, 90, N)]
    weights[3], weights[4], weights[5] = "900 ml", "75", "60000 g"
    table = pd.DataFrame({"weight": weights, "arrives": [f"{i % 24}:{i % 60:02}" for i in range(N)]})
    cleaner = TableCleaner().fit(table)
    assert cleaner.lines() == [
        "column weight: numbers with the unit kg, units of its kind (turned into kg); 1 entry that is no number "
        "('900 ml') read as missing",
        "column arrives: numbers with hours and minutes (read as hours)",
    ]
    again = from_state(json.loads(json.dumps(state_of(cleaner))))
    read = again.transform(pd.DataFrame({"weight": ["70 kg", "70", "70000 ml"], "arrives": ["6:30"] * 3}))
    np.testing.assert_array_equal(read, [[70, 6.5], [70, 6.5], [np.nan, 6.5]])
    ages = pd.DataFrame(
        {"age": [*(str(20 + i % 60) for i in range(N - 1)), "12a"]}
    )  # most have none: so has the column
    assert TableCleaner().fit(ages).lines() == ["column age: 1 entry that is no number ('12a') read as missing"]
    mixed = pd.DataFrame({"weight": ["900 ml", "2 kg"] * 20})  # of different units neither is more
    assert TableCleaner().fit(mixed).roles_[0].role == "category"


@pytest.mark.parametrize("texts", [["1+", "2-", "3", "2+", "1-"], ["AB12", "AB7"], ["RM101", "RM12"], ["Rs5", "X7"]])
def test_marks_of_schools_and_codes_are_categories(texts):
    assert find_role(pd.Series(texts * 20, name="v")).role == "category"


def test_words_among_numbers():
    """A few words are missing entries, whatever their share; limits that say the same number are categories."""
    numbers = [f"{i / 7:.2f}" for i in range(100)]
    trace = pd.DataFrame({"value": [*numbers, *["trace"] * 40]})
    assert TableCleaner().fit(trace).lines() == [
        "column value: 40 entries that are no number ('trace') read as missing"
    ]
    assert TableCleaner().fit(pd.DataFrame({"value": ["<=50K", ">50K"] * 20})).roles_[0].role == "category"


def test_the_decimal_sign_can_be_told():
    texts = np.array(["1.200", "3.400"], dtype=object)
    assert read_numbers(texts).values.tolist() == [1.2, 3.4]
    assert read_numbers(texts, ",").values.tolist() == [1200, 3400]
    columns = pd.DataFrame({"sure": ["1,5", "2,25", "3"] * 9, "open": ["1,200", "3,400", "7"] * 9})
    assert TableCleaner().fit_transform(columns)["open"].tolist()[:2] == [1.2, 3.4]  # as the other column
    assert TableCleaner(decimal=".").fit_transform(columns[["open"]])["open"].tolist()[:2] == [1200, 3400]


@pytest.mark.parametrize(
    "format",
    [
        "%Y-%m-%d",
        "%d.%m.%Y",
        "%m/%d/%Y",
        "%d/%m/%Y",
        "%d %b %Y",
        "%B %d, %Y",
        "%Y-%m-%d %H:%M:%S",
        "%d-%b-%y",
        "%Y-%m-%dT%H:%M:%S+00:00",
        "%Y%m%d",
        "%m/%d/%Y %I:%M %p",
    ],
)
def test_dates_in_many_formats_become_the_same_numbers(format):
    table = pd.DataFrame({"when": DAYS.strftime(format)})
    if format == "%Y%m%d":
        table["when"] = table["when"].astype(int)
    read = TableCleaner().fit_transform(table)
    assert list(read) == ["when: year", "when: month", "when: day of week", "when: elapsed days"]
    expected = np.column_stack([DAYS.year, DAYS.month, DAYS.day_of_week, (DAYS - pd.Timestamp(0)).days])
    np.testing.assert_array_equal(read, expected)
    as_times = TableCleaner().fit(table).transform(table.assign(when=DAYS if format != "%Y%m%d" else table["when"]))
    np.testing.assert_array_equal(as_times, expected)


def test_a_column_may_mix_formats_of_dates_and_name_months_in_german():
    german = ["Jan", "Februar", "März", "April", "Mai", "Juni", "Juli", "Aug", "Sept", "Oktober", "Nov", "Dez"]
    mixed = [
        day.strftime(("%Y-%m-%d", "%d.%m.%Y", f"%d. {german[day.month - 1]} %Y")[j % 3]) for j, day in enumerate(DAYS)
    ]
    cleaner = TableCleaner().fit(pd.DataFrame({"when": [*mixed, "0000-00-00", "9999-12-31"]}))
    assert "formats" in cleaner.lines()[0]
    read = cleaner.transform(pd.DataFrame({"when": mixed}))
    np.testing.assert_array_equal(read["when: elapsed days"], (DAYS - pd.Timestamp(0)).days)
    told = find_role(pd.Series(["01/02/2024", "25/02/2024", "03/26/2024"] * 9, name="when"))  # not both in one column
    assert told.role == "text"
    assert told.remark == (
        "dates with the day first and with the month first (9 like '03/26/2024', 9 like '25/02/2024'), so that the "
        "others may be either: left out; write all in one order (--types 'when=date:%m/%d/%Y' reads those that fit, "
        "the others as missing)"
    )


@pytest.mark.parametrize("format", ["%b-%y", "%b %y", "%b'%y", "%y-%b", "%B-%Y", "%Y-%b", "%m/%y", "%m.%Y"])
def test_months(format):
    months = pd.Series(DAYS.to_period("M").to_timestamp())
    read = TableCleaner().fit_transform(pd.DataFrame({"when": months.dt.strftime(format)}))
    assert list(read) == ["when: year", "when: month", "when: elapsed days"]
    np.testing.assert_array_equal(read["when: elapsed days"], (months - pd.Timestamp(0)).dt.days)
    days = pd.Series([f"Feb-{1 + j % 28}" for j in range(N)], name="when")  # days of a month are no years
    assert find_role(days).parts == ("day of year",)


@pytest.mark.parametrize("format", ["%d %b", "%B %d", "%d. %B", "%d-%b", "%d.%m.", "--%m-%d", "%m/%d", "%d-%m"])
def test_dates_without_a_year_are_days_of_a_leap_year(format):
    days = pd.date_range("2000-01-03", "2000-12-30", periods=N).normalize()
    texts = days.strftime(format)
    cleaner = TableCleaner().fit(pd.DataFrame({"when": texts}))
    assert cleaner.roles_[0].remark == "dates without a year, 03 January to 30 December, read as month, day of year"
    again = from_state(json.loads(json.dumps(state_of(cleaner))))
    read = again.transform(pd.DataFrame({"when": texts}))
    assert list(read) == ["when: month", "when: day of year"]
    np.testing.assert_array_equal(read, np.column_stack([days.month, days.day_of_year]))
    leap = again.transform(pd.DataFrame({"when": [pd.Timestamp("2000-02-29").strftime(format)]}))
    assert leap.iloc[0].tolist() == [2, 60]


@pytest.mark.parametrize("texts", [["3/4", "1/2", "12/5"], ["120/80", "110/70"], ["Sun 12", "Mon 13"], ["3:1", "0:2"]])
def test_what_is_no_date_without_a_year(texts):
    assert read_dates(np.array(texts, dtype=object)) is None


@pytest.mark.parametrize(
    "texts",
    [
        ["Wednesday, 15 March 2023", "Thursday, 16 March 2023"],
        ["Wed Mar 15 2023", "Thu Mar 16 2023"],
        ["Mi, 15.03.2023", "Do. 16.03.2023"],
        ["mer. 15 mars 2023", "jeudi 16 mars 2023"],
        ["15 de marzo de 2023", "jueves, 16 de marzo de 2023"],
        ["15th of March 2023", "March 16th, 2023"],
        ["2023-03-15 (Wed)", "2023-03-16 Thu"],
        ["Wed Mar 15 00:00:00 2023", "Thu Mar 16 00:00:00 2023"],
        ["15 Mar. 2023", "16 mars 2023"],
        ["15 marzo 2023", "16 maart 2023"],
        ["15 de março de 2023", "16 de março de 2023"],
        ["15 marca 2023", "16 марта 2023 г."],
        ["15. března 2023", "16 Mart 2023"],
        ["2023年3月15日", "2023년 3월 16일"],
        ["15032023", "16032023"],
        ["2023-3-15", "2023-3-16"],
    ],
)
def test_days_of_the_week_and_ordinal_numbers_are_taken_off(texts):
    reading = read_dates(np.array(texts, dtype=object))
    assert reading.values.tolist() == [pd.Timestamp("2023-03-15"), pd.Timestamp("2023-03-16")]


@pytest.mark.parametrize(
    "texts",
    [
        ["[15/Mar/2023:21:00:05 +0000]", "[16/Mar/2023:21:00:05 +0100]"],
        ["Wed, 15 Mar 2023 21:00:05 GMT", "Thu, 16 Mar 2023 21:00:05 -0500"],
        ["15.03.2023 21:00:05 Uhr", "16.03.2023 21:00:05"],
        ["03/15/2023 21:00:05 -05:00", "03/16/2023 21:00:05Z"],
    ],
)
def test_times_of_logs_are_those_of_the_place(texts):
    days = [pd.Timestamp("2023-03-15 21:00:05"), pd.Timestamp("2023-03-16 21:00:05")]
    assert read_dates(np.array(texts, dtype=object)).values.tolist() == days


def test_six_digits_are_dates_where_their_name_says_so():
    numbers = DAYS.strftime("%y%m%d").astype(int)
    role = find_role(pd.Series(numbers, name="birth date"))
    np.testing.assert_array_equal(role.read(pd.Series(numbers)).columns[-1], (DAYS - pd.Timestamp(0)).days)
    np.testing.assert_array_equal(role.read(pd.Series(DAYS.strftime("%y%m%d"))).columns[0], DAYS.year)
    assert find_role(pd.Series(numbers, name="price")).role == "number"


def test_eight_digits_are_dates_where_all_of_them_are():
    assert read_dates(np.array(["15032023", "16032023", "32032023"], dtype=object)) is None


def test_long_texts_are_left_as_they_are():
    """They are no dates, and patterns would look through all of their words."""
    text = "Monday " + "word " * 2_000 + "15 März 2023"
    assert _plainly(text) == text


def test_ratios_with_a_colon_are_no_times():
    feet = read_numbers(np.array(["5'11\"", "6' 2\"", "5' 3\"", "3:1"], dtype=object))  # a stray one changes no unit
    assert (feet.unit, feet.unread.tolist()) == ("ft", [False, False, False, True])
    texts = [f"{a}:{100 - a}" for a in range(40, 100)]
    role = find_role(pd.Series(texts, name="split"))
    assert (role.role, role.format) == ("vector", ":")


def test_zones_that_make_another_day_of_a_time_are_said():
    late = [f"2024-03-{1 + j % 28:02}T23:30:00{('+00:00', '-05:00')[j % 2]}" for j in range(N)]
    assert find_role(pd.Series(late, name="at")).remark.endswith(
        "; in UTC, where 60 entries fall on another day than written"
    )
    noon = [entry.replace("23:30", "12:30") for entry in late]
    assert "UTC" not in find_role(pd.Series(noon, name="at")).remark
    aware = pd.Series(pd.to_datetime([entry[:19] for entry in late]).tz_localize("America/New_York"), name="at")
    assert "where 120 entries fall on another day" in find_role(aware).remark


def test_words_between_numbers_are_said():
    mixed = pd.Series([f"{j}" if j % 2 else f"w{j % 30}" for j in range(N)], name="v")
    role = find_role(mixed)
    assert (role.role, role.remark) == (
        "category",
        "75 values in 120 rows, kept as a category; 60 of 120 entries are numbers, not 'w0' "
        "(--types v=number reads such as missing)",
    )
    assert find_role(mixed, "number").role == "number"
    assert "are numbers" in find_role(pd.Series([f"{j}" if j % 2 else f"w{j}" for j in range(N)], name="v")).remark
    for codes in (["1", "2", "A"], ["01", "02", "A"]):
        assert find_role(pd.Series(codes * 20, name="v")).remark == ""


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


@pytest.mark.parametrize("fill", [-32768, 2**31 - 1, 1e20, float(np.finfo(np.float32).min), -9999])
def test_numbers_that_programs_fill_in_are_missing(fill):
    role = find_role(pd.Series(np.where(np.arange(N) % 20 == 3, fill, RNG.integers(0, 60, N)), name="v"))
    assert float(role.gap) == fill
    assert "6 entries" in role.remark


def test_what_hardly_any_row_says_is_said_or_left_out():
    for column, remark in [
        (["z"] * (N - 1) + ["w"], "one value (z) in all 120 rows but one, left out"),
        ([7.0] * (N - 1) + [8.0], "one value (7) in all 120 rows but one, left out"),
        ([None] * (N - 1) + ["w"], "one entry (w) in 120 rows, left out"),
        ([np.nan] * (N - 1) + [3.0], "one entry (3) in 120 rows, left out"),
    ]:
        role = find_role(pd.Series(column, name="v"))
        assert (role.role, role.remark) == ("constant", remark)
    rare = find_role(pd.Series(["z"] * (N - 2) + ["w"] * 2, name="v"))
    assert (rare.role, rare.remark) == ("category", "")
    for column in (
        np.where(np.arange(N) % 5 < 2, PRICES, np.nan),
        [["a", "b", None, None, None][j % 5] for j in range(N)],
    ):
        assert find_role(pd.Series(column, name="v")).remark == "no entry in 72 of 120 rows"


@pytest.mark.parametrize(
    "true, false", [("vrai", "faux"), ("sí", "no"), ("verdadero", "falso"), ("sim", "não"), ("да", "нет"), ("✓", "✗")]
)
def test_truth_in_several_languages(true, false):
    role = find_role(pd.Series([true, false] * 20, name="v"))
    assert role.read(pd.Series(["True", "0", true.upper()])).columns[0].tolist() == [true, false, true]


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


def test_spellings_of_one_word_are_one_category():
    table = pd.DataFrame(
        {"sex": ["Male", "male", "MALE", "Female", "male"] * 4, "paid": ["Yes", "no", "Y", "N", "no"] * 4}
    )
    table["letter"], table["umlaut"] = ["a", "A", "b", "a", "a"] * 4, ["\u00e4", "a\u0308", "o", "u", "u"] * 4
    cleaner = TableCleaner().fit(table)
    assert [role.values for role in cleaner.roles_] == [
        ("Female", "male"),
        ("Yes", "no"),
        ("A", "a", "b"),
        ("o", "u", "ä"),
    ]
    assert cleaner.lines() == [
        "column sex: 4 spellings of 2 values, such as 'MALE' for 'male'",
        "column paid: 4 spellings of 2 values, such as 'N' for 'no'",
    ]
    again = cleaner.transform(table.assign(sex="FEMALE", paid="true").iloc[:1])
    assert again.iloc[0, :2].tolist() == ["Female", "Yes"]


SECONDS = np.asarray((DAYS - pd.Timestamp("1970-01-01")).total_seconds()) + RNG.integers(0, 86_400, N)


@pytest.mark.parametrize(
    "name, numbers, format",
    [
        ("created_at", SECONDS, "seconds since 1970"),
        ("orderTime", SECONDS * 1e3, "milliseconds since 1970"),
        ("ts", (SECONDS * 1e9).astype(np.int64), "nanoseconds since 1970"),
        ("Datum", SECONDS / 86_400 + 25_569, "serial days of spreadsheets"),
    ],
)
def test_numbers_that_count_from_a_day_are_dates_where_their_name_says_so(name, numbers, format):
    table = pd.DataFrame({name: numbers, "b": RNG.normal(size=N)})
    cleaner = TableCleaner().fit(table)
    assert format in cleaner.lines()[0]
    again = from_state(json.loads(json.dumps(state_of(cleaner))))
    for read in (cleaner.transform(table), again.transform(table.astype({name: str}))):
        np.testing.assert_allclose(read[f"{name}: elapsed days"], SECONDS / 86_400, rtol=0, atol=1e-4)
    assert TableCleaner().fit(table.rename(columns={name: "income"})).roles_[0].role != "date"
    assert TableCleaner(types={name: "number"}).fit(table).roles_[0].role == "number"


@pytest.mark.parametrize(
    "texts, days",
    [
        (["2024-Q3", "FY2023 Q1", "2023Q4"], ["2024-07-01", "2023-01-01", "2023-10-01"]),
        (["Q3 2024", "q1/2023", "H2 2023"], ["2024-07-01", "2023-01-01", "2023-07-01"]),
        (["2024-W05", "2023W52", "KW 1/2023"], ["2024-01-29", "2023-12-25", "2023-01-02"]),
        (["2024-01-31 12:00 UTC", "2024-01-31 23:30 PST"], ["2024-01-31 12:00", "2024-02-01 07:30"]),
    ],
)
def test_quarters_weeks_and_zones(texts, days):
    reading = read_dates(np.array(texts, dtype=object))
    assert reading.values.tolist() == [pd.Timestamp(day) for day in days]
    assert read_dates(np.array(["2024-Q5", "2023-W60", "Q7 2024"], dtype=object)) is None


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


def test_a_choice_between_day_and_month_is_said():
    texts = np.array(["01/02/2024", "03/04/2024", "05/06/2024"], dtype=object)
    reading = read_dates(texts)
    assert (reading.format, reading.other) == ("%m/%d/%Y", "%d/%m/%Y")
    assert read_dates(np.append(texts, "13/02/2024")).format == "%d/%m/%Y"
    column = pd.Series(texts, name="when")
    assert "--types 'when=date:%d/%m/%Y'" in find_role(column).remark
    assert find_role(column, "date:%d/%m/%Y").format == "%d/%m/%Y"


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
        DAYS.strftime("%d.%m.%Y"),
        DAYS.date,
        DAYS.tz_localize("Europe/Berlin"),
        DAYS.strftime("%Y%m").astype(int),
        1_600_000_007 + 3600 * RNG.permutation(N),
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
        InvalidInputError, match=r"no column is left \(n_samples=300\): column when: 300 values in 300 rows, left out; "
    ):
        TableCleaner(drop=["zip"], types={"a": "identifier"}).fit(table)
    cleaner = TableCleaner(types={"zip": "category"}, drop=["c"], identifiers=["e"]).fit(table)
    assert list(cleaner.transform(table)) == ["zip"]
    assert cleaner.transform(table)["zip"].tolist()[:2] == ["10", "20"]
    assert cleaner.lines() == [
        "column when: 300 values in 300 rows, left out",
        "column c: left out as asked",
        "column e: declared as identifier, left out",
        "column a: 300 values in 300 rows, left out",
    ]
    assert cleaner.summary() == "columns: 3 identifiers, 1 dropped, 1 category"
    assert TableCleaner().fit(table[["a"]]).transform(table[["a"]])["a"].tolist() == list(range(300))  # nothing else
    for options, message in [
        ({"types": {"zip": "colour"}}, "role 'colour' of column 'zip' is not known"),
        ({"types": {"zap": "number"}}, "'zap' is not a column: columns are when, c"),
        ({"types": {"when": "date"}}, "declared as date, but its entries are none"),
        ({"types": {"when": "date:%q"}}, "is no format of dates|entries are none"),
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
        "column a: 1 of 120 entries is no number ('abc'), read as missing",
        "column b: 2 of 120 entries were not in training ('pink')",
        "column when: 1 of 120 entries is no date ('soon'), read as missing",
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


@pytest.mark.parametrize("trained", [bool, int, "words"])
@pytest.mark.parametrize("given", [bool, int, float, "words", "Words"])
def test_truth_values_predict_the_same_however_they_are_written(trained, given):
    table, y = mixed()
    truth = table["yes"]
    written = {
        bool: truth,
        int: truth.astype(int),
        float: truth.astype(float),
        "words": truth.map({True: "yes", False: "no"}),
        "Words": truth.map({True: "TRUE", False: "FALSE"}),
    }
    model = ClusteringClassifier(GeometricPartitioner(3), n_starts=2, random_state=0)
    model.fit(table.assign(yes=written[trained]), y)
    expected = model.predict_proba(table.assign(yes=written[trained]))
    np.testing.assert_array_equal(model.predict_proba(table.assign(yes=written[given])), expected)
    assert len(np.unique(model.predict_proba(table.assign(yes=written[trained])), axis=0)) > 1


def test_what_counts_or_names_rows_is_no_number():
    rows = np.arange(N)
    for counter in (rows + 1001, 500 - rows):
        assert find_role(pd.Series(counter, name="pos")).role == "identifier"
    for measure in (rows[::-1] % 40 + 7, RNG.permutation(rows + 1001), np.arange(1900, 1900 + N), 10 * rows + 5):
        assert find_role(pd.Series(measure, name="pos")).role == "number"
    books = pd.Series(9_780_000_000_000 + RNG.permutation(10**6)[:N], name="book")
    role = find_role(books)
    assert role.remark == "120 values of 13 digits in 120 rows, left out (--types book=number keeps them)"
    assert find_role(books, "number").role == "number"
    assert find_role(pd.Series(10**9 * (1 + rows % 7), name="sum")).role == "number"


def test_blanks_inside_words_make_no_other_word():
    role = find_role(pd.Series(["New York", "New  York", "new york", "Boston"] * 20, name="city"))
    assert len(role.values) == 2
    assert role.read(pd.Series(["NEW   YORK"])).columns[0][0] in role.values


def test_entries_of_json_are_said():
    cells = pd.Series([f'{{"a": {j}, "b": [1, 2]}}' for j in range(N)], name="meta")
    assert find_role(cells).remark.endswith("left out; JSON: put what matters into columns of its own")
    assert find_role(cells.iloc[np.arange(N) % 60]).remark.endswith(
        "category; JSON: put what matters into columns of its own"
    )
    assert find_role(cells.iloc[np.arange(N) % 3]).remark == ""


@pytest.mark.parametrize(
    "role, entry",
    [
        ("number", lambda j: f"{j % 97},{j % 10} kg" if j % 12 else "n/a"),
        ("number", lambda j: str(j % 900) if j % 3 else "none at all"),
        ("date", lambda j: f"{j % 28 + 1}.{j % 12 + 1}.{1990 + j % 30}"),
        ("vector", lambda j: f"{90 + j % 60}/{50 + j % 40}" if j % 15 else "120"),
        ("vector", lambda j: f"{j % 7}-{j % 5}" if j != 1 else "10-2"),
        ("vector", lambda j: f"POINT ({j % 90}.5 {j % 80}.25)"),
        ("text", lambda j: f"{j % 12 + 1}/{j % 28 + 1}/2023" if j % 2 else f"{j % 28 + 1}/{j % 12 + 1}/2023"),
        ("text", lambda j: f"about {j} rooms, 2/3 of them with a view of 45 m"),
        ("identifier", lambda j: f"AB-{j:05d}-{j % 7}"),
    ],
)
def test_many_entries_are_read_as_few(role, entry):
    few, many = (pd.Series([entry(j) for j in range(n)], name="a") for n in (400, 4000))
    assert find_role(few).role == find_role(many).role == role


def test_not_every_free_text_is_looked_at(monkeypatch):
    """Nor every code: some of them say that there are no numbers and dates."""
    seen = {number_texts: [], date_texts: []}
    for (module, words), name in zip(seen.items(), ("plainly", "_plainly")):
        read = getattr(module, name)
        monkeypatch.setattr(module, name, lambda word, read=read, words=words: words.append(word) or read(word))
    text = pd.Series([f"call {j} for 2 rooms, near the station - 45 m" for j in range(20_000)], name="a")
    assert find_role(text).role == "text"
    assert all(0 < len(words) < len(text) / 2 for words in seen.values())


def test_large_whole_numbers_stay_distinct():
    rng, y = np.random.default_rng(0), np.arange(N) % 2
    ids = 2**62 + y + 2 * (rng.random(N) < 0.1)  # 2**62 and its neighbours are one float
    for column in (ids, pd.array([*ids[:-1], None], dtype="Int64")):
        table = pd.DataFrame({"big": column, "noise": rng.normal(size=N)})
        model = ClusteringClassifier(GeometricPartitioner(2), n_starts=2, random_state=0).fit(table, y)
        assert model.score(table[:-1], y[:-1]) > 0.99


def test_lists_and_the_like_are_texts_in_python_too():
    table = pd.DataFrame({"l": [[v, 2 * v] for v in PRICES], "d": [{"k": j % 3} for j in range(N)]})
    table["v"] = [np.array([v, v]) for v in PRICES]
    table["s"] = [frozenset("ab"[: 1 + j % 2]) for j in range(N)]
    model = ClusteringClassifier(random_state=0).fit(table, np.arange(N) % 2)
    assert [role.role for role in model.cleaner_.roles_] == ["vector", "category", "vector", "category"]
    assert model.cleaner_.roles_[3].values == ("{'a', 'b'}", "{'a'}")
    np.testing.assert_array_equal(model.cleaner_.transform(table)["l: 2"], 2 * PRICES)
    assert len(model.predict(table)) == N


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


@pytest.mark.parametrize("format", [f for f in FORMATS if f != ISO])
def test_no_format_is_dismissed_by_the_shape_of_its_texts(format):
    times = pd.date_range("1999-01-02 03:04:05", periods=30, freq="41D7h3min")
    assert _shaped(pd.Series(times.strftime(format)), format) == 30
