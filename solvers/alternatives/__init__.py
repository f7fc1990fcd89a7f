"""Alternative clusterings of other authors, which look for what a known clustering or covariate does not explain."""
