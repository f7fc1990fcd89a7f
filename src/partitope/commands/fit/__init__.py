"""`partitope fit`."""
