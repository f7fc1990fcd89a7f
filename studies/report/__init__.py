"""How a reproduction is shown: one HTML page, a page of the documentation, pictures."""
