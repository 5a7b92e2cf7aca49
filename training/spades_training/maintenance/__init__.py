"""What only maintainers run: shipping a player, ablations, the strength table."""
