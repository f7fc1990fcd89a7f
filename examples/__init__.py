"""Programs on top of partitope, run from a clone."""
