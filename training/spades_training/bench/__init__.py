"""Benchmarks of ``spades bench``: this package and other programs and libraries, measured side by side."""
