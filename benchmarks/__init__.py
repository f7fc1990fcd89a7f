"""Benchmarks: one case a file in `cases`, every peer in a process of its own. Run ``python -m benchmarks``."""
