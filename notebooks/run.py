"""Run notebooks from top to bottom and save them with their outputs: ``python notebooks/run.py [NAME ...]``.

``--full`` runs them with the full settings (``SPADES_NOTEBOOKS=full``), and ``--into FOLDER`` saves them to another
folder. If a cell fails, the run ends with that cell's error.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def run(path: Path, target: Path) -> None:
    """Execute one notebook in an empty folder and write it to ``target``."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=3600, resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the time when each cell ran, which would always differ
    nbformat.write(notebook, target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = sorted(path.stem for path in HERE.glob("*.ipynb"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default: all of {', '.join(names)}")
    parser.add_argument("--full", action="store_true", help="with the full settings")
    parser.add_argument("--into", type=Path, default=HERE, help="folder to write to")
    given = parser.parse_args()
    for name in given.names:
        if name not in names:
            parser.error(f"no notebook {name!r}: use {', '.join(names)}")
    os.environ["SPADES_NOTEBOOKS"] = "full" if given.full else "small"
    for name in given.names or names:
        start = time.perf_counter()
        run(HERE / f"{name}.ipynb", given.into / f"{name}.ipynb")
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
