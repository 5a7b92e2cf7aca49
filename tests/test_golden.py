"""The engine plays the golden playthroughs of `tests/golden` to the letter."""

import pytest
from golden import FOLDER, text_of

from spades_env.rules import PRESETS

MOST_BYTES = 150_000


@pytest.mark.parametrize("preset", PRESETS)
def test_playthrough(preset):
    path = FOLDER / f"{preset}.txt"
    golden = path.read_text(encoding="utf-8")
    assert text_of(preset).splitlines() == golden.splitlines(), "if that is meant: python tests/golden.py --write"
    assert path.stat().st_size < MOST_BYTES


def test_there_is_one_for_every_preset_and_no_other():
    assert {path.stem for path in FOLDER.glob("*")} == set(PRESETS)


def test_they_show_every_phase_a_blind_nil_and_an_exchange():
    text = "".join((FOLDER / f"{preset}.txt").read_text(encoding="utf-8") for preset in PRESETS)
    for wanted in ("blind", "draft", "exchange", "bid", "play"):
        assert f" {wanted}\n" in text
    for preset in PRESETS:
        assert "action: BLIND_NIL" in (FOLDER / f"{preset}.txt").read_text(encoding="utf-8")
    assert "action: DONE" in text
    assert "exchanged: 3" in text or "exchanged: 0, 3" in text
