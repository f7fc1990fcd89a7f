"""Tables 2 and 3 of the paper on conditional clustering: what is run, what is kept, what comes out on a small set."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.compare.method import hide_labels
from partitope.datasets.raw_files import DataNotFoundError
from studies import kcc, kcssl
from studies.base.rows import COLUMNS
from studies.catalogue import STUDIES
from studies.printed.kcc import KCC, KCSSL, METHODS


def test_every_class_keeps_a_label():
    truth = np.repeat([0, 1, 2], [95, 3, 2])
    for seed in range(20):
        given = hide_labels(truth, np.random.default_rng(seed))
        assert set(given) == {-1, 0, 1, 2}
        assert (given >= 0).sum() == 10
        assert (given[given >= 0] == truth[given >= 0]).all()


def test_the_plan_of_table_2():
    jobs = kcc.kcc_jobs()
    run = {(job["data"], job["method"]) for job in jobs}
    assert len(jobs) == len({tuple(sorted(map(str, job.items()))) for job in jobs})
    wanted = {(figure.data, figure.method) for figure in KCC}
    assert wanted <= run
    assert ("simu3", "COALA") not in run  # not printed either
    assert {job["lam"] for job in jobs if job["lam"] is not None} == {10.0**e for e in range(-3, 4)}
    # kept jobs are found by their settings: only results that changed have another name
    assert {job["method"] for job in jobs if "of" in job} == {"KDAC"}
    assert {tuple(job)[:6] for job in jobs} == {("study", "data", "method", "n_init", "lam", "random_state")}
    quick = kcc.kcc_jobs(quick=True)
    assert kcc.STUDY.quick_sets == kcssl.STUDY.quick_sets == ("simu1", "simu3", "face4")
    assert {job["n_init"] for job in quick} == {5}


@pytest.mark.data
def test_table_2_on_a_small_set_reaches_the_paper_and_resumes(data_home, tmp_path, monkeypatch):
    frame = STUDIES["kcc"].run(sets=["face4"], n_init=20, cache=tmp_path)
    assert list(frame.columns) == list(COLUMNS)
    face4 = frame[(frame["data"] == "face4") & (frame["table"] == "2")]
    assert set(face4["method"]) == {*METHODS, "links"}
    assert set(face4.loc[face4["method"] == "links", "verdict"]) == {"not printed"}
    ours = face4[face4["method"] == "KCC"].set_index("metric")
    assert ours.loc["ACC", "ours"] == pytest.approx(0.852, abs=0.011)
    assert set(ours["verdict"]) == {"met"}
    for method in ("RPCA", "KKM", "KM", "MNMF"):
        row = face4[(face4["method"] == method) & (face4["metric"] == "ACC")].iloc[0]
        assert row["low"] <= row["paper"] <= row["high"]
        assert row["verdict"] == ("met" if abs(row["difference"]) <= 0.01 else "undecided")
    sweep = frame[frame["table"] == "Figure 4"]
    assert list(dict.fromkeys(sweep["method"])) == [f"KDAC lam={penalty:g}" for penalty in kcc.SWEEP]
    monkeypatch.setattr(kcc, "conditional_table", None)  # finished jobs are read, not computed
    again = STUDIES["kcc"].run(sets=["face4"], n_init=20, cache=tmp_path)
    assert again.equals(frame)


def test_every_printed_figure_of_a_set_that_is_not_there_has_its_row(monkeypatch):
    def gone(name):
        raise DataNotFoundError(f"kcc/{name} is not in the data home and was not downloaded (no network): fetch it")

    monkeypatch.setattr(kcc, "conditional_table", gone)
    monkeypatch.setattr(kcssl, "conditional_table", gone)
    for frame, printed in (
        (STUDIES["kcc"].run(sets=["multi"], cache=None), KCC),
        (STUDIES["kcssl"].run(sets=["multi"], cache=None), KCSSL),
    ):
        assert len(frame) == sum(figure.data == "multi" for figure in printed)
        assert set(frame["verdict"]) == {"no data"}
        assert set(frame["note"]) == {"kcc/multi is not in the data home and was not downloaded"}


@pytest.mark.data
def test_table_3_on_a_small_set(data_home, tmp_path):
    frame = STUDIES["kcssl"].run(sets=["simu1"], splits=3, cache=tmp_path)
    ours = frame[frame["data"] == "simu1"].set_index("method")
    assert ours.loc["KCSSL", "ours"] > 0.95
    assert ours.loc["KCSSL", "verdict"] == "met"
    assert len(list(tmp_path.glob("*.json"))) == 4  # one block of splits a method
    assert (ours["sd"] >= 0).all()
