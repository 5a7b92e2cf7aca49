"""How fast it all is, against programs and libraries measured in the same minutes: ``spades bench``."""
