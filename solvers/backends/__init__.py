"""The table of backends. To add one: write its file, add its line."""

from ...models.tables import Entry, LazyTable

_HERE = "partitope.solvers.backends"

BACKENDS = LazyTable(
    "backend",
    {
        "transport": Entry(f"{_HERE}.transport:TransportBackend", needs=("numba",)),
        "highs": Entry(f"{_HERE}.highs_:HighsBackend", needs=("highspy",)),
        "scipy": Entry(f"{_HERE}.scipy_:ScipyBackend", needs=("scipy",)),
    },
)
