"""Classifiers and transformers that stand on partitions."""
