"""Published instances of problems with bounds that values of other programs are known for, from the data home."""
