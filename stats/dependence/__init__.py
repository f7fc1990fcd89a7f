"""Kernel measures of dependence: HSIC and HSCONIC."""

from ...base.moved import former_names
from .measures import DependenceResult, hsconic, hsic

__getattr__ = former_names(__name__)

__all__ = ["DependenceResult", "hsconic", "hsic"]
