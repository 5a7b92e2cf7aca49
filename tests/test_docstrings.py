"""The examples in the docstrings print what they say."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = [
    "spades_env.cards",
    "spades_env.game.game",
    "spades_env.pbn",
    "spades_env.records.record",
    "spades_env.rules",
    "spades_env.tables",
    "spades_agents.registry",
    "spades_training.evaluation.evaluate",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0
    assert failed == 0
