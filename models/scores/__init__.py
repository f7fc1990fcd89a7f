"""What it is worth to put a point into a cluster."""
