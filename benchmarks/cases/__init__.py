"""The cases, one a file; each defines ``CASE``."""
