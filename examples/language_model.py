"""Let a language model play, over an HTTP endpoint that is compatible with OpenAI's chat completions.

``python examples/language_model.py URL MODEL [MATCHES]`` plays duplicate matches against the scripted player, for
example with the URL ``http://localhost:8000/v1``. A key for the endpoint is read from ``OPENAI_API_KEY``. In a
tournament the model is ``examples/language_model.py:LanguageModel``, with its URL in ``SPADES_LLM_URL`` and its name in
``SPADES_LLM_MODEL``.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request

from spades_agents import Agent, make_agent

from spades_env import Game, IllegalAction, View
from spades_env.cards import parse_action

SECONDS = 120  # for an answer


class LanguageModel:
    """Asks a language model for each action; an illegal answer is asked for again once.

    Args:
        url: the endpoint, up to and including ``/v1``.
        model: the model's name.

    Attributes:
        decisions: decisions made.
        illegal: illegal answers, two for a decision that was forfeited.
    """

    def __init__(self, url: str | None = None, model: str | None = None) -> None:
        self.url = url or os.environ["SPADES_LLM_URL"]
        self.model = self.name = model or os.environ["SPADES_LLM_MODEL"]
        self.decisions = self.illegal = 0

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: each question contains all that the model needs to know."""

    def act(self, view: View) -> int:
        """Return the model's action.

        Raises:
            IllegalAction: if the second answer is illegal, too.
        """
        self.decisions += 1
        messages = [{"role": "user", "content": view.to_text()}]
        answer = self.ask(messages)
        try:
            return self.read(answer, view)
        except ValueError as error:
            messages.append({"role": "assistant", "content": answer})
            messages.append({"role": "user", "content": f"Your last line: {error}. Answer again."})
        try:
            return self.read(self.ask(messages), view)
        except ValueError as error:
            raise IllegalAction(f"{self.name}: {error}") from None

    def read(self, answer: str, view: View) -> int:
        """Return the action in the last line of an answer."""
        try:
            return parse_action(answer.strip().rpartition("\n")[2], view.legal_actions())
        except ValueError:
            self.illegal += 1
            raise

    def ask(self, messages: list[dict[str, str]]) -> str:
        """Return the model's answer to a conversation."""
        body = json.dumps({"model": self.model, "messages": messages}).encode()
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}",
        }
        request = urllib.request.Request(f"{self.url.rstrip('/')}/chat/completions", body, headers)
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            return json.load(response)["choices"][0]["message"]["content"] or ""


def play(model: LanguageModel, opponent: str | Agent, matches: int, rules: str = "two_player") -> dict[str, int]:
    """Play matches, each deck twice with the seats swapped; an illegal action forfeits the match.

    Returns:
        The numbers of matches won and lost, of those lost by forfeit, of decisions and of illegal answers.
    """
    other = make_agent(opponent)
    won = forfeited = 0
    for match in range(matches):
        game = Game(rules, seed=match // 2)
        side = match % 2
        try:
            while not game.is_over:
                agent = model if game.rules.side_of(game.seat) == side else other
                game.apply(agent.act(game.view()))
        except IllegalAction as error:
            print(f"match {match + 1} forfeited: {error}")
            forfeited += 1
        won += game.winner == side
    counts = {"decisions": model.decisions, "illegal answers": model.illegal}
    return {"won": won, "lost": matches - won, "forfeited": forfeited, **counts}


if __name__ == "__main__":
    url, name, *rest = sys.argv[1:]
    print(play(LanguageModel(url, name), "heuristic", int(rest[0]) if rest else 2))
