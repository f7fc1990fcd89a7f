"""Linear models that are learnt in many cells at once, and the columns they are linear in."""
