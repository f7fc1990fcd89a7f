"""`partitope groups`."""
