"""Selective naive Bayes on supervised cuts and groups."""

from .classifier import SelectiveNaiveBayes

__all__ = ["SelectiveNaiveBayes"]
