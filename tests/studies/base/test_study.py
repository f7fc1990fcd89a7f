"""The one runner of all studies: options that are refused, data that are missing, names that stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from partitope.base.errors import InvalidInputError
from partitope.datasets.raw_files import DataNotFoundError
from studies.base import machine
from studies.base.study import Study, run_jobs
from studies.catalogue import STUDIES


def numbers(*, quick=False, random_state=0, n=3, sets=("a", "b")):
    """One job a set and number; quick: one number."""
    return [
        {"study": "numbers", "data": s, "i": i, "seed": random_state} for s in sets for i in range(1 if quick else n)
    ]


STUDY = Study(
    "numbers",
    numbers,
    lambda job: {"value": job["i"]},
    lambda done, quick: [{**job, **found, "quick": quick} for job, found in done],
    sets=("a", "b"),
    quick_sets=("a",),
    known_sets=("c",),
)


def test_options_reach_the_jobs_and_quick_the_rows():
    assert STUDY.options == {"n": 3, "sets": ("a", "b")}
    assert STUDY.run(cache=None)["i"].tolist() == [0, 1, 2] * 2
    assert STUDY.run(cache=None, n=1, sets=["c"], random_state=4)[["data", "seed"]].to_numpy().tolist() == [["c", 4]]
    quick = STUDY.run(cache=None, quick=True)
    assert (quick["data"].tolist(), quick["quick"].tolist()) == (["a"], [True])


@pytest.mark.parametrize(
    "options, words",
    [({"starts": 3}, "option 'starts' is not known: choose among n, sets"), ({"n": 0}, "n=0 is not usable"),
     ({"sets": ["a", "d"]}, "set 'd' is not known: choose among a, b, c")],
)  # fmt: skip
def test_what_is_not_known_is_refused_before_anything_runs(options, words):
    forbidden = replace(STUDY, compute=lambda job: pytest.fail("something ran"))
    with pytest.raises(InvalidInputError, match=words):
        forbidden.run(cache=None, **options)


def test_finished_jobs_are_read_and_progress_tells_them_apart(tmp_path):
    seen = []
    first = STUDY.run(cache=tmp_path, n=2, progress=lambda done, total, text: seen.append((done, total, text)))
    assert seen == [(1, 4, "numbers a i=0"), (2, 4, "numbers a i=1"), (3, 4, "numbers b i=0"), (4, 4, "numbers b i=1")]
    again = replace(STUDY, compute=lambda job: pytest.fail("a finished job ran")).run(cache=tmp_path, n=2)
    assert again.equals(first)
    assert again.attrs["commits"] == {machine.commit() or "unknown": 4}


def test_cores_are_offered_to_those_who_take_them():
    given = []
    replace(STUDY, compute=lambda job, n_jobs=None: given.append(n_jobs) or {}).run(cache=None, quick=True, n_jobs=2)
    assert given == [2]


def test_data_that_cannot_be_had_are_asked_for_once():
    asked = []

    def compute(settings):
        asked.append(settings["data"])
        if settings["data"] == "gone":
            raise DataNotFoundError("a/b.txt is not in the data home and was not downloaded (no network): fetch it")
        return {"value": 1}

    jobs = [{"data": name, "method": m} for name in ("gone", "here") for m in "ab"]
    results = run_jobs(jobs, compute, None)
    assert asked == ["gone", "here", "here"]
    assert [r.get("missing") for r in results] == ["a/b.txt is not in the data home and was not downloaded"] * 2 + [
        None
    ] * 2


def test_a_study_that_cannot_do_without_its_data_says_which(tmp_path):
    def compute(job):
        raise DataNotFoundError("no such file: fetch it")

    with pytest.raises(DataNotFoundError, match="fetch it"):
        replace(STUDY, compute=compute, partial=False).run(cache=tmp_path)
    assert set(replace(STUDY, compute=compute).run(cache=tmp_path)["missing"]) == {"no such file"}
    assert not list(tmp_path.glob("*.json"))


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_documents_its_options(name):
    study = STUDIES[name]
    for option in study.options:
        assert f"    {option} : " in (study.jobs.__doc__ or "")
    assert {"quick", "random_state"} <= set(study.jobs.__annotations__)


def test_parts_share_the_jobs_and_a_run_without_part_makes_the_rows(tmp_path):
    ran = []
    compute = STUDY.compute
    study = replace(STUDY, compute=lambda job: ran.append(dict(job)) or compute(job))
    for first in (1, 2, 3):
        assert study.run(cache=tmp_path, part=(first, 3)).empty
    assert len(ran) == len({str(job) for job in ran}) == len(STUDY.jobs(sets=STUDY.sets))
    forbidden = replace(STUDY, compute=lambda job: pytest.fail("a finished job ran"))
    kept, anew = forbidden.run(cache=tmp_path), STUDY.run(cache=None)
    assert kept.drop(columns="seconds").equals(anew.drop(columns="seconds"))
    for part, cache, words in (
        ((0, 2), tmp_path, "1 <= i"),
        ((3, 2), tmp_path, "1 <= i"),
        ((1, 2), None, "needs cache"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            study.run(cache=cache, part=part)
