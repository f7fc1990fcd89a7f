"""What tests of commands share."""

from __future__ import annotations

from partitope.cli import run


def call(capsys, text: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    code = run(text.split())
    captured = capsys.readouterr()
    return code, captured.out, captured.err
