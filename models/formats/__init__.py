"""Assignment programs in other tongues: modelling languages, and the files that solvers read and write."""
