"""Bounded medoids: Lagrange's bound, a search in parts of the program, and branch and bound over what they leave."""
