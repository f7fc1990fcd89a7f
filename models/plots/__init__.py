"""Pictures of models: cells, lifted paraboloids, polytopes and their cluster sums."""
