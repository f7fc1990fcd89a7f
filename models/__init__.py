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
from .certificates.certificate import Certificate, check_assignment
from .certificates.exact import check_exactly, optimal_exactly
from .certificates.exchange import ExchangeCycle, ExchangeGraph, Move
from .diagram.power_diagram import PowerDiagram
from .formats.files import read_instance
from .objectives.bound import Bound
from .objectives.objectives import sum_of_squares
from .objectives.proof import Proof
from .plots.cells import Plane, cell_polygons, plot_power_diagram, principal_plane
from .plots.lifted import plot_lifted
from .plots.polytope import plot_polytope
from .polytope.cluster_sums import ClusterSumPolytope
from .polytope.links import ContradictoryLinksError, Links
from .polytope.polytope import PartitionPolytope
from .programs.assignment import AssignmentModel
from .programs.least_squares_sdp import LeastSquaresSDP
from .programs.linked_assignment import LinkedAssignmentMIP
from .programs.price_programs import MarginProgram, PriceProgram
from .programs.separability import Separation, ShareMove
from .scores.quadratic import QuadraticScores
from .scores.scores import DenseScores, LinearScores

__all__ = [
    "AssignmentModel",
    "Bound",
    "CapabilityError",
    "Certificate",
    "ClusterSumPolytope",
    "ContradictoryLinksError",
    "DenseScores",
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
