"""Networks with one gate or one local network a cluster."""

from .classifiers import DMNN, FNN, DeepCAC

__all__ = ["DMNN", "FNN", "DeepCAC"]
