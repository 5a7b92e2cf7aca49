"""The commands that compare agents: ``spades evaluate``, ``league``, ``tournament`` and ``exploit``."""
