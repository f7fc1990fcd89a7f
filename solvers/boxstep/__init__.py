"""The assignment program with masks, several size dimensions, shares and custom rows, over a few pairs at a time."""
