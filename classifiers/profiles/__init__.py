"""What distinguishes each cluster, column by column."""
