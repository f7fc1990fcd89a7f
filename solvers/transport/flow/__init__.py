"""The flow on the contracted graph of clusters: shortest paths, arcs with their candidates, pieces of points."""
