"""The dual: power diagrams, and the potentials that give their prices."""
