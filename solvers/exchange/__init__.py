"""Moves and exchanges of whole blocks between clusters, under size bounds, masks and links."""
