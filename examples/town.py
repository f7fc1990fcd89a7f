"""A first look: a town whose customers are shared out among shops, first by k-means, then within bounds.

    python examples/town.py [FOLDER]

It writes ``town.csv``, one line a customer, and ``town.html``, a report with a map, to the folder (``out`` by default).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from partitope.cli import run
from partitope.cluster import BalancedKMeans
from partitope.models import PartitionPolytope

SHOPS = 4
WITHIN = 0.05  # of an even share, for the revenue of a shop


def town(n: int = 300, seed: int = 1) -> pd.DataFrame:
    """Customers: most of them live in the old town, the others in three suburbs; revenues are lognormal."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0], [6.0, 1.0], [1.5, 5.0], [-4.0, 3.5]])
    places = centres[rng.choice(len(centres), n, p=[0.5, 0.25, 0.15, 0.1])] + rng.normal(scale=1.1, size=(n, 2))
    revenue = rng.lognormal(6.0, 0.8, n)
    return pd.DataFrame({"x_km": places[:, 0].round(2), "y_km": places[:, 1].round(2), "revenue": revenue.round(0)})


def sizes_of(labels: np.ndarray, revenue: np.ndarray) -> str:
    """Customers and share of the revenue of every shop, as one line."""
    parts = zip(np.bincount(labels, minlength=SHOPS), np.bincount(labels, revenue, SHOPS) / revenue.sum())
    return "   ".join(f"{count:3d} ({100 * share:4.1f} %)" for count, share in parts)


def main(folder: Path) -> int:
    """Print what bounds do to the town, and write its table and report; the exit code of the report's command."""
    table = town()
    X, revenue = table[["x_km", "y_km"]].to_numpy(), table["revenue"].to_numpy()
    free = KMeans(SHOPS, n_init=10, random_state=0).fit(X)
    even = PartitionPolytope.even(len(X), SHOPS, WITHIN, revenue=revenue)
    fair = BalancedKMeans(SHOPS, init=free.cluster_centers_).fit(X, polytope=even)  # the same shops, so that they move
    print(f"A town: {len(X)} customers, {SHOPS} shops, customers go to near ones.\n")
    print(f"customers (revenue) of every shop\n  k-means          {sizes_of(free.labels_, revenue)}")
    print(f"  within bounds    {sizes_of(fair.labels_, revenue)}\n")
    cost = fair.inertia_ / free.inertia_ - 1.0
    print(f"Asked for: as much revenue in every shop, within {100 * WITHIN:g} %, and nobody shared by two shops.")
    print(f"It costs {100 * cost:.1f} % more squared distance than k-means.")
    print("Prices: what 100 more in a shop's bound on revenue would save (+, an upper bound) or cost (-, a lower one):")
    print(f"  {'   '.join(f'{100 * price:+11.2f} km²' for price in fair.partition_.prices['revenue'])}")
    print(f"Kept by every shop: {'yes' if even.contains(fair.labels_) else 'NO'}.")
    print(f"Proof, distances in km: {fair.partition_.claim}.\n")
    folder.mkdir(parents=True, exist_ok=True)
    table.to_csv(folder / "town.csv", index=False)
    words = ["cluster", str(folder / "town.csv"), "-k", str(SHOPS), "--lower", "1"]
    words += ["--balance-column", f"revenue={100 * WITHIN:g}%", "--report", str(folder / "town.html")]
    print(f"The same from ten other starts, with a map, by `partitope {' '.join(words)}`:\n")
    return run(words)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "out")))
