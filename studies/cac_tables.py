"""The sets of the study of clustering aware classification: the authors' processed files, and the raw public ones.

The processed files are codes and numbers, standardised by the training rows. Adult and diabetes have 32 561 and 69 973
rows where the papers write 45 000 and 100 000; but the printed figures of the single classifiers come out to three
digits on these files, and on the papers' own quarter of them. Titanic has 1309 rows (2200 printed), of which the 418
of the test part carry no true labels: theirs is whether the passenger is a woman. "titanic true labels" is the other
891 rows alone.

The raw sets; those with the size and the attributes that the papers describe stand beside their figures:

    titanic raw    titanic3, all 1309 passengers with their true labels; 7 attributes
    titanic2201    2201 persons, the papers' size; class, age and sex only
    credit raw     30 000 rows; sex, education and marriage are categories
    adult raw      both published parts, the 45 222 complete rows
    magic          19 020 showers; gamma rays are the positives, as the printed F1 of logistic regression shows
    diabetes raw   all 101 766 encounters; the nine attributes of the processed file: race, gender, age, discharge,
                   admission source, days, specialty, group of the first diagnosis, A1C. The positives are all
                   readmissions, .46. Encounters of one patient can fall on both sides of a split

Numbers are standardised and missing ones take the median; categories are one indicator each, those of fewer than 1 %
of the rows together, and missing is a category. All of it is learnt on training rows. Indicators rather than means of
the class: they use no labels, so that the cross-validation for alpha inside the training rows stays honest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .data import load_dataset
from .printed.cac import DATA, MAGIC

TRUE = "titanic true labels"
RAREST = 0.01
NINE = ("race", "gender", "age", "discharge_disposition_id", "admission_source_id", "time_in_hospital",
        "medical_specialty", "diag_1", "A1Cresult")  # fmt: skip


@dataclass(frozen=True)
class RawSet:
    """How a published set becomes a table of two classes.

    Attributes
    ----------
    name : str
        For `load_dataset`.
    negative : str
        The class that is 0; every other is 1.
    beside : str
        The processed set whose printed figures stand beside it; "" for none.
    n_clusters : int
        k.
    note : str
        For the reader of its rows.
    columns : tuple of str
        Which are used; empty is all.
    categories : tuple of str
        Columns of numbers that are categories.
    complete : bool
        Whether rows with missing entries are left out.
    """

    name: str
    negative: str
    beside: str
    n_clusters: int
    note: str
    columns: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    complete: bool = False


RAW: dict[str, RawSet] = {
    "titanic raw": RawSet("titanic", "died", "", 2, "1309 rows, true labels"),
    "titanic2201": RawSet(
        "titanic2201", "died", "", 2, "2201 rows, 3 of 6 attributes", categories=("class", "age", "sex")
    ),
    "credit raw": RawSet("creditcard", "0", "credit", 3, "30000 rows", categories=("X2", "X3", "X4")),
    MAGIC: RawSet("magic", "h", MAGIC, 2, "19020 rows"),
    "adult raw": RawSet("census", "<=50K", "adult", 2, "45222 rows", complete=True),
    "diabetes raw": RawSet(
        "diabetes130", "NO", "diabetes", 2, "101766 rows, nine attributes", NINE,
        ("discharge_disposition_id", "admission_source_id"),
    ),
}  # fmt: skip

SETS = (*DATA, TRUE, *RAW)
N_CLUSTERS = {"titanic": 2, TRUE: 2, "credit": 3, "adult": 2, "diabetes": 2} | {
    name: raw.n_clusters for name, raw in RAW.items()
}
BESIDE = {name: raw.beside for name, raw in RAW.items()}
SIZES = {
    "titanic": "1309 rows, 418 of them with untrue labels",
    TRUE: "891 rows",
    "credit": "",
    "adult": "32561 rows",
    "diabetes": "69973 rows",
} | {name: raw.note for name, raw in RAW.items()}


def load_rows(name: str) -> tuple[Any, NDArray[np.int64]]:
    """Features, an array (n, d) or for raw sets a DataFrame of numbers and texts, and 0/1 labels (n,).

    Raises
    ------
    DataNotFoundError
        From the loader.
    """
    if name not in RAW:
        data = load_dataset({"credit": "creditcard", TRUE: "titanic"}.get(name, name) + "_cac")
        data = data.train if name == TRUE else data
        return data.X.to_numpy(dtype=np.float64), data.y.astype(np.int64)
    raw = RAW[name]
    data = load_dataset(raw.name)
    data = data.rows(data.X.notna().all(axis=1).to_numpy()) if raw.complete else data
    X = data.X[list(raw.columns)] if raw.columns else data.X
    return as_numbers_and_texts(X, raw.categories), (data.y.astype(str) != raw.negative).astype(np.int64)


def as_numbers_and_texts(X: pd.DataFrame, categories: tuple[str, ...] = ()) -> pd.DataFrame:
    """Columns of float64, and of texts for categories, where missing is one; diagnoses become their nine groups."""
    columns: dict[str, Any] = {}
    for name in X.columns:
        column = X[name]
        if column.dtype.kind in "iufb" and name not in categories and name != "diag_1":
            columns[name] = column.to_numpy(dtype=np.float64)
            continue
        codes, values = pd.factorize(column)  # -1 is missing
        named = [diagnosis_group(value) if name == "diag_1" else str(value) for value in values]
        columns[name] = np.array([*named, "missing"], dtype=object)[codes]
    return pd.DataFrame(columns)


def diagnosis_group(code: Any) -> str:
    """Group of an ICD-9 code after Strack et al. 2014."""
    try:
        number = float(code)
    except ValueError:
        return "other"  # V and E codes
    if int(number) == 250:
        return "diabetes"
    for group, low, high, extra in (
        ("circulatory", 390, 459, 785),
        ("respiratory", 460, 519, 786),
        ("digestive", 520, 579, 787),
        ("genitourinary", 580, 629, 788),
        ("neoplasms", 140, 239, None),
        ("musculoskeletal", 710, 739, None),
        ("injury", 800, 999, None),
    ):
        if low <= int(number) <= high or int(number) == extra:
            return group
    return "other"


def encoding(X: Any) -> Callable[[Any], NDArray[np.float64]]:
    """What turns rows into numbers, learnt on the rows X: standardised, categories as indicators."""
    from sklearn.preprocessing import StandardScaler

    if not isinstance(X, pd.DataFrame):
        return StandardScaler().fit(X).transform
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    numbers = [name for name in X.columns if X[name].dtype.kind == "f"]
    texts = [name for name in X.columns if name not in numbers]
    indicators = OneHotEncoder(
        min_frequency=RAREST, handle_unknown="infrequent_if_exist", sparse_output=False, dtype=np.float64
    )
    steps = [
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        ("texts", indicators, texts),
    ]
    return ColumnTransformer(steps, sparse_threshold=0.0).fit(X).transform


def take(X: Any, rows: NDArray[np.intp]) -> Any:
    """Rows of an array or a DataFrame."""
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
