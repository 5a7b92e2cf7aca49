"""Players that are programs of their own, in any language; ``docs/engines.md`` specifies the protocol."""

from spades_agents.engines.host import EngineAgent
from spades_agents.engines.process import EngineError, EngineTimeout

__all__ = ["EngineAgent", "EngineError", "EngineTimeout"]
