"""A page to play with: bounds, sites and points on one side, labels, walls and prices on the other."""
