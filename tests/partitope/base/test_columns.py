"""Columns as texts: the short way for columns of texts gives what the long way gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from partitope.base.columns import as_texts

VALUES = ["a", None, "", "1.0", "a", "ü"]


@pytest.mark.parametrize("storage", ["python", "pyarrow"])
@pytest.mark.parametrize("absent", [np.nan, pd.NA])
def test_columns_of_texts(storage, absent):
    column = pd.Series(VALUES, dtype=pd.StringDtype(storage, na_value=absent))
    texts = as_texts(column)
    assert texts.dtype == object
    assert texts.tolist() == as_texts(column.astype(object)).tolist() == VALUES
    assert all(text is None or type(text) is str for text in texts)
    texts[0] = "changed"
    assert column[0] == "a"


def test_other_columns():
    assert as_texts(pd.Series([1.0, 2.5, np.nan])).tolist() == ["1", "2.5", None]
    assert as_texts(pd.Series(["x", None, 3.0], dtype=object)).tolist() == ["x", None, "3"]
    assert as_texts(pd.Series(["x", None], dtype="category")).tolist() == ["x", None]
    assert as_texts(pd.Series([True, False])).tolist() == ["True", "False"]
