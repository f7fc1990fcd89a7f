"""`partitope explore`."""
