"""How often tests reject where they should not, and where they should: simulations of two tests of the package."""
