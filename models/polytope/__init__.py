"""The feasible set: size bounds, weights, side constraints, masks and links, as users state them."""
