"""Two commented files to copy: a backend and a strategy, each complete and checked by the shipped suite."""
