"""Cluster a table from a spreadsheet.

Decimal commas, currency signs, an identifier, a missing entry: `TableCleaner` says what it does to which column,
`TableEncoder` turns the rest into points of comparable columns.
"""

import io

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from partitope.classifiers import TableCleaner
from partitope.cluster import BalancedKMeans
from partitope.cluster.table_encoder import TableEncoder

rng = np.random.default_rng(0)
kind, spent = rng.choice(["shop", "web", "phone"], 90), rng.gamma(2.0, 400.0, 90)
rows = [f'{j};{k};"{s:.2f} €";{a}' for j, (k, s, a) in enumerate(zip(kind, spent, rng.integers(20, 80, 90)))]
text = "id;channel;spent;age\n" + "\n".join(rows).replace(".", ",") + '\n90;web;"12,50 €";?\n'

table = pd.read_csv(io.StringIO(text), sep=";")
cleaner = TableCleaner().fit(table)
print("\n".join(cleaner.lines()))
clean = cleaner.transform(table)
labels = BalancedKMeans(3, balance=0.1, random_state=0).fit_predict(TableEncoder().fit_transform(clean))

figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
for i, marker in enumerate("osv"):
    ax.scatter(clean["age"][labels == i], clean["spent"][labels == i], marker=marker, label=f"cluster {i}")
ax.set(xlabel="age", ylabel="spent")
ax.legend()
plt.show()
