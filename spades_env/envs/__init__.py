"""The environments: PettingZoo's AEC interface, Gymnasium's single-agent and vector interfaces."""
