"""The papers' tables, printed and own figures side by side, with an interval and a verdict a row.

Every ``reproduce_NAME`` runs one study and returns its rows: see `Study.run`, and ``STUDIES[NAME].options`` for what
can be chosen.
"""

from ..base.cache import default_folder
from .printed import Figure
from .printed.dissertation import CENSUS, GERMAN
from .record import Reproduction, read_record
from .report.page import reproduction_html
from .studies import STUDIES
from .study import Study

reproduce_census = STUDIES["census"].run
reproduce_german = STUDIES["german"].run
reproduce_tests = STUDIES["tests"].run
reproduce_cac = STUDIES["cac"].run
reproduce_cac_synthetic = STUDIES["cac-synthetic"].run
reproduce_pkm = STUDIES["pkm"].run
reproduce_kcc = STUDIES["kcc"].run
reproduce_kcssl = STUDIES["kcssl"].run
reproduce_beyond = STUDIES["beyond"].run
reproduce_local = STUDIES["local"].run
reproduce_sizes = STUDIES["sizes"].run

__all__ = [
    "CENSUS",
    "GERMAN",
    "STUDIES",
    "Figure",
    "Reproduction",
    "Study",
    "default_folder",
    "read_record",
    "reproduce_beyond",
    "reproduce_cac",
    "reproduce_cac_synthetic",
    "reproduce_census",
    "reproduce_german",
    "reproduce_kcc",
    "reproduce_kcssl",
    "reproduce_local",
    "reproduce_pkm",
    "reproduce_sizes",
    "reproduce_tests",
    "reproduction_html",
]
