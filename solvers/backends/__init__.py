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
        "highs-pdlp": Entry(f"{_HERE}.highs_:HighsPdlpBackend", needs=("highspy",)),
        "scipy": Entry(f"{_HERE}.scipy_:ScipyBackend", needs=("scipy",)),
        "pyomo": Entry(f"{_HERE}.pyomo_:PyomoBackend", needs=("pyomo", "highspy")),
        "cvxpy": Entry(f"{_HERE}.cvxpy_:CvxpyBackend", needs=("cvxpy", "highspy")),
        "cvxpy-clarabel": Entry(f"{_HERE}.cvxpy_:CvxpyClarabelBackend", needs=("cvxpy", "clarabel")),
        "cvxpy-scs": Entry(f"{_HERE}.cvxpy_:CvxpyScsBackend", needs=("cvxpy", "scs")),
        "networkx": Entry(f"{_HERE}.networkx_:NetworkxBackend", needs=("networkx",)),
        "restricted": Entry("partitope.solvers.restricted.backend:RestrictedBackend", needs=("highspy",)),
    },
    base="partitope.solvers.backend:Backend",
    declaration="capabilities",
    group="partitope.backends",
)
