"""Kernel measures of dependence: HSIC and HSCONIC."""

from .measures import DependenceResult, hsconic, hsic

__all__ = ["DependenceResult", "hsconic", "hsic"]
