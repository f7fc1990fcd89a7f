"""Supervised cuts and groups of one column by minimum description length (MODL)."""
