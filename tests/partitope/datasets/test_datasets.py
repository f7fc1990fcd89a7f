"""Loaders: published counts, the data home, downloads, and tables that must be refused."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import io
import threading
import zipfile

import numpy as np
import pandas as pd
import pytest

from partitope import datasets
from partitope.base.errors import InvalidInputError
from partitope.datasets import load_table, read_table
from partitope.datasets import raw_files as datasets_files
from partitope.datasets.named import GERMAN
from partitope.datasets.raw_files import DataNotFoundError, RawFile, read_raw
from partitope.datasets.table_reader import read_with_notes
from partitope.models import PartitopeError


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """An empty cache in place of the user's."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(datasets_files, "user_cache", lambda: folder)
    return folder


@pytest.mark.data
def test_census_parts_and_complete_rows(data_home):
    data = datasets.load_dataset("census")
    assert (len(data.train.y), len(data.test.y)) == (32561, 16281)
    assert data.X.isna().sum()[["workclass", "occupation", "native-country"]].tolist() == [2799, 2809, 857]
    assert data.X.isna().sum().sum() == 2799 + 2809 + 857
    known = data.rows(data.X.notna().all(axis=1).to_numpy())
    for part, counts in [(known.train, [22654, 7508]), (known.test, [11360, 3700])]:
        classes, found = np.unique(part.y, return_counts=True)
        assert classes.tolist() == ["<=50K", ">50K"]
        assert found.tolist() == counts
    assert not known.X.isna().any().any()
    assert known.X["age"].dtype.kind == "i"


@pytest.mark.data
def test_german_codes(data_home):
    data = datasets.load_dataset("german")
    assert data.X.iloc[0, :3].tolist() == ["A11", 6, "A34"]
    assert data.y[:2].tolist() == ["good", "bad"]
    with pytest.raises(AttributeError, match="not published in parts"):
        _ = data.train


def test_breast_cancer_needs_no_files(monkeypatch, tmp_path):
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path / "none"))
    data = datasets.load_dataset("breast_cancer")
    assert data.classes.tolist() == ["benign", "malignant"]
    chosen = data.rows(np.arange(569) % 2 == 0)
    assert chosen.X.index.tolist() == list(range(285))
    with pytest.raises(AttributeError):
        data.name = "else"


def test_a_name_of_no_data_set_is_refused():
    with pytest.raises(InvalidInputError, match=r"name='iris'.*'breast_cancer', 'census', 'german'"):
        datasets.load_dataset("iris")


CENSUS_LINES = "25, Private, 1, 11th, 7, Never-married, Sales, Own-child, Black, Male, 0, 0, 40, ?, {}\n"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("comment", ["", "|1x3 Cross validator\n"])
def test_plain_and_packed_files_with_and_without_comment(monkeypatch, tmp_path, packed, comment):
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path))
    (tmp_path / "adult").mkdir()
    for name, text in [
        ("adult.data", CENSUS_LINES.format("<=50K") + CENSUS_LINES.format(">50K")),
        ("adult.test", comment + CENSUS_LINES.format(">50K.")),
    ]:
        content = text.encode()
        if packed:
            (tmp_path / "adult" / f"{name}.gz").write_bytes(gzip.compress(content))
        else:
            (tmp_path / "adult" / name).write_bytes(content)
    data = datasets.load_dataset("census")
    assert data.y.tolist() == ["<=50K", ">50K", ">50K"]
    assert data.split.tolist() == ["train", "train", "test"]
    assert data.X["native-country"].isna().all()


@pytest.fixture
def server():
    """A public address on this machine: GET returns what is in ``files``."""
    files: dict[str, bytes] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            content = files.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield files, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def zipped(members: dict[str, str]) -> bytes:
    """An archive with these texts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_missing_file_is_downloaded_once_and_checked(monkeypatch, tmp_path, server):
    files, address = server
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path))
    files["/a.data"] = b"1,2\n"
    checksum = hashlib.sha256(b"1,2\n").hexdigest()
    file = RawFile("set/a.data", checksum, f"{address}/a.data")
    assert read_raw(file) == b"1,2\n"
    del files["/a.data"]
    assert read_raw(file) == b"1,2\n"
    assert (tmp_path / "set" / "a.data").read_bytes() == b"1,2\n"
    files["/b.data"] = b"tampered"
    with pytest.raises(DataNotFoundError, match="not downloaded"):
        read_raw(RawFile("set/b.data", checksum, f"{address}/b.data"))
    assert not (tmp_path / "set" / "b.data").exists()


def test_an_archive_of_known_checksum_is_downloaded_once_for_its_members(monkeypatch, tmp_path, server):
    files, address = server
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path))
    content = files["/both.zip"] = zipped({f"{name}.csv": f"{name}\n1\n" for name in "ab"})

    def member(name, archive):
        checksum = hashlib.sha256(f"{name}\n1\n".encode()).hexdigest()
        return RawFile(f"set/{name}.csv", checksum, f"{address}/both.zip", f"{name}.csv", archive)

    with pytest.raises(DataNotFoundError, match="not downloaded"):
        read_raw(member("a", "0" * 64))
    assert read_raw(member("a", hashlib.sha256(content).hexdigest())) == b"a\n1\n"
    del files["/both.zip"]
    assert read_raw(member("b", hashlib.sha256(content).hexdigest())) == b"b\n1\n"
    files["/both.zip"] = zipped({"c.csv": "c\n1\n"})
    with pytest.raises(DataNotFoundError, match=r"no item named 'c\.csv'"):  # in the archive that is there
        read_raw(member("c", None))
    assert read_raw(member("c", None)) == b"c\n1\n"


def test_a_home_that_cannot_be_written_leaves_downloads_to_the_cache(monkeypatch, tmp_path, cache, server):
    files, address = server
    closed = tmp_path / "closed"
    closed.write_text("a file, in which no folder can be made, not even by root")
    monkeypatch.setenv("PARTITOPE_DATA", str(closed))
    files["/a.data"] = b"1,2\n"
    file = RawFile("set/a.data", hashlib.sha256(b"1,2\n").hexdigest(), f"{address}/a.data")
    assert read_raw(file) == b"1,2\n"
    assert (cache / "set" / "a.data").read_bytes() == b"1,2\n"
    del files["/a.data"]
    assert read_raw(file) == b"1,2\n"
    (cache / "set" / "a.data").unlink()
    monkeypatch.setattr(datasets_files, "user_cache", lambda: closed / "cache")
    with pytest.raises(DataNotFoundError, match=r"neither .*closed nor .*cache can be written"):
        read_raw(file)


def test_without_a_network_the_error_says_where_to_put_the_file(monkeypatch, tmp_path):
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path))
    file = GERMAN
    closed = RawFile(file.path, file.sha256, "http://127.0.0.1:9/german.data")
    with pytest.raises(DataNotFoundError) as caught:
        read_raw(closed)
    message = str(caught.value)
    assert "german/german.data" in message
    assert str(tmp_path / "german" / "german.data") in message
    assert "PARTITOPE_DATA" in message
    assert "\n" not in message
    assert isinstance(caught.value, PartitopeError)
    with pytest.raises(DataNotFoundError, match="no public address"):
        read_raw(RawFile("made/here.csv", file.sha256))


# ---- tables from files ------------------------------------------------------------------------------------------


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "columns", "note"),
    [
        ("age  income\n 31   2.5\n 45  10.0 \n", ["age", "income"], "columns are separated by spaces"),
        ("full name\nAnna Bell\nUdo Klein\n", ["full name"], ""),
        ("reading time\n3\n4\n", ["reading time"], ""),
        ("5.1,3.5\n4.9,3.0\n4.7,3.2\n", ["5.1", "3.5"], "every column name is a number (5.1, 3.5, ...)"),
    ],
)
def test_spaces_between_columns_and_a_missing_header_are_said(tmp_path, text, columns, note):
    frame, notes = read_with_notes(write(tmp_path / "t.txt", text))
    assert list(frame.columns) == columns
    assert "; ".join(notes).startswith(note)
    assert bool(notes) == bool(note)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_csv_with_any_separator(tmp_path, separator, bom):
    lines = [["name", "weight", "kind"], ["a", "1.5", "pear"], ["?", "", "plum"]]
    file = write(tmp_path / "t.csv", bom + "\n".join(separator.join(line) for line in lines) + "\n")
    data = load_table(file, target="kind")
    assert data.y.tolist() == ["pear", "plum"]
    assert data.X.isna().sum().tolist() == [1, 1]
    assert data.X["weight"].dtype.kind == "f"
    assert read_table(file).shape == (2, 3)


@pytest.mark.parametrize("named", ["sep=;", '"sep=|"', "sep= "])
def test_a_line_that_names_the_separator_is_no_header(tmp_path, named):
    mark = named.strip('"')[-1]
    file = write(tmp_path / "t.csv", f"{named}\r\nlength{mark}width\r\n1.5{mark}2\r\n3.5{mark}4\r\n")
    frame, notes = read_with_notes(file)
    assert frame.to_dict("list") == {"length": [1.5, 3.5], "width": [2, 4]}
    assert list(notes) == ["columns are separated by spaces"] * (mark == " ")


def test_parquet_and_gzipped_csv(tmp_path):
    frame = pd.DataFrame({"v": [1.0, 2.0], "day": pd.to_datetime(["2020-01-01", "2020-01-02"]), "c": [0, 1]})
    frame.to_parquet(tmp_path / "t.parquet")
    data = load_table(tmp_path / "t.parquet", "c")
    assert data.X["day"].dtype.kind == "M"
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    assert load_table(tmp_path / "t.csv.gz", "c").y.tolist() == [0, 1]


@pytest.mark.parametrize(
    "text, target, message",
    [
        ("", "c", "is empty"),
        ("\n", "c", "cannot be read"),
        ("v,c\n", "c", "no rows"),
        ("v,c\n1,a\n2,a\n", "c", "one class only, 'a'"),
        ("v,c\ninf,a\n1,b\n", "c", "column 'v' holds 1 infinite value, the first in row 1"),
        ("v,c\n1,\n2,\n", "c", "target 'c' has no entry"),
        ("v,c\n" + "".join(f"1,name {i}\n" for i in range(200)), "c", "200 different texts in 200 rows"),
        ("v,v,c\n1,2,a\n3,4,b\n", "c", "two columns named 'v'"),
        ("4,6,4,a\n1,2,3,a\n3,4,5,b\n", "a", "two columns named '4': rename one; or is the header line missing"),
        ("v,c\n" + "".join(f"1,{i}.5\n" for i in range(200)), "c", "200 different numbers"),
    ],
)
def test_bad_tables_are_refused_in_one_line(tmp_path, text, target, message):
    file = write(tmp_path / "t.csv", text)
    with pytest.raises(InvalidInputError, match=message) as caught:
        load_table(file, target)
    assert "\n" not in str(caught.value)


def test_bad_files_are_refused_in_one_line(tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"not parquet at all")
    (tmp_path / "latin.csv").write_bytes("v,c\n\xe9,1\n".encode("latin-1"))
    (tmp_path / "t.xlsx").write_bytes(b"x")
    (tmp_path / "t.xls").write_bytes(b"x")
    (tmp_path / "broken.csv.gz").write_bytes(b"not gzip")
    for name, message in [
        ("none.csv", "does not exist"),
        ("broken.parquet", "cannot be read"),
        ("latin.csv", "cannot be read"),
        ("broken.csv.gz", "cannot be read"),
        ("t.xlsx", "cannot be read|needs openpyxl"),
        ("t.xls", "suffix '.xls'"),
        (".", "is a folder"),
    ]:
        with pytest.raises(InvalidInputError, match=message) as caught:
            load_table(tmp_path / name, "c")
        assert "\n" not in str(caught.value)
