"""The environments: PettingZoo's AEC interface, and Gymnasium's single-agent and vector interfaces."""
