"""The dissertation's tables, printed and own figures side by side, with an interval and a verdict a row."""

from .cells import default_folder
from .census import reproduce_census
from .german import reproduce_german
from .published import CENSUS, GERMAN, Figure

__all__ = ["CENSUS", "GERMAN", "Figure", "default_folder", "reproduce_census", "reproduce_german"]
