"""Proofs of global optimality: branch and bound, semidefinite bounds, and cones of directions."""
