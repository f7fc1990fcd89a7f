"""The table of backends. To add one: write its file, add its line."""

from ...base.registry import Entry, Registry

_HERE = "partitope.solvers.backends"
_OURS = "partitope.solvers.transport.backend"

BACKENDS = Registry(
    "backend",
    {
        "transport": Entry(f"{_OURS}:TransportBackend", needs=("numba",)),
        "highs": Entry(f"{_HERE}.highs_:HighsBackend", needs=("highspy",)),
        "highs-ipm": Entry(f"{_HERE}.highs_:HighsIpmBackend", needs=("highspy",)),
        "pyomo": Entry(f"{_HERE}.pyomo_:PyomoBackend", needs=("pyomo", "highspy")),
        "cvxpy": Entry(f"{_HERE}.cvxpy_:CvxpyBackend", needs=("cvxpy", "highspy")),
        "networkx": Entry(f"{_HERE}.networkx_:NetworkxBackend", needs=("networkx",)),
        "restricted": Entry("partitope.solvers.restricted.backend:RestrictedBackend", needs=("highspy",)),
    },
    base="partitope.solvers.backend:Backend",
    declaration="capabilities",
    group="partitope.backends",
)
