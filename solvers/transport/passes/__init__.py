"""Passes over all points: scores, best clusters, candidate lists and candidates."""
