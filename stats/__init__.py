"""Statistics as pure functions of arrays."""

from .hsic import DependenceResult, hsconic, hsic

__all__ = ["DependenceResult", "hsconic", "hsic"]
