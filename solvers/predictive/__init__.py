"""Predictive k-means (PKM): k-means in the space of class log-likelihoods."""
