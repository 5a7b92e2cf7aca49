"""The compiled engine: one packed state per table, one file of kernels per phase."""
