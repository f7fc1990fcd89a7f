"""Statistics as pure functions of arrays."""

from .binary import BinaryReport, binary_report
from .hsic import DependenceResult, hsconic, hsic
from .intervals import ShareInterval, accuracy_interval

__all__ = [
    "BinaryReport",
    "DependenceResult",
    "ShareInterval",
    "accuracy_interval",
    "binary_report",
    "hsconic",
    "hsic",
]
