"""Tests of clusters that were found in the same data."""
