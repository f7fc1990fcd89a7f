"""Methods of other authors that the studies compare with.

Importing this package adds the strategies to `partitope.solvers.STRATEGIES` by the decorator that third parties use.
Most look for what a known clustering or covariate does not explain: alternative clusterings.
"""

from .adft import ADFT
from .ccib import CCIB
from .coala import COALA
from .k_means_majority import KMeansMajorityVote
from .kdac import KDAC
from .kernel_k_means import KernelKMeans, OrthogonalProjection
from .mnmf import MNMF
from .random_links import MustCannotLink
from .reggb import RegGB
from .rpca import RPCA
from .semi_supervised import SemiSupervised

__all__ = [
    "ADFT",
    "CCIB",
    "COALA",
    "KDAC",
    "MNMF",
    "RPCA",
    "KMeansMajorityVote",
    "KernelKMeans",
    "MustCannotLink",
    "OrthogonalProjection",
    "RegGB",
    "SemiSupervised",
]
