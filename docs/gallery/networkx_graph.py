"""The program as a network.

Every point sends one unit through a cluster to the sink; bounds are capacities. networkx solves it as a minimum-cost
flow.
"""

import networkx as nx
import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel, PartitionPolytope

rng = np.random.default_rng(0)
scores = rng.integers(1, 9, (6, 2)).astype(float)
graph = AssignmentModel(PartitionPolytope(6, 2, 4, n_clusters=2), scores).to_networkx()
flow = nx.min_cost_flow(graph)
print(f"{graph.number_of_nodes()} nodes, {graph.number_of_edges()} arcs, value {-nx.cost_of_flow(graph, flow):.0f}")

layers = nx.multipartite_layout(nx.DiGraph(graph.edges), subset_key=dict(enumerate(nx.topological_generations(graph))))
used = [(a, b) for a, b in graph.edges() if flow[a][b]]
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
nx.draw_networkx_edges(nx.DiGraph(graph.edges), layers, ax=ax, edge_color="0.85", node_size=700)
nx.draw_networkx_edges(nx.DiGraph(used), layers, ax=ax, edgelist=used, width=2, edge_color="#0072B2", node_size=700)
nx.draw_networkx_nodes(graph, layers, ax=ax, node_size=700, node_color="#E8EEF7", edgecolors="#1F4E79")
names = {node: node if isinstance(node, str) else f"{node[0][0]}{node[1]}" for node in graph}
nx.draw_networkx_labels(graph, layers, names, ax=ax, font_size=9)
ax.set_axis_off()
plt.show()
