"""Print the lowest versions that pyproject.toml allows, as constraints for pip: of partitope and of its tests."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path


def lowest(requirement: str) -> str | None:
    """``name==version`` for a requirement ``name[extras]>=version``; None for one of our own extras."""
    found = re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?>=([0-9.]+)(?:,(?:<|!=)[0-9.]+)*", requirement.strip())
    if found is None:
        if requirement.startswith("partitope["):
            return None
        raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound of the form name>=version")
    return f"{found[1]}=={found[2]}"


def main() -> None:
    """Print one constraint a line, of partitope and of its tests."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for requirement in [
        *project["dependencies"],
        *extras["test"],
        *extras["parquet"],
        *extras["dask"],
    ]:
        line = lowest(requirement)
        if line:
            print(line)  # noqa: T201


if __name__ == "__main__":
    main()
