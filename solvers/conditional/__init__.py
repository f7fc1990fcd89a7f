"""Kernel conditional clustering (KCC, KCSSL): clusters that depend on the data and not on given covariates."""
