"""The table of backends. To add one: write its file, add its line."""

from ...base.registry import Registry

_HERE = "partitope.solvers.backends"
_OURS = "partitope.solvers.transport.backend"

BACKENDS = Registry(
    "backend",
    {
        "transport": f"{_OURS}:TransportBackend",
        "highs": f"{_HERE}.highs_:HighsBackend",
        "highs-ipm": f"{_HERE}.highs_:HighsIpmBackend",
        "highs-pdlp": f"{_HERE}.highs_:HighsPdlpBackend",
        "scipy": f"{_HERE}.scipy_:ScipyBackend",
        "pyomo": f"{_HERE}.pyomo_:PyomoBackend",
        "cvxpy": f"{_HERE}.cvxpy_:CvxpyBackend",
        "cvxpy-clarabel": f"{_HERE}.cvxpy_:CvxpyClarabelBackend",
        "cvxpy-scs": f"{_HERE}.cvxpy_:CvxpyScsBackend",
        "networkx": f"{_HERE}.networkx_:NetworkxBackend",
        "boxstep": "partitope.solvers.boxstep.backend:BoxstepBackend",
    },
    base="partitope.solvers.backend:Backend",
    declaration="capabilities",
    group="partitope.backends",
)
