"""The table of published data sets: files, columns, target, and what is odd about each."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
import pandas as pd

from partitope.base.errors import InvalidInputError
from partitope.datasets.dataset import Dataset
from partitope.datasets.named import UCI
from partitope.datasets.raw_files import RawFile, read_raw

from .column_names import MAGIC_COLUMNS, MUSHROOM_COLUMNS, SEGMENT_COLUMNS, VEHICLE_COLUMNS
from .gct import read_platforms
from .keel import keel_file
from .published import PublishedTable, uci

_RAW = "https://raw.githubusercontent.com"
_CAC = f"{_RAW}/shivin9/CAC/31167798ba1aff907ca4b53423da1d993ce34dae/data"


@dataclass(frozen=True)
class Pairs(PublishedTable):
    """Sets processed by other authors: files of features and of classes in turn."""

    def read(self, name: str) -> Dataset:
        """The set; see `PublishedTable.read`."""
        tables = [pd.read_csv(io.BytesIO(read_raw(file))) for file in self.files]
        features = pd.concat(tables[0::2], ignore_index=True)
        y = np.concatenate([table.iloc[:, 0].to_numpy() for table in tables[1::2]])
        if len(features) != len(y):
            raise InvalidInputError(
                f"{name}: {len(features)} rows of X and {len(y)} of y: are these the published files?"
            )
        X = features.set_axis([f"x{column}" for column in features.columns], axis=1)
        return Dataset(X, y, name, self.target, self.title, self.split([len(table) for table in tables[0::2]]))


@dataclass(frozen=True)
class Arrays(PublishedTable):
    """Points, one covariate and groups in a file of arrays."""

    def read(self, name: str) -> Dataset:
        """The set; see `PublishedTable.read`."""
        with np.load(io.BytesIO(read_raw(self.files[0])), allow_pickle=False) as arrays:
            if "D" in arrays:
                points = arrays["D"].astype(np.float64)
            else:
                from scipy.sparse import csr_matrix

                parts = (arrays["D_data"], arrays["D_indices"], arrays["D_indptr"])
                points = csr_matrix(parts, shape=tuple(arrays["D_shape"])).toarray()
            covariates = pd.DataFrame({"c": arrays["C"]})
            y = arrays["y"].astype(np.int64)
        X = pd.DataFrame(points, columns=[f"x{column}" for column in range(points.shape[1])])
        return Dataset(X, y, name, self.target, self.title, covariates=covariates)


@dataclass(frozen=True)
class Platforms(PublishedTable):
    """Gene expressions and classes of each of two platforms in turn; ``shape``: samples and genes, as published."""

    shape: tuple[int, int] = (0, 0)

    def read(self, name: str) -> Dataset:
        """The set; see `PublishedTable.read`."""
        X, y, platforms = read_platforms(name, self.files)
        if X.shape != self.shape:
            raise InvalidInputError(f"{name} holds {X.shape} samples and genes, published are {self.shape}")
        return Dataset(X, y, name, self.target, self.title, covariates=pd.DataFrame({"platform": platforms}))


def _pair(folder: str, x: str, y: str, xname: str = "X", yname: str = "y") -> tuple[RawFile, RawFile]:
    """Two files as processed for CAC, features and classes, by their checksums."""
    remote = folder.removesuffix("_cac")
    return (
        RawFile(f"{folder}/{xname}.csv", x, f"{_CAC}/{remote}/{xname}.csv"),
        RawFile(f"{folder}/{yname}.csv", y, f"{_CAC}/{remote}/{yname}.csv"),
    )


ENTRIES: dict[str, PublishedTable] = {
    "glass": PublishedTable(
        "Glass identification, UCI: kind of glass from its oxides. The Id is left out: rows are sorted by class, "
        "so it gives the class away.",
        (uci("glass/glass.data", "dd67373f4baf2807345df02cbfef2093d342e61ad0d82a4fb79af43ef8ce449d"),),
        target="type",
        columns=("Id", "RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe", "type"),
        drop=("Id",),
    ),
    "pima": PublishedTable(
        "Pima Indians diabetes, formerly UCI. Zeros in glucose, pressure, skin, insulin and body mass stand for "
        "missing; they are left as published.",
        (
            RawFile(
                "pima/pima.csv",
                "6bfe5d0f379d17a0e0819b996407e3c09bf80febd4287f2ed212190dfff154af",
                f"{_RAW}/jbrownlee/Datasets/d20fcb6402ae34e653d4513b00f39257bb37ed7f/pima-indians-diabetes.data.csv",
            ),
        ),
        columns=(
            "times pregnant",
            "plasma glucose",
            "diastolic blood pressure",
            "triceps skin fold",
            "serum insulin",
            "body mass index",
            "pedigree function",
            "age",
            "class",
        ),
    ),
    "segment": PublishedTable(
        "Image segmentation, UCI: seven outdoor textures, 330 regions each, published in two parts. "
        "REGION-PIXEL-COUNT is constant.",
        (
            uci(
                "segment/segmentation.data",
                "b4226a708f25d44fbbe4eae36f0d66326bc46393534c2a0d2b9267ae1302002f",
                "image/segmentation.data",
            ),
            uci(
                "segment/segmentation.test",
                "3b5aa7c3559fdc3a165e97d321809b81292084adfc112645e250d90321203685",
                "image/segmentation.test",
            ),
        ),
        columns=SEGMENT_COLUMNS,
        skip=5,
        parts=("train", "test"),
    ),
    "mushroom": PublishedTable(
        "Mushroom, UCI: edible or poisonous from 22 categories; '?' in stalk-root is missing, veil-type constant.",
        (uci("mushroom/agaricus-lepiota.data", "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e"),),
        columns=MUSHROOM_COLUMNS,
        labels={"e": "edible", "p": "poisonous"},
    ),
    "vehicle": PublishedTable(
        "Statlog vehicle silhouettes, UCI, in the copy of the KEEL collection: Opel, Saab, bus or van from 18 "
        "measures of the outline. The description speaks of 946 rows; 846 were published.",
        (keel_file("vehicle", "0b3d1659ded56bdacc90a49fe8d58a90db156532cc3a80e260803df83f29aaa9"),),
        columns=VEHICLE_COLUMNS,
        labels={f"{name} ": name for name in ("bus", "van")},  # padded with a blank in the file
    ),
    "pendigits": PublishedTable(
        "Pen-based handwritten digits, UCI, in the copy of the KEEL collection (penbased): eight points along the "
        "stroke of a digit. The published training (7494) and test (3498) parts, by different writers, are mixed.",
        (keel_file("penbased", "89641315452220aac9bcdc5a99476323fdb6fcb69ac45973fa6cc3e13e4ab663"),),
        target="digit",
        columns=(*(f"{axis}{point}" for point in range(1, 9) for axis in "xy"), "digit"),
    ),
    "magic": PublishedTable(
        "MAGIC gamma telescope, UCI, in the copy of the KEEL collection: showers of gamma rays (g) or hadrons (h), "
        "simulated. 115 rows occur twice.",
        (keel_file("magic", "e9314b7ebd4b4b59a3b3d65f7316663963777b16a46786877651dbbaa640b36a"),),
        columns=MAGIC_COLUMNS,
    ),
    "titanic": PublishedTable(
        "titanic3 of Harrell and Cason: 1309 passengers. Names, tickets, cabins and homes are left out, and so are "
        "boat and body, which are known only after the outcome.",
        (
            RawFile(
                "titanic/titanic3.csv",
                "3c1939f5463d4ff00751a947430288532e61c1f857b73aeb156645663034338b",
                f"{_RAW}/jternent/bdaa-final/d0053c58ac14a586885b925b17f83a362243c6bb/titanic3.csv",
            ),
        ),
        target="survived",
        drop=("name", "ticket", "cabin", "boat", "body", "home_dest"),
        labels={"0": "died", "1": "survived"},
    ),
    "titanic2201": PublishedTable(
        "The 2201 persons of Dawson 1995: class, age and sex, each standardised as published.",
        (
            RawFile(
                "titanic/titanic2201_standardised.dat",
                "7ad460c2fc195591de9f8402122aae3ceaecb8cf989ac5156eeb3a841f97b104",
                f"{_RAW}/YichenZhuDuke/Classification-Tree-with-Surface-to-Volume-ratio-Regularization/"
                "412e58ea8b60e4958d4854430218d0d86bbce785/titanic.dat",
            ),
        ),
        target="survived",
        columns=("class", "age", "sex", "survived"),
        labels={"-1.0": "died", "1.0": "survived", "-1": "died", "1": "survived"},
    ),
    "creditcard": PublishedTable(
        "Default of credit card clients, UCI, 30 000 clients in Taiwan; the identifier is left out.",
        (
            RawFile(
                "creditcard/UCI_Credit_Card.csv",
                "023eb2c3ad9efd15e7869616fa50a0143f25223105c7069ba632431530afdb61",
                f"{_RAW}/fju155447/uci/84670e783ab9fd2459b7096d82965f28dafb66b2/UCI_Credit_Card.csv",
            ),
        ),
        target="Y",
        drop=("ID",),
    ),
    "diabetes130": PublishedTable(
        "Diabetes 130-US hospitals 1999-2008, UCI: readmission of 101 766 encounters, '?' is missing; the two "
        "identifiers are left out.",
        (
            RawFile(
                "diabetes130/diabetic_data.csv",
                "0689e7ec031237dc63031b938805c48377748761a3b26acab621567afa24df97",
                f"{UCI}/00296/dataset_diabetes.zip",
                "dataset_diabetes/diabetic_data.csv",
            ),
        ),
        target="readmitted",
        drop=("encounter_id", "patient_nbr"),
    ),
    "titanic_cac": Pairs(
        "Titanic as processed for CAC: six standardised codes, two parts; the labels of the test part are not true.",
        (
            *_pair(
                "titanic_cac",
                "3eac06083b3f6cc769e9dd0b5f4ec9f8dba63161e340e4c0d8a87508bc554133",
                "4e6dd74f7540036f0d6bb761f7b4aab912a3897744640acce683dbc8e78e3719",
                xname="X_train",
                yname="y_train",
            ),
            *_pair(
                "titanic_cac",
                "9d82b7af77b53205a4fec759338cbba1976385e54f486f50f3ed34faa7818649",
                "60a3b4c3c187845d3a36536fb4ebb6f199283650da4865e631041ad8db31a894",
                xname="X_test",
                yname="y_test",
            ),
        ),
        parts=("train", "test"),
    ),
    "creditcard_cac": Pairs(
        "Credit card default as processed for CAC: the rows of creditcard, without names.",
        _pair(
            "creditcard_cac",
            "6633fd168428e0b35d976d50c8beb640ebe8ea53354f5bdd5b90b53d94a58785",
            "bcfd585dd27447e9ea7794d29061c59d03edbe5e732c6b482e76f4c7993984c9",
        ),
    ),
    "adult_cac": Pairs(
        "Adult as processed for CAC: the training part, every column replaced by ranks of its values.",
        _pair(
            "adult_cac",
            "c12dbb3f2df78068b0bfb60b500fa281b81b0e7515415d7e01db71d5c78505d5",
            "197a4ec93ae6f8c48224d3028fd7d0235f6fefcc6d437c08509a7c241411cd4f",
        ),
    ),
    "diabetes_cac": Pairs(
        "Diabetes as processed for CAC: first encounters, nine coded attributes, readmitted or not.",
        _pair(
            "diabetes_cac",
            "b5271b7ab817227817f3064d8cb5d771404e38eb767f60743f868da831421817",
            "8edd4325d10426a51ca18caced2830b57f154a003909fb39e4931b71fe3d1dc2",
        ),
    ),
}

_KCC = {
    "simu1": "7901223736983e39221b858908a9ad6191d65f3680d10ca5f97305b7af60eda9",
    "simu2": "315a02d529425b62bbbb081560f36870e4f6f1625c2cd860fae234c73f8f9b20",
    "simu3": "f23b2e99fd6d65d9bdb00a3c93e13ee6a9f17061235e1f1d62c5e32860532f39",
    "face4": "253b450d04b0ef061c220c6b757b6ad4fa3c9671b0ea2642d209791a396468a2",
    "face": "badb861835c7a5f6fdb1399fdfb83b9042fee2d3c34a748a0965e3503e97f4a0",
    "webkb": "f328e80c683e659ea490b297d82244210ec8ddbbde6ac2bf91182aa7d1299276",
}
ENTRIES |= {
    f"kcc_{name}": Arrays(
        f"Arrays for kernel conditional clustering, {name}: points, one covariate, true groups. Derived, with no "
        "public address.",
        (RawFile(f"kcc/{name}.npz", checksum),),
        target="group",
    )
    for name, checksum in _KCC.items()
}

_BORGWARDT = f"{_RAW}/BorgwardtLab/Kernel-Conditional-Clustering/a3f17ba4ef1a586a3e6a30e86bb3ce819aa1e08b"


def _platforms(folder: str) -> tuple[RawFile, ...]:
    names = [f"{folder}/{folder}_{platform}.{ending}" for platform in "AB" for ending in ("gct.txt", "cls")]
    return tuple(RawFile(f"kcc/{name}", None, f"{_BORGWARDT}/{name}") for name in names)


ENTRIES |= {
    "kcc_multi": Platforms(
        "Multi: expressions of 5565 genes in 135 tumours of breast, prostate, lung and colon, on two generations of "
        "microarrays, the covariate (Hoshida et al. 2007, subclass mapping).",
        _platforms("Multi"),
        target="tissue",
        shape=(135, 5565),
    ),
    "kcc_dlbcl": Platforms(
        "DLBCL: expressions of 661 genes in 321 lymphomas of three subtypes, on two generations of microarrays, the "
        "covariate (Hoshida et al. 2007, subclass mapping).",
        _platforms("DLBCL"),
        target="subtype",
        shape=(321, 661),
    ),
}
