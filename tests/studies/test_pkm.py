"""The study of predictive k-means: names of jobs, sets without data, the set that is drawn."""

from __future__ import annotations

from partitope.datasets.raw_files import DataNotFoundError
from studies import data as tables
from studies import pkm
from studies.catalogue import STUDIES
from studies.data import make_waveform
from studies.pkm_rows import part_rows
from studies.printed.pkm import PKM, PKM_PARTS


def test_jobs_of_the_second_stand_ins_have_names_of_their_own():
    assert "of" not in pkm.job_settings("glass", "SNB", 0, 0)
    assert pkm.job_settings("glass", "LMT", 0, 0)["of"] == 2
    assert {f.data for f in (*PKM, *PKM_PARTS)} == set(pkm.SETS) - {"glass without Id"}


def test_sets_without_data_say_so_figure_by_figure(monkeypatch, tmp_path):
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path))

    def missing(name):
        raise DataNotFoundError(f"{name} is not here")

    monkeypatch.setattr(tables, "load_dataset", missing)
    frame = STUDIES["pkm"].run(sets=["vehicle"], repetitions=1, cache=None)
    assert set(frame["verdict"]) == {"no data"}
    assert set(frame["note"]) == {"vehicle is not here"}
    assert len(frame) == 2 * 6 + 5


def test_robustness_is_compared_with_the_two_printed_digits():
    folds = {
        "test ACC": [0.976, 0.9774],
        "train ACC": [1.0, 1.0],
        "test AUC": [0.9964, 0.9966],
        "train AUC": [1.0, 1.0],
    }
    shares = {"pure": [0.1, 0.1], "local": [0.9, 0.9], "plain": [0.0, 0.0]}
    rows = part_rows("segment", [{"scores": folds | shares, "ratio": 1 / 9, "seconds": 1.0}])
    verdicts = {row["metric"]: row["verdict"] for row in rows}
    assert verdicts["robustness AUC"] == "met"  # .9965 is printed as 1.00
    assert verdicts["pure clusters"] == verdicts["local models"] == "differs"
    folds["test AUC"] = [0.9864, 0.9866]
    rows = part_rows("segment", [{"scores": folds | shares, "ratio": 1 / 9, "seconds": 1.0}])
    assert {row["metric"]: row["verdict"] for row in rows}["robustness AUC"] == "missed"


def test_waveform_needs_no_file(monkeypatch, tmp_path):
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path))
    monkeypatch.setattr(tables, "make_waveform", lambda random_state: make_waveform(240, random_state=random_state))
    monkeypatch.setattr(pkm, "METHODS", ("PKM_SNB",))
    monkeypatch.setattr(pkm, "FOLDS", 3)
    frame = STUDIES["pkm"].run(quick=True, sets=["waveform"], cache=None)
    printed = frame[frame["verdict"] != "not printed"]
    assert len(printed) == 2 + 5
    assert printed["note"].str.startswith("drawn anew from the published generator").all()
    assert printed.iloc[0]["ours"] > 60.0
