"""The exact engine: the assignment program contracted to one node per cluster, and prices that prove the answer."""
