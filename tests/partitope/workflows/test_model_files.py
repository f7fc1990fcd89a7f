"""Model files: the model comes back, nothing in a file is run, nothing half-written is left."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import zipfile
from functools import cache

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from partitope.classifiers import ClusteringClassifier
from partitope.datasets import read_table
from partitope.models import CapabilityError, InvalidInputError, Status
from partitope.output.files import check_writable, write_atomically
from partitope.solvers import GeometricPartitioner
from partitope.workflows.model_files import load_model, save_model, trusted_types


@cache
def table():
    rng = np.random.default_rng(0)
    y = np.array(["no", "yes"])[np.arange(80) % 2]
    X = pd.DataFrame(
        {"a": np.round(rng.normal(size=80) + (y == "yes"), 1), "b": np.where(rng.random(80) < 0.5, "x", "y")}
    )
    X.loc[2, "b"] = None
    return X, y


@cache
def fitted(weighting=None, prior=None):
    X, y = table()
    partitioner = GeometricPartitioner(4, lower=10)
    model = ClusteringClassifier(partitioner, n_starts=3, prior=prior, weighting=weighting, random_state=0)
    return model.fit(X, y)


@cache
def fitted_on_numbers():
    X, y = table()
    model = ClusteringClassifier(GeometricPartitioner(3), n_starts=2, encoder=StandardScaler(), random_state=0)
    return model.fit(X[["a"]], y)


@pytest.mark.parametrize("suffix", [".json", ".skops"])
@pytest.mark.parametrize("options", [{}, {"weighting": "least-squares"}, {"prior": (2.0, 3.0)}])
def test_the_model_comes_back(tmp_path, suffix, options):
    X, _ = table()
    model = fitted(**options)
    path = save_model(model, tmp_path / f"model{suffix}")
    again = load_model(path)
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert os.listdir(tmp_path) == [path.name]


def test_json_is_readable_and_versioned_and_stores_the_same_again(tmp_path):
    path = save_model(fitted(), tmp_path / "model.json")
    document = json.loads(path.read_text())
    assert document["format"] == "partitope.model"
    assert document["version"] == 1
    assert document["model"]["classes"] == ["no", "yes"]
    assert len(document["model"]["starts"]) == 3
    second = save_model(load_model(path), tmp_path / "again.json")
    assert second.read_bytes() == path.read_bytes()


def test_scikit_learn_estimators_go_to_an_archive(tmp_path):
    X, _ = table()
    with pytest.raises(CapabilityError, match=r"StandardScaler.*skops"):
        save_model(fitted_on_numbers(), tmp_path / "model.json")
    assert os.listdir(tmp_path) == []
    again = load_model(save_model(fitted_on_numbers(), tmp_path / "model.skops"))
    assert np.array_equal(again.predict(X[["a"]]), fitted_on_numbers().predict(X[["a"]]))
    assert again.partition_.status in Status
    assert fitted_on_numbers().partition_.status in Status  # the model that was stored is not changed
    logistic = LogisticRegression().fit(X[["a"]], np.arange(80) % 2)
    assert np.array_equal(load_model(save_model(logistic, tmp_path / "logistic.skops")).coef_, logistic.coef_)


def test_types_that_skops_does_not_trust_must_be_named_by_the_reader(tmp_path):
    forest = RandomForestClassifier(3, random_state=0).fit([[0], [1]], [0, 1])
    tree = "sklearn.tree._tree.Tree"
    with pytest.raises(CapabilityError, match=re.escape(tree)):
        save_model(forest, tmp_path / "forest.skops")
    path = save_model(forest, tmp_path / "forest.skops", trusted=[tree])
    with pytest.raises(InvalidInputError, match=re.escape(tree)):
        load_model(path)
    assert load_model(path, trusted=[tree]).n_estimators == 3


class Intruder:
    """What a malicious file would name: building it leaves a trace."""

    built = False

    def __new__(cls):
        Intruder.built = True
        return super().__new__(cls)


def test_loading_refuses_types_that_are_not_trusted_and_builds_nothing(tmp_path):
    model = LogisticRegression().fit([[0], [1]], [0, 1])
    model.note = Intruder()
    path = tmp_path / "model.skops"
    path.write_bytes(skops.io.dumps(model))
    Intruder.built = False
    with pytest.raises(InvalidInputError, match=r"does not trust.*Intruder"):
        load_model(path)
    assert not Intruder.built
    with pytest.raises(CapabilityError, match="Intruder"):
        save_model(model, tmp_path / "again.skops")
    assert not (tmp_path / "again.skops").exists()


def test_pickles_are_never_run(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "boom"),))

    for name in ("model.json", "model.skops"):
        (tmp_path / name).write_bytes(pickle.dumps(Bomb()))
        with pytest.raises(InvalidInputError, match="not a model file"):
            load_model(tmp_path / name)
    assert not (tmp_path / "boom").exists()


def test_all_trusted_types_are_partitope_classes():
    from importlib import import_module

    for name in trusted_types():
        module, _, kind = name.rpartition(".")
        assert module.startswith("partitope.")
        assert isinstance(getattr(import_module(module), kind), type)


def damaged(change):
    document = {"format": "partitope.model", "version": 1, "partitope": "0.1.0", "model": fitted().to_dict()}
    document = json.loads(json.dumps(document))
    change(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "not a model file"),
        (b"{", "not a model file"),
        (b"\xff\xfe", "not a model file"),
        (b"[1, 2]", "no model of partitope"),
        (b'{"format": "other"}', "no model of partitope"),
        (b'{"format": "partitope.model", "version": 1, "model": NaN}', "NaN is not a JSON number"),
        (b'{"format": "partitope.model", "version": 3}', "version 3 of the model format"),
        (b'{"format": "partitope.model", "version": 1}', "holds a None"),
        (b"[" * 100_000, "not a model file"),
        (b"PK\x03\x04 broken", "damaged archive"),
        (damaged(lambda d: d["model"].pop("starts")), "starts"),
        (damaged(lambda d: d["model"].update(best=99)), "best=99"),
        (damaged(lambda d: d["model"]["starts"][0].update(sites="x")), "damaged"),
        (damaged(lambda d: d["model"]["starts"][0]["values"].pop()), "cluster values"),
        (damaged(lambda d: d["model"].update(format="partitope.Unknown")), "partitope.Unknown"),
        (damaged(lambda d: d["model"].update(version=9)), "version 9"),
    ],
)
def test_damaged_files_are_refused_in_words(tmp_path, content, message):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=message) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)


def test_truncated_archives_and_archives_of_something_else(tmp_path):
    path = save_model(fitted_on_numbers(), tmp_path / "model.skops")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidInputError, match="damaged archive"):
        load_model(path)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("hello.txt", "hello")
    path.write_bytes(stream.getvalue())
    with pytest.raises(InvalidInputError, match="damaged archive"):
        load_model(path)
    path.write_bytes(skops.io.dumps(StandardScaler()))
    with pytest.raises(InvalidInputError, match="holds a StandardScaler, expected a fitted classifier"):
        load_model(path)


def test_missing_files_folders_and_suffixes(tmp_path):
    with pytest.raises(InvalidInputError, match="does not exist"):
        load_model(tmp_path / "none.json")
    with pytest.raises(InvalidInputError, match="is a folder"):
        load_model(tmp_path)
    with pytest.raises(InvalidInputError, match=r"\.pkl"):
        save_model(fitted(), tmp_path / "model.pkl")


def test_failed_writes_leave_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = write_atomically(tmp_path / "deep" / "file.txt", "old")

    def fail(*names):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InvalidInputError, match="No space left on device"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(path.parent) == ["file.txt"]


def test_interrupted_writes_leave_nothing(tmp_path, monkeypatch):
    def interrupt(*handles):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "file.txt", "new")
    assert os.listdir(tmp_path) == []


def test_written_files_have_ordinary_permissions(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    assert write_atomically(tmp_path / "ours", "x").stat().st_mode == plain.stat().st_mode


def test_links_stay_links(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "latest.csv"
    real.write_text("old")
    link.symlink_to(real)
    assert write_atomically(link, "new") == link
    assert link.is_symlink()
    assert real.read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_devices_are_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, "rows")
        assert os.read(reader, 10) == b"rows"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    with pytest.raises(InvalidInputError, match="is no file on a disk"):
        read_table(pipe)


def test_check_writable(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert check_writable(tmp_path / "new" / "file.json") == tmp_path / "new" / "file.json"
    with pytest.raises(InvalidInputError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(InvalidInputError, match="is a file, expected a folder"):
        check_writable(file / "below")
    with pytest.raises(InvalidInputError, match="is also the input"):
        check_writable(file, sources=(None, tmp_path / "." / "file"))
