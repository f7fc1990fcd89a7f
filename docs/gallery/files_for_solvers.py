"""Files that any solver reads.

The program as MPS, LP or JSON, and an answer from elsewhere read back: its clustering is checked against the program,
with prices of its own or found for it.
"""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.formats.files import read_instance
from partitope.solvers import solution_from_labels, solve

X = np.random.default_rng(0).normal(size=(12, 2))
model = AssignmentModel.lsa(X, X[:3], PartitionPolytope(12, 3, 5, n_clusters=3))
for name in ("program.mps", "program.lp", "program.json"):
    model.write(name)
    print(f"{name}: {Path(name).stat().st_size} bytes")
print("\n".join(Path("program.lp").read_text().splitlines()[:3])[:160])
elsewhere = solve(read_instance("program.json"), backend="highs").labels
print("an answer from elsewhere, checked:", solution_from_labels(model, elsewhere).verify().verified)

highs = model.to_highs().getLp()
matrix = np.zeros((highs.num_row_, highs.num_col_))
starts, index, value = highs.a_matrix_.start_, highs.a_matrix_.index_, highs.a_matrix_.value_
for column in range(highs.num_col_):
    for place in range(starts[column], starts[column + 1]):
        matrix[index[place], column] = value[place]
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.spy(matrix, markersize=4, color="#0072B2")
ax.set(xlabel="variables: point by point", ylabel="rows: points, then clusters")
plt.show()
