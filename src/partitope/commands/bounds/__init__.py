"""`partitope bounds`."""
