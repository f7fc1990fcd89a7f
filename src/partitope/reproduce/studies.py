"""The studies by name: one table, each loaded when it is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from .cells import Progress


@dataclass(frozen=True)
class Study:
    """One study.

    Attributes
    ----------
    module, function : str
        Where it is; the function returns the rows as a DataFrame.
    title : str
        Which tables of which publication, for the reader.
    group : str
        What names a method on a data set, in the columns of the rows.
    """

    module: str
    function: str
    title: str
    group: tuple[str, ...] = ("table", "data", "method")

    def run(
        self,
        *,
        quick: bool = False,
        n_starts: int | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
        cache: str | Path | None = "default",
        progress: Progress | None = None,
    ) -> pd.DataFrame:
        """The rows; ``n_starts`` and ``n_jobs`` reach those studies that have them."""
        call: Callable[..., pd.DataFrame] = getattr(import_module(self.module, __package__), self.function)
        known = inspect.signature(call).parameters
        options: dict[str, Any] = {"quick": quick, "random_state": random_state, "cache": cache, "progress": progress}
        if n_starts is not None and "n_starts" in known:
            options["n_starts"] = n_starts
        if n_jobs is not None and "n_jobs" in known:
            options["n_jobs"] = n_jobs
        return call(**options)


_OLD = ("table", "scenario", "k", "classifier", "part")

STUDIES: dict[str, Study] = {
    "census": Study(".census", "reproduce_census", "Öllinger, Tables 6.3 to 6.8: Census Income, percent", _OLD),
    "german": Study(".german", "reproduce_german", "Öllinger, Tables 5.3 to 5.6: German Credit, percent", _OLD),
    "tests": Study(".hypotheses", "reproduce_tests", "Öllinger, Tables 7.1 to 7.4: tests of cluster values, percent"),
    "cac": Study(".cac", "reproduce_cac", "Srivastava et al., two papers: F1 and AUC of CAC+X, KM+X and X, shares"),
    "cac-synthetic": Study(
        ".cac_synthetic",
        "reproduce_cac_synthetic",
        "Srivastava et al., Figures 2 and 3: F1 over properties of the data",
    ),
    "pkm": Study(".pkm", "reproduce_pkm", "Lemaire et al., Tables 2 and 3: predictive k-means, percent"),
    "kcc": Study(".kcc", "reproduce_kcc", "He et al., Table 2 and Figure 4: conditional clustering, shares"),
    "kcssl": Study(".kcssl", "reproduce_kcssl", "He et al., Table 3: few labels given covariates, shares"),
    "beyond": Study(
        ".beyond",
        "reproduce_beyond",
        "Beyond the papers: every strategy on every set, the same bounds and folds, shares",
    ),
}
