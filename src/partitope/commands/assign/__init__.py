"""`partitope assign`."""
