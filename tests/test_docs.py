"""The documents say what the code does."""

import dataclasses
import importlib
import inspect
import re
import shlex
from pathlib import Path

import pytest
import typer
from spades_agents.registry import AGENTS
from spades_training.cli import app
from spades_training.learning.config import Config
from spades_training.learning.fast.settings import Settings

from spades_env import PRESETS, View, observation

ROOT = Path(__file__).parents[1]
DOCS = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts]
PAGES = [ROOT / "README.md", *DOCS]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def test_the_layout_in_the_docs_is_the_layout():
    page = (ROOT / "docs/environment.md").read_text()
    table = re.search(r"<!-- layout.*?-->\n(.*?)\n<!-- end -->", page, re.S)
    assert table is not None
    assert table[1] == observation.layout_table()
    assert f"`({observation.SIZE},)`" in page


def test_the_presets_in_the_docs_are_the_presets():
    page = (ROOT / "docs/rules.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("| \n").split("|")] for line in page.splitlines() if line.count("|") == 7
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
    code = re.search(r"## Rendering.*?```python\n(.*?)```", (ROOT / "docs/environment.md").read_text(), re.S)
    assert code is not None
    exec(compile(code[1], "environment.md", "exec"), {})
    assert (tmp_path / "table.svg").read_text() == (ROOT / "docs/table.svg").read_text()


def named_in_tables(page):
    """What the first cells of a page's table rows name in backticks, without arguments."""
    cells = re.findall(r"^\| (`.*?) \|", (ROOT / "docs" / page).read_text(), re.M)
    return {name.split("(")[0] for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_the_view_in_the_docs_is_the_view():
    public = {name for name in dir(View) if not name.startswith("_")}
    assert public <= named_in_tables("agents.md")


def test_the_agents_in_the_docs_are_the_agents():
    named = named_in_tables("agents.md")
    for name, target in AGENTS.items():
        module, _, factory = target.partition(":")
        options = inspect.signature(getattr(importlib.import_module(module), factory)).parameters
        assert name in named or f"{name}:PATH" in named
        assert set(options) - {"path"} <= named, name


def test_the_options_of_training_in_the_docs_are_its_options():
    fields = (*dataclasses.fields(Config), *dataclasses.fields(Settings))
    options = {"--" + field.name.replace("_", "-") for field in fields}
    assert options <= named_in_tables("training.md")


def public_names():
    """(module, name) of every name in the ``__all__`` of a module."""
    for source in ("spades_env", "agents/spades_agents", "training/spades_training"):
        folder = ROOT / source
        for path in folder.rglob("*.py"):
            if re.search(r"^__all__ = ", path.read_text(), re.M):
                parts = path.relative_to(folder.parent).with_suffix("").parts
                module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                yield from ((module, name) for name in importlib.import_module(module).__all__)


def test_every_public_name_has_an_entry_in_the_reference():
    pages = "\n".join(page.read_text() for page in DOCS if page.parent.name == "api")
    whole = set(re.findall(r"automodule:: (\S+)\n   :members:(?: *\n|$)", pages))
    parts = re.findall(r"automodule:: \S+\n   :members: (.+)", pages)
    entries = {path.rpartition(".")[2] for path in re.findall(r"(?:auto\w+|py:data):: (\S+)", pages)}
    entries |= {name for names in parts for name in names.split(", ")} | {"__version__"}
    entries |= {name for module in whole for name in getattr(importlib.import_module(module), "__all__", ())}
    missing = []
    for module, name in public_names():
        value = getattr(importlib.import_module(module), name)
        if not (name in entries or inspect.ismodule(value) or getattr(value, "__module__", "") in whole):
            missing.append(f"{module}.{name}")
    assert ("spades_env", "Game") in public_names()
    assert missing == []


@each_page
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


@each_page
def test_python_in_the_docs_runs_and_prints_what_follows_it(page, tmp_path, monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", page.read_text(), re.S)
    for k, (code, printed) in enumerate(blocks):
        (tmp_path / str(k)).mkdir()
        monkeypatch.chdir(tmp_path / str(k))
        exec(compile(code, page.name, "exec"), {"__name__": "__main__"})
        out = capsys.readouterr().out
        assert not printed or out == printed


@each_page
def test_commands_in_the_docs_exist(page):
    spades = typer.main.get_command(app)
    for block in re.findall(r"```bash\n(.*?)```", page.read_text(), re.S):
        for line in block.replace("\\\n", " ").splitlines():
            match shlex.split(line, comments=True):
                case ["spades", name, *arguments] if not name.startswith("-"):
                    spades.commands[name].make_context(name, arguments)
                case ["python", "-m", module, *arguments] if module.startswith("spades_training."):
                    single = typer.Typer()
                    single.command()(importlib.import_module(module).main)
                    typer.main.get_command(single).make_context(module, arguments)
