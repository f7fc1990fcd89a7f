"""Assignment programs in other formats: modelling languages, and the files that solvers read and write."""
