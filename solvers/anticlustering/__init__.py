"""Groups that are as alike as possible: anticlustering on the partition polytope, and what no groups can reach."""
