"""`partitope reproduce`: says where the studies are."""

from __future__ import annotations

import typer

from ..base.errors import CapabilityError


def reproduce(context: typer.Context) -> None:
    """Say where the tables of the papers are computed again: in a clone, by `python -m studies`."""
    words = " ".join(context.args) or "NAME"
    raise CapabilityError(
        f"the studies are no part of the installed package: run `python -m studies {words}` in a clone"
    )
