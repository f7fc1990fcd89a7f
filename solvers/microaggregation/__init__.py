"""Microaggregation: groups of at least m records that lose the least information, by search and a proved bound."""

from .partitioner import Microaggregation

__all__ = ["Microaggregation"]
