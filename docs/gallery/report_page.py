"""A report as a page.

What `partitope cluster TABLE.csv --report report.html` writes: sizes, cells, silhouettes, centres and the proof in
words, on one page that refers to no other file. The same from Python.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from partitope.cluster.page import cluster_report
from partitope.models import PartitionPolytope
from partitope.output.pages import as_html
from partitope.workflows.cluster import cluster_table

rng = np.random.default_rng(0)
columns = {
    "income": rng.gamma(4.0, 900.0, 120),
    "age": rng.integers(18, 80, 120),
    "city": rng.choice(["Ulm", "Bonn"], 120),
}
table = pd.DataFrame(columns)
result = cluster_table(table, PartitionPolytope(120, 36, 44, n_clusters=3), name="people")
report = cluster_report(result)
Path("report.html").write_text(as_html(report))
print("\n".join([report.title, report.lead, *map(str, report.findings)]))

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for i, marker in enumerate("osv"):
    own = result.estimator.labels_ == i
    ax.scatter(table["age"][own], table["income"][own], marker=marker, s=18, label=f"cluster {i}")
ax.set(xlabel="age", ylabel="income")
ax.legend()
plt.show()
