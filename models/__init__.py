"""What is solved: mathematics as data, and what proves an answer. Nothing is solved here."""

from ..base.errors import (
    CapabilityError,
    InfeasibleBoundsError,
    InvalidInputError,
    MissingDependencyError,
    NotOptimalError,
    PartitopeError,
)
from ..base.status import Status
from .assignment import AssignmentModel
from .bound import Bound
from .certificate import Certificate, check_assignment
from .cluster_sums import ClusterSumPolytope
from .exact_certificate import check_exactly, optimal_exactly
from .exchange import ExchangeCycle, ExchangeGraph, Move
from .formats.files import read_instance
from .least_squares_sdp import LeastSquaresSDP
from .linked_assignment import LinkedAssignmentMIP
from .links import ContradictoryLinksError, Links
from .norm_maximization import DirectionNet, NormMaximizationMIP
from .objectives import sum_of_squares
from .plots.cells import Plane, cell_polygons, plot_power_diagram, principal_plane
from .plots.lifted import plot_lifted
from .plots.polytope import plot_polytope
from .polytope import PartitionPolytope
from .power_diagram import PowerDiagram
from .price_programs import MarginProgram, PriceProgram
from .proof import Proof
from .quadratic_scores import QuadraticScores
from .scores import DenseScores, LinearScores
from .separability import Separation, ShareMove

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
    "QuadraticScores",
    "Separation",
    "ShareMove",
    "Status",
    "cell_polygons",
    "check_assignment",
    "check_exactly",
    "optimal_exactly",
    "plot_lifted",
    "plot_polytope",
    "plot_power_diagram",
    "principal_plane",
    "read_instance",
    "sum_of_squares",
]
