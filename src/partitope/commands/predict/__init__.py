"""`partitope predict`."""
