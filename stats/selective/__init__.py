"""Tests of clusters that were found in the same data."""

from .mean_test import SelectiveTest, selective_mean_test

__all__ = ["SelectiveTest", "selective_mean_test"]
