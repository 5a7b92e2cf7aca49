"""Players by name: ``make_agent("pimc:worlds=64")``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from spades_agents.base import Agent
from spades_agents.source import ENGINE, create_agent, load_attribute

# Name to "module:factory", imported on first use.
AGENTS: dict[str, str] = {
    "random": "spades_agents.random_agent:RandomAgent",
    "uniform": "spades_agents.random_agent:UniformAgent",
    "heuristic": "spades_agents.heuristic:HeuristicAgent",
    "bidder": "spades_agents.bidder:BidderAgent",
    "rollout": "spades_agents.search:RolloutAgent",
    "pimc": "spades_agents.search:PIMCAgent",
    "learned": "spades_agents.policy.shipped:LearnedAgent",
    "ppo": "spades_agents.policy.learned:PPOAgent",
}
_TAKES_PATH = {"ppo"}


def make_agent(spec: str | Agent) -> Agent:
    """Make a player from its name.

    Args:
        spec: one of

            * a name, with options if it has any: ``"random"``, ``"uniform"``, ``"heuristic"``, ``"pimc:worlds=64"``,
              ``"pimc:worlds=64,seed=1"``;
            * ``"ppo:runs/x/model.zip"``, or only ``"runs/x/model.zip"``: a trained model;
            * ``"engine:./my_bot --level 3"``: a program in any language, see
              :class:`spades_agents.engines.EngineAgent`;
            * ``"my_package.module:MyAgent"`` or ``"folder/my_agent.py:MyAgent"``: your own class or function that
              makes an agent. A module is also looked up in the current folder, and a file can import the modules
              next to it;
            * an agent, which is returned unchanged.

    Raises:
        ValueError: if the agent or the option is unknown, the value of an option is invalid, the module cannot be
            imported or the agent created (the cause is chained), or the result is not an agent.
        EngineError: if an engine does not follow the protocol.

    Example:
        >>> make_agent("pimc:worlds=8").name
        'pimc:worlds=8'
    """
    if not isinstance(spec, str):
        return _checked(spec, repr(spec))
    name, colon, rest = spec.partition(":")
    if name == ENGINE:
        return load_attribute("spades_agents.engines:EngineAgent", name)(rest)
    if name in AGENTS:
        if name in _TAKES_PATH and not rest:
            raise ValueError(f"agent {name!r} needs the path of its model: '{name}:runs/x/model.zip'")
        factory = load_attribute(AGENTS[name], name)
        if name in _TAKES_PATH:
            return factory(rest)
        options = _options(name, rest, factory)
        agent = factory(**options)
        if options:
            agent.name = spec  # distinguishes two variants of one player
        return agent
    if spec.endswith(".zip"):
        return make_agent(f"ppo:{spec}")
    if not colon or not rest:
        named = [known for known in AGENTS if known not in _TAKES_PATH]
        names = ", ".join([*named, "ppo:FILE", "FILE.zip", "engine:COMMAND"])
        raise ValueError(f"unknown agent {spec!r}: use one of {names}, 'package.module:Class' or 'file.py:Class'")
    return _checked(create_agent(spec), spec)


def agent_options(name: str) -> list[str]:
    """The names of the options of a player in :data:`AGENTS`."""
    return list(inspect.signature(load_attribute(AGENTS[name], name)).parameters)


def _options(name: str, text: str, factory: Callable[..., Any]) -> dict[str, Any]:
    """Parse ``key=value,key=value`` into arguments of ``factory``: ints, floats, bools and strings."""
    allowed = list(inspect.signature(factory).parameters)
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if key not in allowed:
            known = f"its options are {', '.join(allowed)}" if allowed else "it has none"
            raise ValueError(f"agent {name!r} has no option {key!r}: {known}")
        if not equals:
            raise ValueError(f"option {key!r} of agent {name!r} needs a value: {key}=...")
        options[key] = _value(value)
    return options


def _value(text: str) -> int | float | bool | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text.lower(), text)


def _checked(agent: Any, what: str) -> Agent:
    """``agent``, after checking that it has the attributes of an agent."""
    missing = [part for part in ("name", "reset", "act") if not hasattr(agent, part)]
    if missing:
        raise ValueError(f"{what} is not an agent: it has no {' and no '.join(missing)}")
    return agent
