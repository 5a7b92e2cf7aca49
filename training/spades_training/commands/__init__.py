"""The commands of ``spades``, one module for each.

torch, Stable-Baselines3, matplotlib, polars and scikit-learn are imported inside functions: they are optional, and
``spades --help`` should not wait for them.
"""
