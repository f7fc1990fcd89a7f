"""The exact engine: the assignment program contracted to one node a cluster, and prices that prove the answer."""
