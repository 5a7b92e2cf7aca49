"""Where work runs: names of places, other executors, Dask."""
