"""What is solved: mathematics as data, and what proves an answer. Nothing is solved here."""

from ..base.errors import (
    InfeasibleBoundsError,
    PartitopeError,
)
from .certificates.certificate import check_assignment
from .certificates.exchange import ExchangeGraph
from .diagram.power_diagram import PowerDiagram
from .formats.arrays import Block
from .objectives.objectives import sum_of_squares
from .polytope.cluster_sums import ClusterSumPolytope
from .polytope.constraint import Constraint, Formulation
from .polytope.links import Links
from .polytope.polytope import PartitionPolytope
from .programs.assignment import AssignmentModel
from .programs.least_squares_sdp import LeastSquaresSDP
from .programs.margin import MarginProgram
from .programs.medoid_location import MedoidLocationMIP
from .programs.norm_maximisation import NormMaximisation
from .programs.program import Program
from .programs.whole_assignment import WholeAssignmentMIP
from .scores.scores import LinearScores

__all__ = [
    "AssignmentModel",
    "Block",
    "ClusterSumPolytope",
    "Constraint",
    "ExchangeGraph",
    "Formulation",
    "InfeasibleBoundsError",
    "LeastSquaresSDP",
    "LinearScores",
    "Links",
    "MarginProgram",
    "MedoidLocationMIP",
    "NormMaximisation",
    "PartitionPolytope",
    "PartitopeError",
    "PowerDiagram",
    "Program",
    "WholeAssignmentMIP",
    "check_assignment",
    "sum_of_squares",
]
