"""The data sets of the studies: published counts, addresses and checksums."""

from __future__ import annotations

import re

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.datasets.named import ADULT, GERMAN
from studies.data import DATASETS, load_dataset
from studies.data.entries import ENTRIES, Platforms

COUNTS = {  # rows, features, rows of the classes in sorted order
    "census": (48842, 14, [37155, 11687]),
    "german": (1000, 20, [300, 700]),
    "glass": (214, 9, [70, 76, 17, 13, 9, 29]),
    "pima": (768, 8, [500, 268]),
    "segment": (2310, 19, [330] * 7),
    "mushroom": (8124, 22, [4208, 3916]),
    "vehicle": (846, 18, [218, 212, 217, 199]),
    "pendigits": (10992, 16, [1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055]),
    "magic": (19020, 10, [12332, 6688]),
    "titanic": (1309, 7, [809, 500]),
    "titanic2201": (2201, 3, [1490, 711]),
    "creditcard": (30000, 23, [23364, 6636]),
    "diabetes130": (101766, 47, [11357, 35545, 54864]),
    "titanic_cac": (1309, 6, [820, 489]),
    "creditcard_cac": (30000, 23, [23364, 6636]),
    "adult_cac": (32561, 14, [24720, 7841]),
    "diabetes_cac": (69973, 9, [41474, 28499]),
    "kcc_simu1": (600, 4, [200, 200, 200]),
    "kcc_simu2": (600, 4, [300, 300]),
    "kcc_simu3": (600, 4, [200, 200, 200]),
    "kcc_face4": (128, 960, [32, 32, 32, 32]),
    "kcc_face": (624, 960, [156, 157, 155, 156]),
    "kcc_webkb": (1041, 456, [244, 153, 86, 558]),
    "breast_cancer": (569, 30, [357, 212]),
    "kcc_multi": (135, 5565, [31, 34, 35, 35]),
    "kcc_dlbcl": (321, 661, [92, 129, 100]),
}


def load_without_download(name, home):
    """The set, or skip where the data home lacks one of its files."""
    own = {"census": ADULT, "german": (GERMAN,), "breast_cancer": ()}
    for file in own[name] if name in own else ENTRIES[name].files:
        if not any((home / f"{file.path}{suffix}").is_file() for suffix in ("", ".gz")):
            pytest.skip(f"{file.path} is not in the data home")
    return load_dataset(name)


@pytest.mark.data
@pytest.mark.parametrize("name", DATASETS)
def test_published_counts(name, data_home):
    data = load_without_download(name, data_home)
    rows, features, classes = COUNTS[name]
    assert data.X.shape == (rows, features)
    assert data.X.shape[1] == features
    assert np.unique(data.y, return_counts=True)[1].tolist() == classes
    assert (data.covariates is not None) == name.startswith("kcc")


def test_unknown_set():
    with pytest.raises(InvalidInputError, match="'iris' is not known: choose one of breast_cancer, census"):
        load_dataset("iris")


def test_every_entry_has_a_checksum_and_an_address():
    for name, entry in ENTRIES.items():
        for file in entry.files:
            if isinstance(entry, Platforms):  # the address names a commit, and sizes are checked
                assert file.sha256 is None
                assert entry.shape
                assert re.search("/[0-9a-f]{40}/", file.url)
                continue
            assert len(file.sha256) == 64
            assert file.archive is None or (file.member and len(file.archive) == 64)
            assert (file.url is None) == name.startswith("kcc")
