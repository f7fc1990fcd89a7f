"""`partitope suggest-k`."""
