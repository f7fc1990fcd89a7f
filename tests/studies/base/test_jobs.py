"""Finished jobs: read when their settings are the same, computed again when a file is damaged."""

from __future__ import annotations

import pytest

from studies.base.jobs import finished_job, resumable


def test_finished_jobs_are_not_computed_again(tmp_path):
    calls = []

    def compute():
        calls.append(1)
        return {"value": len(calls)}

    assert finished_job({"k": 1}, compute, tmp_path) == {"value": 1}
    assert finished_job({"k": 1}, compute, tmp_path) == {"value": 1}
    assert finished_job({"k": 2}, compute, tmp_path) == {"value": 2}
    assert finished_job({"k": 1}, compute, None) == {"value": 3}
    for place in tmp_path.glob("*.json"):
        place.write_text("{damaged", encoding="utf-8")
    assert finished_job({"k": 1}, compute, tmp_path) == {"value": 4}
    assert not list(tmp_path.glob("*.part"))


def test_an_interrupted_run_says_where_finished_jobs_are_kept(tmp_path, capsys):
    with pytest.raises(KeyboardInterrupt), resumable(tmp_path):
        raise KeyboardInterrupt
    assert f"finished jobs are kept in {tmp_path}" in " ".join(capsys.readouterr().err.split())
