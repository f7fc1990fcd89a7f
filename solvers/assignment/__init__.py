"""What is done with one assignment program: solve it, read it back, link points, round, follow its bounds."""
