"""Every strategy on the same table, the same bounds and the same folds."""

from .result import Comparison, Row, Settings
from .run import Progress, compare

__all__ = ["Comparison", "Progress", "Row", "Settings", "compare"]
