"""Search for the parameters of partitions: bounds, balance, and those of CAC."""
