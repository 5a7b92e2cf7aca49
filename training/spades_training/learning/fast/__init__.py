"""The fast learner: PPO on the decisions of all seats, with compiled loops between the networks' matrix products."""
