"""The benchmark: a frozen field of players, the card of an agent that played it, and the check of a card."""
