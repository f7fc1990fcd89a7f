"""The assignment program with masks, several size dimensions, shares and further rows, over a few pairs at a time."""
