"""What every other part may use: checks of arguments, errors, kernels, columns of tables, deadlines."""
