"""The table of strategies: how data become a partition. To add one: write its file, add its line.

It names classes and imports none, so that the base class of all strategies can say which of them could do what one of
them refuses. `partitope compare` shows the lines marked ``by_default``; the others when they are asked for by name.
`ConnectedPartitioner` is none of them: it needs a graph, which no table of theirs has.
"""

from ..base.registry import Entry, Registry

_HERE = "partitope.solvers"


def _line(path: str, *, by_default: bool = False) -> Entry:
    return Entry(f"{_HERE}.{path}", needs=("numba",), by_default=by_default)


STRATEGIES = Registry(
    "strategy",
    {
        "geometric": _line("geometric.partitioner:GeometricPartitioner", by_default=True),
        "cac": _line("cac.partitioner:CAC", by_default=True),
        "pkm": _line("predictive.pkm:PKM", by_default=True),
        "clusterwise": _line("predictive.clusterwise:ClusterwiseRegression"),
        "kcc": _line("conditional.kcc:KCC", by_default=True),
        "kcssl": _line("conditional.kcssl:KCSSL", by_default=True),
        "anisotropic": _line("geometric.anisotropic:AnisotropicPartitioner"),
        "medoids": _line("medoids.partitioner:MedoidPartitioner"),
        "k-means": _line("geometric.k_means:KMeansReference", by_default=True),
    },
    base=f"{_HERE}.partitioner:Partitioner",
    declaration="needs",
    group="partitope.strategies",
)
