"""Commands for maintainers: shipping a player, the ablation and the strength table."""
