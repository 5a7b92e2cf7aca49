"""The compiled engine: one record per table, a file of kernels for each phase."""
