"""Benchmarks of ``spades bench``: this package against other programs and libraries, measured side by side."""
