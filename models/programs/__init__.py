"""What is solved, as explicit programs: assignment, norm maximisation, the semidefinite relaxation."""
