"""The commands that compare agents: ``spades evaluate``, ``league``, ``tournament``, ``benchmark`` and ``exploit``."""
