"""The ablation: variants, resumed runs and intervals."""

from __future__ import annotations

import numpy as np
import pytest
from spades_training.learning.config import Config
from spades_training.maintenance.ablation import BASE, VARIANTS, Variant, ablate, contrasts, markdown

TINY = {"n_envs": 16, "n_steps": 16, "batch_size": 128, "layers": "16", "critic_layers": "16"}
TINY = BASE | TINY | {"warm_start": 500, "rollouts": 500, "total_timesteps": 500, "final_matches": 4}


@pytest.mark.parametrize("rules", ["two_player", "partnership"])
def test_every_variant_is_another_run(rules):
    base = Config(**BASE | {"rules": rules})
    configs = {name: Config(**BASE | {"rules": rules} | variant.changes) for name, variant in VARIANTS.items()}
    assert configs.pop("base") == base
    for name, config in configs.items():
        assert config != base, name
        reference = VARIANTS[name].reference
        assert reference == "base" or config != configs[reference]


def test_runs_are_trained_once(tmp_path, capsys):
    variants = {"base": Variant({}), "no hint": Variant({"hint": ""})}
    found = ablate(variants, TINY, 2, tmp_path)
    assert capsys.readouterr().err.count("seed") == 4
    assert {name: values.shape for name, values in found.items()} == {"base": (2, 2), "no hint": (2, 2)}
    assert (found["base"] != found["no hint"]).any()
    again = ablate(variants, TINY, 2, tmp_path)
    assert capsys.readouterr().err == ""
    for name in variants:
        np.testing.assert_array_equal(again[name], found[name])
    with pytest.raises(ValueError, match="base_0 was trained with other settings"):
        ablate(variants, TINY | {"layers": "8"}, 2, tmp_path)
    lines = markdown(found, variants).splitlines()
    assert len(lines) == 4
    assert lines[3].startswith(f"| no hint | {100 * found['no hint'][:, 0].mean():.1f} |")


def test_coverage_of_the_intervals():
    """19 of 20 intervals of a difference between variants contain the true value, however much the seeds differ."""
    rng = np.random.default_rng(0)
    effects = np.array([0.0, 1.0, -2.0, 0.5])
    inside = []
    for _ in range(4_000):
        values = effects[:, None] + 10 * rng.normal(size=3) + rng.normal(size=(4, 3))
        found = contrasts(values, [0, 0, 0, 1])
        inside.append([e.low <= true <= e.high for e, true in zip(found[1:], (1.0, -2.0, -0.5), strict=True)])
    assert np.abs(np.mean(inside, 0) - 0.95).max() < 0.012
