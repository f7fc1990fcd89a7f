"""`partitope cluster`: options, what is done with them, its report."""
