"""``python -m partitope``."""

from .cli import main

main()
