"""What the commands do: fit and save a model, test its cluster values, export a program."""
