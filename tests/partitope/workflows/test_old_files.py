"""Model files written by version 0.1, when modules had other addresses, load and predict as they did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from partitope.models import Proof
from partitope.workflows.model_files import load_model

FILES = Path(__file__).parent / "version_0_1"


@pytest.mark.filterwarnings("ignore:partitope.* has moved:DeprecationWarning")
@pytest.mark.parametrize("name", ["model.json", "model.skops"])
def test_files_of_version_0_1(name):
    table = pd.read_csv(FILES / "table.csv")
    model = load_model(FILES / name)
    scores = model.predict_proba(table.drop(columns="y"))[:, 1]
    np.testing.assert_allclose(scores, np.loadtxt(FILES / "scores.csv"), rtol=0, atol=1e-12)
    assert set(model.predict(table.drop(columns="y"))) == set(table["y"])
    if name.endswith(".skops"):  # files of then carry no digest, so nothing ties a proof to their labels
        assert model.partition_.proof is Proof.NONE
