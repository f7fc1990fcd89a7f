"""The papers' tables, printed and own figures side by side, with an interval and a verdict a row."""

from .beyond import reproduce_beyond
from .cac import reproduce_cac
from .cac_synthetic import reproduce_cac_synthetic
from .cells import default_folder
from .census import reproduce_census
from .german import reproduce_german
from .hypotheses import reproduce_tests
from .kcc import reproduce_kcc
from .kcssl import reproduce_kcssl
from .page import reproduction_html
from .pkm import reproduce_pkm
from .published import CENSUS, GERMAN, Figure
from .record import Reproduction, read_record
from .studies import STUDIES

__all__ = [
    "CENSUS",
    "GERMAN",
    "STUDIES",
    "Figure",
    "Reproduction",
    "default_folder",
    "read_record",
    "reproduce_beyond",
    "reproduce_cac",
    "reproduce_cac_synthetic",
    "reproduce_census",
    "reproduce_german",
    "reproduce_kcc",
    "reproduce_kcssl",
    "reproduce_pkm",
    "reproduce_tests",
    "reproduction_html",
]
