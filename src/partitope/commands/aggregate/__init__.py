"""`partitope aggregate`."""
