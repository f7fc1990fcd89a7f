"""Selective naive Bayes on supervised cuts and groups."""
