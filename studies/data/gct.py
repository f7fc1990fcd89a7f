"""Gene expressions in the text formats of GenePattern: tables (.gct) and classes of their columns (.cls).

#1.2
genes <tab> samples
Name <tab> Description <tab> sample names ...
one line a gene: name, description, its expressions

samples  classes  1
# names of the classes
number of the class of each sample, from 0 or 1
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from partitope.base.errors import InvalidInputError
from partitope.datasets.raw_files import RawFile, read_raw


def read_platforms(name: str, files: Sequence[RawFile]) -> tuple[pd.DataFrame, NDArray[np.str_], list[str]]:
    """Samples (n, p) of two platforms with genes as columns, the class (n,) and the platform of every sample.

    Raises
    ------
    InvalidInputError
        When a file is not in its format, the platforms have other genes (names that a spreadsheet turned into dates
        are recognised).
    DataNotFoundError
        From the loader.
    """
    tables, classes, platforms = [], [], []
    for number in range(0, len(files), 2):
        expressions, cls = files[number : number + 2]
        tables.append(read_gct(expressions))
        classes.append(read_cls(cls))
        if len(tables[-1]) != len(classes[-1]):
            raise InvalidInputError(
                f"{expressions.path} holds {len(tables[-1])} samples, {cls.path} {len(classes[-1])}: "
                "are these the published files?"
            )
        platforms += ["AB"[number // 2]] * len(classes[-1])
    genes = tables[0].columns
    for table in tables[1:]:
        if len(table.columns) != len(genes) or not all(map(_same_gene, genes, table.columns)):
            raise InvalidInputError(f"the platforms of {name} hold other genes: are these the published files?")
        table.columns = genes
    return pd.concat(tables, ignore_index=True), np.concatenate(classes), platforms


def _same_gene(gene: str, name: str) -> bool:
    """Whether a name is that of the gene, or what a spreadsheet made of it: MARCH6 and SEPT2 read as dates."""
    date = re.fullmatch(r"(\d+)-([A-Z][a-z]{2})", name)
    return name == gene or (date is not None and re.fullmatch(rf"{date[2].upper()}[A-Z]*{date[1]}", gene) is not None)


def read_gct(file: RawFile) -> pd.DataFrame:
    """Samples (rows) by genes of one table."""
    text = read_raw(file).decode("utf-8").splitlines()
    try:
        genes, samples = (int(word) for word in text[1].split()[:2])
        table = pd.read_csv(io.StringIO("\n".join(text[2:])), sep="\t")
        expressions = table.iloc[:, 2:].dropna(axis=1, how="all").astype(np.float64)
    except (IndexError, ValueError) as error:
        raise InvalidInputError(f"{file.path} is no table of gene expressions (.gct): {error}") from error
    if expressions.shape != (genes, samples):
        raise InvalidInputError(
            f"{file.path} holds {expressions.shape} genes and samples, its head says {genes, samples}"
        )
    return expressions.T.set_axis(table.iloc[:, 0].astype(str).tolist(), axis=1).reset_index(drop=True)


def read_cls(file: RawFile) -> NDArray[np.str_]:
    """Name of the class of every sample."""
    lines = read_raw(file).decode("utf-8").splitlines()
    try:
        samples, names = int(lines[0].split()[0]), np.array(lines[1].lstrip("#").split())
        numbers = np.array(" ".join(lines[2:]).split(), dtype=np.int64)
        labels = names[numbers - numbers.min()]
    except (IndexError, ValueError) as error:
        raise InvalidInputError(f"{file.path} is no list of classes (.cls): {error}") from error
    if len(labels) != samples:
        raise InvalidInputError(f"{file.path} holds {len(labels)} classes, its head says {samples}")
    return labels
