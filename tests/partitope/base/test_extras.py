"""Packages that are optional: without them everything else works, and what needs one says how to install it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from partitope.cli import run

OPTIONAL = ("statsmodels", "pyarrow")


@pytest.fixture
def light(monkeypatch):
    """An installation without the optional packages."""
    for name in [*OPTIONAL, *(m for m in sys.modules if m.startswith(tuple(f"{p}." for p in OPTIONAL)))]:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "answer": np.where(X[:, 0] > 0, "yes", "no")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


WAY = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {missing}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Missing())
import numpy as np
from partitope.cli import run
from partitope.stats import mcnemar_test
from partitope.stats.cluster_values.steps import adjusted
table, model = sys.argv[1:]
assert run(["fit", table, "-t", "answer", "-k", "3", "-o", model]) == 0
assert run(["predict", model, table]) == 0
assert run(["test", model, table, "-t", "answer", "--adjust", "holm"]) == 0
assert mcnemar_test([1, 1, 1], [1, 0, 1], [0, 0, 1]).pvalue == 1.0
assert adjusted(np.array([0.01, 0.02]), "bh").tolist() == [0.02, 0.02]
"""


@pytest.mark.full
def test_the_way_from_a_table_to_a_test_needs_no_extra(table, tmp_path):
    words = [sys.executable, "-c", WAY.format(missing=OPTIONAL), str(table), str(tmp_path / "model.json")]
    found = subprocess.run(words, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_what_needs_an_extra_says_how_to_get_it_before_any_work(light, table, tmp_path, capsys):
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    for words, extra in (
        (["fit", str(tmp_path / "t.parquet"), "-t", "answer", "-o", str(tmp_path / "m.json")], "partitope[parquet]"),
    ):
        assert run(words) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert f"pip install '{extra}'" in said
