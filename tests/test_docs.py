"""The documents say what the code does."""

import re
from pathlib import Path

import pytest

from spades_env import PRESETS, observation

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_layout_in_the_docs_is_the_layout():
    page = (ROOT / "docs/environment.md").read_text()
    table = re.search(r"<!-- layout.*?-->\n(.*?)\n<!-- end -->", page, re.S)
    assert table is not None
    assert table[1] == observation.layout_table()
    assert f"`({observation.SIZE},)`" in page


def test_the_presets_in_the_docs_are_the_presets():
    page = (ROOT / "docs/rules.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("| \n").split("|")] for line in page.splitlines() if line.count("|") == 6
    ]
    names = [cell.strip("`") for cell in rows[0][1:]]
    assert names == list(PRESETS)
    text = {True: "yes", False: "no", None: "none"}
    checked = set()
    for fields, *cells in rows[2:]:
        for name, cell in zip(names, cells, strict=True):
            for field, value in zip(fields.split(", "), cell.split(", "), strict=False):
                found = getattr(PRESETS[name], field)
                assert value == (text[found] if isinstance(found, bool) or found is None else str(found)), (name, field)
                checked.add(field)
    assert checked == set(PRESETS["solo"].to_dict())


def test_the_picture_in_the_docs_is_what_its_code_draws(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"## Pictures.*?```python\n(.*?)```", (ROOT / "docs/environment.md").read_text(), re.S)
    assert code is not None
    exec(compile(code[1], "environment.md", "exec"), {})
    assert (tmp_path / "table.svg").read_text() == (ROOT / "docs/table.svg").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_docs_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
        exec(compile(block, page.name, "exec"), {})
