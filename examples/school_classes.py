"""School classes that are alike: friends together, rivals apart, boys and girls shared out.

Run `python examples/school_classes.py` in a clone. `evenest` says how even the classes can be, `AlikePartitioner`
which of these classes are most alike in two marks.
"""

from __future__ import annotations

import numpy as np

from partitope.models import PartitionPolytope
from partitope.solvers import AlikePartitioner, Partition, evenest


def classes(seed: int = 0) -> Partition:
    """Four classes of 101 pupils, with the seed of their marks and of the draw."""
    rng = np.random.default_rng(seed)
    marks, girls = rng.normal(size=(101, 2)), rng.random(101) < 0.5
    stated = PartitionPolytope(101, n_clusters=4).together([(0, 1), (2, 3)]).apart([(0, 2), (4, 5)])
    even, *_ = evenest(stated)
    share = float(girls.mean())
    even = even.share(girls, share - 0.02, share + 0.02)
    return AlikePartitioner(4, random_state=seed).fit(marks, polytope=even).partition_


if __name__ == "__main__":
    partition = classes()
    print("sizes", partition.sizes, "share of the variance between classes", f"{partition.objective:.1e}")
