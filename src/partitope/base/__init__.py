"""What every other part may use: finished jobs on disk, the machine."""
