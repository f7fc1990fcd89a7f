"""Is a cluster's value to be trusted: tests, their power, and the sizes that a wanted precision asks for."""
