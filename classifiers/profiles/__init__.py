"""What distinguishes each cluster, column by column."""

from ...base.moved import former_names
from .profiles import ClusterProfiles, cluster_profiles

__getattr__ = former_names(__name__)

__all__ = ["ClusterProfiles", "cluster_profiles"]
