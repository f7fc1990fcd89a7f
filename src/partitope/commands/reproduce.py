"""`partitope reproduce`: says where the studies are."""

from __future__ import annotations

from typing import Annotated

import typer

from ..base.errors import CapabilityError


def reproduce(study: Annotated[str, typer.Argument(help="Name of a study.")] = "NAME") -> None:
    """Say where the tables of the papers are computed again: in a clone, by `python -m studies`."""
    raise CapabilityError(
        f"the studies are no part of the installed package: run `python -m studies {study}` in a clone"
    )
