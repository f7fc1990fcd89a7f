"""Bounds for points on a line, in the plane or in space only: nothing here is used in more than three dimensions."""
