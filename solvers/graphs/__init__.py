"""Clusters that are connected in a graph: separators that cut off others, and local search among them."""
