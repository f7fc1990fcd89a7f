"""What is solved: mathematics as data. No solver package is imported here at module level."""

from .assignment import AssignmentModel
from .bound import Bound
from .certificate import Certificate, check_assignment
from .cluster_sums import ClusterSumPolytope
from .errors import (
    CapabilityError,
    InfeasibleBoundsError,
    InvalidInputError,
    MissingDependencyError,
    NotOptimalError,
    PartitopeError,
)
from .exact import check_exactly, optimal_exactly
from .exchange import ExchangeCycle, ExchangeGraph, Move
from .instance_files import read_instance
from .least_squares_sdp import LeastSquaresSDP
from .links import ContradictoryLinksError, LinkedAssignmentMIP, Links
from .norm_maximization import DirectionNet, NormMaximizationMIP
from .plotting import Plane, cell_polygons, plot_power_diagram, principal_plane
from .plotting_lifted import plot_lifted
from .plotting_polytope import plot_polytope
from .polytope import PartitionPolytope
from .power_diagram import PowerDiagram
from .price_programs import MarginProgram, PriceProgram
from .proof import Proof
from .scores import DenseScores, LinearScores
from .separability import Separation, ShareMove, is_separable
from .status import Status

__all__ = [
    "AssignmentModel",
    "Bound",
    "CapabilityError",
    "Certificate",
    "ClusterSumPolytope",
    "ContradictoryLinksError",
    "DenseScores",
    "DirectionNet",
    "ExchangeCycle",
    "ExchangeGraph",
    "InfeasibleBoundsError",
    "InvalidInputError",
    "LeastSquaresSDP",
    "LinearScores",
    "LinkedAssignmentMIP",
    "Links",
    "MarginProgram",
    "MissingDependencyError",
    "Move",
    "NormMaximizationMIP",
    "NotOptimalError",
    "PartitionPolytope",
    "PartitopeError",
    "Plane",
    "PowerDiagram",
    "PriceProgram",
    "Proof",
    "Separation",
    "ShareMove",
    "Status",
    "cell_polygons",
    "check_assignment",
    "check_exactly",
    "is_separable",
    "optimal_exactly",
    "plot_lifted",
    "plot_polytope",
    "plot_power_diagram",
    "principal_plane",
    "read_instance",
]
