"""Statistics as pure functions of arrays."""
