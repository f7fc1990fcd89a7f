"""The cases, by kind; each module defines ``CASES``."""
