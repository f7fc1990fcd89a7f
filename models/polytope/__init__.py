"""The feasible set: size bounds, weights, further rows, masks and links, as users state them."""
