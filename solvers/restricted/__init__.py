"""The assignment program with several size dimensions, masks, shares and further rows, solved over a few pairs at a time."""
