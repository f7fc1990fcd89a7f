"""Check that no files of the package import each other in a circle, but for those that docs/architecture.md names.

Every import counts, also those inside functions and those for types alone.
"""

from __future__ import annotations

import sys

import grimp
import networkx as nx

# parts of a room, and the largest number of files of a circle within them
KNOWN = {("models.polytope",): 13, ("models.programs", "models.formats"): 9}


def is_known(circle: set[str]) -> bool:
    """Whether a circle of files is one of the known ones, and no larger."""
    parts = {module.removeprefix("partitope.").rpartition(".")[0] for module in circle}
    return any(parts <= set(known) and len(circle) <= most for known, most in KNOWN.items())


def main() -> int:
    """Print every circle that is not known; exit status 1 when there is one."""
    house = grimp.build_graph("partitope", exclude_type_checking_imports=False, cache_dir=None)
    imports = ((file, other) for file in house.modules for other in house.find_modules_directly_imported_by(file))
    circles = [part for part in nx.strongly_connected_components(nx.DiGraph(imports)) if len(part) > 1]
    wrong = [f"these files import each other: {', '.join(sorted(part))}" for part in circles if not is_known(part)]
    sys.stdout.write("\n".join([*wrong, f"{len(circles)} circles of imports, {len(wrong)} of them not known"]) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
