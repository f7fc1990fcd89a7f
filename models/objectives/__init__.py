"""Values of clusterings, in floats and enclosed, and what is proved about them."""
