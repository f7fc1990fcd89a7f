"""What is solved: mathematics as data. No solver package is imported here at module level."""

from .assignment import AssignmentModel
from .bound import Bound
from .certificate import Certificate, check_assignment
from .errors import (
    CapabilityError,
    InfeasibleBoundsError,
    InvalidInputError,
    MissingDependencyError,
    NotOptimalError,
    PartitopeError,
)
from .least_squares_sdp import LeastSquaresSDP
from .norm_maximization import DirectionNet, NormMaximizationMIP
from .polytope import PartitionPolytope
from .power_diagram import PowerDiagram
from .scores import DenseScores, LinearScores
from .status import Status

__all__ = [
    "AssignmentModel",
    "Bound",
    "CapabilityError",
    "Certificate",
    "DenseScores",
    "DirectionNet",
    "InfeasibleBoundsError",
    "InvalidInputError",
    "LeastSquaresSDP",
    "LinearScores",
    "MissingDependencyError",
    "NormMaximizationMIP",
    "NotOptimalError",
    "PartitionPolytope",
    "PartitopeError",
    "PowerDiagram",
    "Status",
    "check_assignment",
]
