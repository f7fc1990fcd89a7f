"""Supervised cuts and groups of one column by minimum description length (MODL)."""

from .parts import Groups, Intervals, Parts, cut_numbers, group_prior, group_values, interval_prior, part_costs

__all__ = [
    "Groups",
    "Intervals",
    "Parts",
    "cut_numbers",
    "group_prior",
    "group_values",
    "interval_prior",
    "part_costs",
]
