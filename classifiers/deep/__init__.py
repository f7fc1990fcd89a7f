"""Deep clustering aware classification: a gate and one local network per cluster."""
