"""The example that lets a language model play, against a server on this machine that answers as the test says."""

from __future__ import annotations

import http.server
import importlib.util
import json
import threading
from pathlib import Path

import pytest

from spades_env.cards import BID_0
from spades_env.game import Game, IllegalAction
from spades_env.rules import Rules

PATH = Path(__file__).parents[1] / "examples" / "language_model.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("language_model", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def serve():
    """A function that starts a server; it takes what answers a conversation, and returns the URL and the requests."""
    servers = []

    def start(answer):
        requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                requests.append((self.path, self.headers["Authorization"], body))
                reply = {"choices": [{"message": {"role": "assistant", "content": answer(body["messages"])}}]}
                self.send_response(200)
                self.end_headers()
                self.wfile.write(json.dumps(reply).encode())

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/v1", requests

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def legal(messages):
    """The names in the question, the only thing that the server knows of the game."""
    (line,) = [line for line in messages[0]["content"].splitlines() if line.startswith("Legal actions: ")]
    return line.removeprefix("Legal actions: ").split(", ")


def test_it_plays_whole_matches_from_the_text_alone(example, serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    url, requests = serve(lambda messages: f"I think about it.\n\n**{legal(messages)[-1]}**")
    model = example.LanguageModel(url, "parrot")
    result = example.play(model, "random", 2, Rules.preset("solo", target=40, loss=-40))
    assert result["won"] + result["lost"] == 2
    assert result["forfeited"] == result["illegal answers"] == 0
    assert result["decisions"] == len(requests) > 20
    path, key, body = requests[0]
    assert (path, key, body["model"]) == ("/v1/chat/completions", "Bearer secret", "parrot")


def test_an_illegal_answer_is_asked_for_again_once(example, serve):
    url, requests = serve(lambda messages: "BID_4" if len(messages) > 1 else "I bid four.")
    model = example.LanguageModel(url, "parrot")
    view = Game(Rules.preset("solo", blind_nil=0), seed=1).view()
    assert model.act(view) == BID_0 + 4
    assert (model.decisions, model.illegal) == (1, 1)
    first, second = (body["messages"] for _, _, body in requests)
    assert second[0] == first[0]
    assert second[1] == {"role": "assistant", "content": "I bid four."}
    assert second[2]["content"].startswith("Your last line: not an action: 'I bid four.' (BID_0, BID_1, BID_2, ")


def test_a_second_illegal_answer_forfeits(example, serve, capsys):
    url, requests = serve(lambda messages: "AS")
    model = example.LanguageModel(url, "parrot")
    with pytest.raises(IllegalAction, match=r"^parrot: AS is not legal now \(BID_0, BID_1"):
        model.act(Game(Rules.preset("solo", blind_nil=0), seed=1).view())
    assert len(requests) == 2
    model.illegal = model.decisions = 0
    result = example.play(model, "heuristic", 2)
    assert result == {"won": 0, "lost": 2, "forfeited": 2, "decisions": 2, "illegal answers": 4}
    assert capsys.readouterr().out == "".join(
        f"match {k} forfeited: parrot: AS is not legal now (BLIND_NIL, LOOK)\n" for k in (1, 2)
    )


@pytest.mark.parametrize("answer", ["", None])
def test_an_empty_answer_is_illegal(answer, example, serve):
    url, _ = serve(lambda messages: answer)
    with pytest.raises(IllegalAction, match="not an action: ''"):
        example.LanguageModel(url, "parrot").act(Game("solo", seed=1).view())
