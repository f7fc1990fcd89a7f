"""`partitope test`."""
