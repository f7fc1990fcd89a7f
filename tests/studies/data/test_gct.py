"""Gene expressions of two platforms, read from small files in the published formats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from studies.data import entries as datasets_entries
from studies.data import load_dataset

TABLE = "#1.2\n2\t{n}\nName\tDescription\t{names}\ng1\tna\t{first}\ng2\tsome words\t{second}\n"
CLASSES = "{n} 2 1\n# BCR HR\n{numbers}\n"


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "kcc" / "DLBCL"
    folder.mkdir(parents=True)
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path))
    entry = replace(datasets_entries.ENTRIES["kcc_dlbcl"], shape=(5, 2))
    monkeypatch.setitem(datasets_entries.ENTRIES, "kcc_dlbcl", entry)
    for platform, values, numbers in (("A", [1.5, 2, 3], [1, 1, 2]), ("B", [-4, 5e2], [2, 1])):
        n = len(values)
        text = TABLE.format(
            n=n, names="\t".join(f"s{i}" for i in range(n)), first="\t".join(map(str, values)),
            second="\t".join(["0"] * n),
        )  # fmt: skip
        (folder / f"DLBCL_{platform}.gct.txt").write_text(text, encoding="utf-8")
        (folder / f"DLBCL_{platform}.cls").write_text(
            CLASSES.format(n=n, numbers=" ".join(map(str, numbers))), encoding="utf-8"
        )
    return folder


def test_samples_are_rows_and_the_platform_is_the_covariate(home):
    data = load_dataset("kcc_dlbcl")
    assert list(data.X) == ["g1", "g2"]
    np.testing.assert_array_equal(data.X["g1"], [1.5, 2, 3, -4, 500])
    assert data.y.tolist() == ["BCR", "BCR", "HR", "HR", "BCR"]
    assert data.covariates["platform"].tolist() == ["A", "A", "A", "B", "B"]


@pytest.mark.parametrize(
    "gene, name, same",
    [
        ("MARCH6", "6-Mar", True),
        ("SEPT10", "10-Sep", True),
        ("MARCH6", "7-Mar", False),
        ("SEPT6", "6-Mar", False),
        ("g2", "2-Mar", False),
    ],
)
def test_names_that_a_spreadsheet_turned_into_dates(home, gene, name, same):
    for platform, other in (("A", gene), ("B", name)):
        file = home / f"DLBCL_{platform}.gct.txt"
        file.write_text(file.read_text(encoding="utf-8").replace("g2", other), encoding="utf-8")
    if same:
        assert list(load_dataset("kcc_dlbcl").X) == ["g1", gene]
    else:
        with pytest.raises(InvalidInputError, match="other genes"):
            load_dataset("kcc_dlbcl")


def test_sizes_that_are_not_the_published_ones(home, monkeypatch):
    entry = replace(datasets_entries.ENTRIES["kcc_dlbcl"], shape=(321, 661))
    monkeypatch.setitem(datasets_entries.ENTRIES, "kcc_dlbcl", entry)
    with pytest.raises(InvalidInputError, match="published are"):
        load_dataset("kcc_dlbcl")
