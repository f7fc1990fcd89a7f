"""`partitope export`."""
