"""Fitted models as files that hold no code."""
