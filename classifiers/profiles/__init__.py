"""What distinguishes each cluster, column by column."""

from .profiles import ClusterProfiles, cluster_profiles

__all__ = ["ClusterProfiles", "cluster_profiles"]
