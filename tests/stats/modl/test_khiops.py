"""Cuts against Khiops, the engine of the criterion's author, run in a process of its own.

Khiops is optional: it is found in this Python (the extra ``khiops``) or in the one that PARTITOPE_KHIOPS_PYTHON names.
Its prior is a later one than that of the paper followed here, so that cuts of small gain may differ.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from partitope.stats.modl.cuts_and_groups import cut_numbers

SCRIPT = """
import json, sys
from khiops import core as kh
table, folder = sys.argv[1], sys.argv[2]
dictionary = folder + "/table.kdic"
kh.build_dictionary_from_data_table(table, "table", dictionary, field_separator="\\t")
domain = kh.read_dictionary_file(dictionary)
for variable in domain.get_dictionary("table").variables:
    variable.type = "Categorical" if variable.name == "target" else "Numerical"
domain.export_khiops_dictionary_file(dictionary)
kh.train_predictor(dictionary, "table", table, "target", folder + "/report.khj", sample_percentage=100, max_trees=0,
                   max_pairs=0, field_separator="\\t", do_data_preparation_only=True)
report = kh.read_analysis_results_file(folder + "/report.khj")
found = {}
for variable in report.preparation_report.variables_statistics:
    parts = [] if variable.data_grid is None else variable.data_grid.dimensions[0].partition
    cuts = [p.upper_bound for p in parts if getattr(p, "upper_bound", None) is not None and not p.is_right_open]
    found[variable.name] = {"level": variable.level, "cuts": cuts}
print("FOUND" + json.dumps(found))
"""
PYTHON = os.environ.get("PARTITOPE_KHIOPS_PYTHON") or (sys.executable if find_spec("khiops") else None)
pytestmark = pytest.mark.skipif(PYTHON is None, reason="Khiops is not installed: the extra 'khiops'")


def khiops(X: np.ndarray, y: np.ndarray, folder: Path) -> dict:
    """Gain and cuts of every column by Khiops."""
    assert PYTHON is not None
    table = pd.DataFrame(X, columns=[f"x{f}" for f in range(X.shape[1])])
    table["target"] = [f"c{label}" for label in y]
    table.to_csv(folder / "table.txt", sep="\t", index=False)
    home = Path(PYTHON).parent
    environment = os.environ | {
        "PATH": f"{home}{os.pathsep}{os.environ.get('PATH', '')}",
        "VIRTUAL_ENV": str(home.parent),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    command = [PYTHON, "-c", SCRIPT, str(folder / "table.txt"), str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert "FOUND" in done.stdout, done.stderr[-2000:]
    return json.loads(done.stdout.rpartition("FOUND")[2])


def test_same_petal_cuts_of_iris(tmp_path):
    X, y = load_iris(return_X_y=True)
    theirs = khiops(X, y, tmp_path)
    for column in (2, 3):
        ours = cut_numbers(X[:, column], y, 3)
        np.testing.assert_allclose(ours.cuts, theirs[f"x{column}"]["cuts"], atol=0.051)  # theirs are rounded
        codes = np.searchsorted(theirs[f"x{column}"]["cuts"], X[:, column])
        np.testing.assert_array_equal(ours.codes(X[:, column]), codes)  # the same rows


@pytest.mark.parametrize("load, most", [(load_iris, 0), (load_breast_cancer, 0), (load_wine, 3)])
def test_compression_gains_agree(load, most, tmp_path):
    """Within .02 but on ``most`` columns: on wine the later prior moves three by .020 to .027."""
    X, y = load(return_X_y=True)
    theirs = khiops(X, y, tmp_path)
    gaps = np.array([abs(cut_numbers(x, y, y.max() + 1).gain - theirs[f"x{f}"]["level"]) for f, x in enumerate(X.T)])
    assert np.sum(gaps > 0.02) <= most
    assert gaps.max() < 0.03
