"""`partitope depots`."""
