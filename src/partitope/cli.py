"""The command line: `partitope COMMAND`.

Every command is one function in one file of `partitope.commands`, with one line in its table. This module joins
them to one application and turns every failure into one line on stderr and an `ExitCode`.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer

from .commands import COMMANDS
from .commands.exit_code import ExitCode

# click's base class of everything wrong with the words typed
USAGE_ERROR = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")

COLUMNS = shutil.get_terminal_size().columns
NARROW = COLUMNS < 60  # In fewer columns typer's boxes would cut the names of options.

app = typer.Typer(
    name="partitope",
    help="Clusterings as optimisation models: size-bounded partitions with proofs, and classifiers on them.",
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "terminal_width": COLUMNS if NARROW else None},
    rich_markup_mode=None if NARROW else "rich",
)


def _paragraphs(function: Callable[..., Any]) -> str:
    """The docstring with every paragraph in one line: a terminal of any width breaks it where it likes.

    Examples, lines that begin with the name of the program, stay as they are.
    """
    paragraphs = []
    for paragraph in (function.__doc__ or "").split("\n\n"):
        lines = paragraph.split("\n")
        example = lines[0].strip().startswith("partitope ")
        paragraphs.append("\n".join(map(str.strip, lines)) if example else " ".join(paragraph.split()))
    return "\n\n".join(("\b\n" if NARROW and text.startswith("partitope ") else "") + text for text in paragraphs)


for _name, _function in COMMANDS.items():
    _help = _paragraphs(_function)
    app.command(_name, help=_help, short_help=_help.partition("\n")[0])(_function)


def _show_version(asked: bool) -> None:
    if asked:
        from . import __version__

        typer.echo(f"partitope {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Version.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what is done to stderr.")] = False,
) -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.INFO if verbose else logging.ERROR, format="%(message)s")
    if not verbose:  # of ourselves, warnings too
        logging.getLogger("partitope").setLevel(logging.WARNING)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: Sequence[str] | None = None, *, application: typer.Typer = app) -> int:
    """Run one command and return its exit code; nothing is raised."""
    from .output.terminal import note, silence, write_everywhere

    write_everywhere()
    try:
        with warnings.catch_warnings():  # a warning is a line, as any other note
            warnings.showwarning = lambda message, *_: note(str(message))
            result = application(args=None if arguments is None else list(arguments), standalone_mode=False)
        sys.stdout.flush()
        if result == ExitCode.INTERRUPTED:  # some releases of typer turn Ctrl-C into this, others into Abort
            raise KeyboardInterrupt
        return result if isinstance(result, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted: no result was written", ExitCode.INTERRUPTED)
    except BrokenPipeError:  # the reader of stdout went away, as `head` does
        silence(sys.stdout)
        return 0
    except Exception as error:
        return _explain(error)


def _explain(error: Exception) -> int:
    """Line and exit code for wrong words (2), refused input (2) and faults of partitope (1)."""
    from .base.errors import PartitopeError  # loads numpy, which `partitope --help` does not wait for

    if isinstance(error, USAGE_ERROR):
        return _complain(_usage_message(error), ExitCode.REFUSED)
    if isinstance(error, PartitopeError):
        return _complain(str(error), ExitCode.REFUSED)
    if os.environ.get("PARTITOPE_DEBUG"):
        raise error
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
        return _complain(f"the output cannot be written: {error.strerror}", ExitCode.REFUSED)
    if isinstance(error, (ValueError, OSError)):
        return _complain(str(error) or type(error).__name__, ExitCode.REFUSED)
    return _complain(f"internal error: {type(error).__name__}: {error} (PARTITOPE_DEBUG=1 shows where)", ExitCode.FAULT)


def _usage_message(error: Any) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "partitope"
    return f"{error.format_message()} (see {command} --help)"


def _complain(message: str, code: int) -> int:
    with suppress(OSError):  # the exit code still says it
        sys.stderr.write(f"partitope: {' '.join(message.split())}\n")
    return code


def main() -> None:
    """Entry point of the ``partitope`` script."""
    sys.exit(run())


if __name__ == "__main__":
    main()
