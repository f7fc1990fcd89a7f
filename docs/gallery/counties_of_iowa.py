"""Counties of Iowa in four districts.

Left: every county at the nearest of four centres. Right: districts in one piece, with equal populations within 0.5 %.
The data come with the package: populations of 2010 and simplified outlines, US Census Bureau, public domain.
"""

import json
from dataclasses import replace
from importlib.resources import files

import numpy as np
from matplotlib import pyplot as plt

from partitope.solvers import ConnectedPartitioner

areas = json.loads(files("partitope.datasets").joinpath("iowa.geojson").read_text())
model = ConnectedPartitioner(4, objective="squares", balance=0.005, n_init=2, random_state=0)
districts = model.divide(areas, "population")
people = np.array([area["properties"]["population"] for area in districts["features"]])

places = model.partition_.sample.points * (np.cos(np.radians(42)), 1)  # degrees of longitude are shorter here
owns = [model.labels_ == i for i in range(4)]
centres = np.array([np.average(places[own], axis=0, weights=people[own]) for own in owns])
nearest = ((places[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for ax, labels, name in [(axes[0], nearest, "Nearest centre"), (axes[1], model.labels_, "Within 0.5 %")]:
    replace(model.partition_, labels=labels).plot(ax=ax)
    sums = np.bincount(labels, people, 4)
    ax.set_title(f"{name}: {sums.min() / 1e3:.0f} to {sums.max() / 1e3:.0f} thousand people")
    print(name, "people:", sums.astype(int).tolist())
plt.show()
