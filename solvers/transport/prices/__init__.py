"""Prices to start from, and what steps that follow each other know of their points."""
