"""Check that no files of the package import each other in a circle.

Every import counts, also those inside functions and those for types alone.
"""

from __future__ import annotations

import sys

import grimp
import networkx as nx


def main() -> int:
    """Print every circle; exit status 1 when there is one."""
    house = grimp.build_graph("partitope", exclude_type_checking_imports=False, cache_dir=None)
    imports = ((file, other) for file in house.modules for other in house.find_modules_directly_imported_by(file))
    circles = [part for part in nx.strongly_connected_components(nx.DiGraph(imports)) if len(part) > 1]
    said = [f"these files import each other: {', '.join(sorted(part))}" for part in circles]
    sys.stdout.write("\n".join([*said, f"{len(circles)} circles of imports"]) + "\n")
    return 1 if circles else 0


if __name__ == "__main__":
    sys.exit(main())
