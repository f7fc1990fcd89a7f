"""From mixed tables to numbers: conditional means, supervised cuts and groups, weights of columns."""
