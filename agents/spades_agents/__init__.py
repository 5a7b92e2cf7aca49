"""Players of Spades: random, scripted and learned."""
