"""Published tables computed again, with the methods of other authors and the data sets that they need.

Run from a clone: ``python -m studies NAME``; `studies.catalogue` lists the names. Importing this package adds the
methods of other authors to the table of strategies, as a plug-in of anybody's would be; see `studies.methods`.
"""

from . import methods as methods
