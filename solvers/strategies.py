"""The table of strategies: how data become a partition. To add one: write its file, add its line.

It names classes without importing them, so that the base class of all strategies can say which of them could do what
one of them refuses. `ConnectedPartitioner` is left out: it needs a graph.
"""

from ..base.registry import Registry

_HERE = "partitope.solvers"

STRATEGIES = Registry(
    "strategy",
    {
        "geometric": f"{_HERE}.geometric.partitioner:GeometricPartitioner",
        "cac": f"{_HERE}.cac.partitioner:CAC",
        "pkm": f"{_HERE}.predictive.pkm:PKM",
        "clusterwise": f"{_HERE}.predictive.clusterwise:ClusterwiseRegression",
        "kcc": f"{_HERE}.conditional.kcc:KCC",
        "kcssl": f"{_HERE}.conditional.kcssl:KCSSL",
        "anisotropic": f"{_HERE}.geometric.anisotropic:AnisotropicPartitioner",
        "medoids": f"{_HERE}.medoids.partitioner:MedoidPartitioner",
        "k-means": f"{_HERE}.geometric.k_means:KMeansReference",
    },
    base=f"{_HERE}.partitioner:Partitioner",
    declaration="needs",
    group="partitope.strategies",
)
