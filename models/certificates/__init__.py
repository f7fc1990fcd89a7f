"""What proves an answer, in floats and in fractions. It shares no code with any solver."""
