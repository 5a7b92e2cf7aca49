"""How kernels are compiled, kept and announced: numba with parts and entries, a cache, a lock, a line of progress."""
