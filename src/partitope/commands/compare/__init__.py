"""`partitope compare`: options and report."""
