"""Proofs of global optimality: branch and bound, semidefinite bounds, boxes and cones of cluster sums."""
