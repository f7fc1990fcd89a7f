"""``python -m studies NAME``: the tables of the papers, printed and own figures side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from partitope.base.checks import n_processes, whole_number
from partitope.base.errors import InvalidInputError
from partitope.cli import run
from partitope.commands.options import Json, Seed
from partitope.output.files import check_writable, write_atomically
from partitope.output.html_pages import as_html
from partitope.output.report import Table, as_record
from partitope.output.terminal import note, print_json, progress_bar, write_table

from . import claims
from .base.jobs import default_folder, resumable
from .base.record import Reproduction, read_record
from .catalogue import STUDIES
from .report.page import reproduction_report
from .verdicts import PAGE, page

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def reproduce(
    study: Annotated[str, typer.Argument(help=f"{', '.join(STUDIES)}, all, or verdicts: the page of the record.")],
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes only: shows that it runs, no reproduction.")] = (
        False
    ),
    starts: Annotated[int, typer.Option("--starts", "--n-init", help="Starts of every classifier.")] = 50,
    seed: Seed = 0,
    jobs: Annotated[int | None, typer.Option(help="Starts run at the same time; no result depends on it.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not use or keep finished jobs of earlier runs.")] = False,
    part: Annotated[
        str | None, typer.Option(help="Jobs of one machine of several, as 2/4: they are kept, without tables.")
    ] = None,
    cache: Annotated[Path | None, typer.Option(help="Folder of finished jobs instead of the user's cache.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write one HTML page with all tables and pictures.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the rows, the machine and the versions as JSON.")] = None,
    json: Json = False,
) -> None:
    """Print the tables of the papers beside ours: 95 % interval and a verdict for each row.

    Finished jobs are kept in the user's cache: an interrupted run continues where it stopped. Several machines share a
    run by --part 1/3, 2/3, 3/3 and a --cache each; with all files in one folder, a run without --part makes the tables.
    """
    import pooch

    whole_number(starts, "--starts")
    whole_number(seed, "--seed", least=0)
    n_processes(jobs, "--jobs")
    if study == "verdicts":
        write_atomically(PAGE, page(read_record()))
        note(f"page: {PAGE}")
        return
    if study != "all" and study not in STUDIES:
        raise InvalidInputError(f"study {study!r} is not known: choose one of {', '.join(STUDIES)} or all")
    for path in filter(None, (report, save)):
        check_writable(path)
    pooch.get_logger().setLevel("ERROR")
    done = Reproduction(quick=quick, random_state=seed)
    kept = None if fresh else cache or default_folder()
    asked = None if part is None else _part(part)
    for name in STUDIES if study == "all" else [study]:
        with resumable(kept), progress_bar(f"reproducing {name}", quiet=json) as progress:
            done.run(name, n_starts=starts, n_jobs=jobs, cache=kept, progress=progress, part=asked)
        if not json and asked is None:
            write_table(_printed(done.frames[name], f"{STUDIES[name].title}, with the 95 % interval of ours"))
            counts = done.frames[name]["verdict"].value_counts()
            note(", ".join(f"{counts[word]} {word}" for word in counts.index))
    if asked is not None:
        note(f"part {part} is done and kept in {kept}: bring all parts into one folder and run again without --part")
        return
    if "claims" in done.frames and not quick:
        write_atomically(claims.PAGE, claims.page(done.frames["claims"].to_dict(orient="records")))
        note(f"page: {claims.PAGE}")
    if save is not None:
        done.save(save)
    whole = reproduction_report(done.as_dict())
    if report is not None:
        write_atomically(report, as_html(whole))
        note(f"report: {report}")
    if json and study == "all":
        print_json(as_record(whole))
    elif json:
        print_json({"format": "partitope.reproduction", "version": 1, "study": study,
                    "rows": done.frames[study].to_dict(orient="records")})  # fmt: skip


def _printed(frame: Any, caption: str) -> Table:
    """The rows of a study, what each is about in one column, which a narrow terminal folds."""
    about = frame.iloc[:, : frame.columns.get_loc("paper")]
    words = [f"{', '.join(str(v) for v in row[1:] if pd.notna(v))} ({row[0]})" for row in about.to_numpy(dtype=object)]
    shown = frame.drop(columns=about.columns)
    shown.insert(0, "row (table)", words)
    return Table.of(shown, caption)


def _part(text: str) -> tuple[int, int]:
    """The numbers of "2/4"."""
    first, slash, step = text.partition("/")
    if not (slash and first.isdecimal() and step.isdecimal()):
        raise InvalidInputError(f"--part {text!r} is not usable: expected two numbers such as 2/4")
    return int(first), int(step)


if __name__ == "__main__":
    sys.exit(run(application=app))
