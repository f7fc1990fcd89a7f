"""Which of two classifiers is better: paired tests, repeated cross-validation, areas under ROC curves."""
