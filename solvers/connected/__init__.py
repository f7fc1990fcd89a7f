"""Connected territories: local search, Lagrange's bound, and branch and bound with separator cuts."""
