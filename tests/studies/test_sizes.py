"""The study of size bounds: what its rows say of the clusterings, and how they are put together."""

from __future__ import annotations

import numpy as np
import pytest

from studies import sizes
from studies.data import load_dataset
from studies.report.pictures import sizes_figure


def test_rows_keep_the_bounds_and_changes_are_paired():
    settings = {"study": "sizes", "data": "breast_cancer", "n_starts": 1, "random_state": 0}
    jobs = [settings | {"width": width} for width in (None, 0.1)]
    done = [(job, sizes.sizes_job(job)) for job in jobs]
    rows = sizes.sizes_rows(done)
    n = len(load_dataset("breast_cancer").y) * 4 / 5
    narrow = [row for row in rows if row["table"] == "sizes" and row["width"] == 0.1]
    assert [row["metric"] for row in narrow] == list(sizes.MEASURES)
    assert all(row["verified"] == 1.0 for row in rows if row["table"] == "sizes")
    assert narrow[0]["largest"] <= np.ceil(1.1 * n / 8)
    assert narrow[0]["smallest"] >= np.floor(0.9 * n / 8) - 1
    change = next(r for r in rows if (r["table"], r["metric"]) == ("against no bound", "change of ACC"))
    before, after = (np.array(result["measures"]["ACC"]) for _, result in done)
    assert change["ours"] == pytest.approx(np.mean(after - before), abs=1e-4)
    whole = next(r for r in rows if (r["table"], r["metric"]) == ("all sets", "change of ACC"))
    assert (whole["ours"], whole["data"]) == (change["ours"], "all sets")
    assert sizes_figure(rows, ()).startswith("<svg")
    assert sizes_figure([], ()) is None


def test_clusters_hold_twenty_training_rows_on_average():
    assert sizes.n_clusters(1000, 2) == 8
    assert sizes.n_clusters(171, 6) == 8
    assert sizes.n_clusters(30, 3) == 2
