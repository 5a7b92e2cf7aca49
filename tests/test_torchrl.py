"""TorchRL's own check of environments, on its PettingZoo wrapper. Needs ``pip install torchrl`` and ``--optional``."""

import numpy as np
import pytest

from spades_env import PRESETS, spades_v0

pytestmark = [
    pytest.mark.optional,
    # TorchRL is not asked to be silent: it warns of PettingZoo versions newer than those it was tested with.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.mark.parametrize("grouping", ["ALL_IN_ONE_GROUP", "ONE_GROUP_PER_AGENT"])
@pytest.mark.parametrize("rules", PRESETS)
def test_check_env_specs_and_masks(rules, grouping):
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
    from torchrl.envs.utils import MarlGroupMapType, check_env_specs

    made = spades_v0.env(rules)
    env = PettingZooWrapper(made, use_mask=True, group_map=MarlGroupMapType[grouping])
    check_env_specs(env, seed=1)
    assert sorted(agent for agents in env.group_map.values() for agent in agents) == made.possible_agents
    # A random rollout takes legal actions alone: an illegal one would end it with a penalty of -10.
    rollout = env.rollout(50)
    assert rollout.batch_size == (50,)
    for group in env.group_map:
        assert np.abs(rollout["next", group, "reward"].numpy()).max() == 0, "no hand is over yet"
