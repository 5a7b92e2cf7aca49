"""Settings of the documentation site: ``make docs`` builds it into ``docs/_build/html``."""

from __future__ import annotations

import shutil
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(ROOT / "agents"), str(ROOT / "training")]

from spades_env import __version__  # noqa: E402

project = "spades-env"
author = "The spades-env developers"
copyright = f"2026, {author}"
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"spades-env {__version__}"
html_theme_options = {"source_directory": "docs/"}

# Pages are Markdown; notebooks show the outputs that they were saved with.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "off"
nb_merge_streams = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# The reference is made from the docstrings, which are in Google's style.
autoclass_content = "class"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

# Names of other projects that the pages link to. Sphinx usually downloads a project's list of names; these few are
# written down here, so that a build needs no network.
LINKED = {
    "https://docs.python.org/3/": {
        "concurrent.futures.Executor": ("class", "library/concurrent.futures.html"),
        "pathlib.Path": ("class", "library/pathlib.html"),
        "ValueError": ("exception", "library/exceptions.html"),
    },
    "https://numpy.org/doc/stable/": {
        "numpy.ndarray": ("class", "reference/generated/numpy.ndarray.html"),
        "numpy.random.Generator": ("class", "reference/random/generator.html"),
    },
    "https://gymnasium.farama.org/": {
        "gymnasium.Env": ("class", "api/env/"),
        "gymnasium.make": ("function", "api/registry/"),
        "gymnasium.make_vec": ("function", "api/registry/"),
        "gymnasium.register_envs": ("function", "api/registry/"),
        "gymnasium.spaces.Box": ("class", "api/spaces/fundamental/"),
        "gymnasium.spaces.Dict": ("class", "api/spaces/composite/"),
        "gymnasium.spaces.Discrete": ("class", "api/spaces/fundamental/"),
        "gymnasium.vector.AutoresetMode": ("class", "api/vector/"),
        "gymnasium.vector.VectorEnv": ("class", "api/vector/"),
    },
    "https://pettingzoo.farama.org/": {
        "pettingzoo.utils.env.AECEnv": ("class", "api/aec/"),
        "pettingzoo.utils.env.ParallelEnv": ("class", "api/parallel/"),
    },
    "https://stable-baselines3.readthedocs.io/en/master/": {
        "stable_baselines3.common.vec_env.VecEnv": ("class", "guide/vec_envs.html"),
    },
    "https://sb3-contrib.readthedocs.io/en/master/": {
        "sb3_contrib.ppo_mask.MaskablePPO": ("class", "modules/ppo_mask.html"),
    },
}
# Classes by the module that defines them, as annotations show them, and the name under which they are documented.
ALIASES = {
    "gymnasium.core.Env": "gymnasium.Env",
    "gymnasium.vector.vector_env.VectorEnv": "gymnasium.vector.VectorEnv",
    "gymnasium.vector.vector_env.AutoresetMode": "gymnasium.vector.AutoresetMode",
    "pettingzoo.AECEnv": "pettingzoo.utils.env.AECEnv",
    "pettingzoo.ParallelEnv": "pettingzoo.utils.env.ParallelEnv",
    "stable_baselines3.common.vec_env.base_vec_env.VecEnv": "stable_baselines3.common.vec_env.VecEnv",
    "sb3_contrib.MaskablePPO": "sb3_contrib.ppo_mask.MaskablePPO",
    "sb3_contrib.ppo_mask.ppo_mask.MaskablePPO": "sb3_contrib.ppo_mask.MaskablePPO",
    "np.ndarray": "numpy.ndarray",
    "np.random.Generator": "numpy.random.Generator",
}


def write_inventory(names: dict[str, tuple[str, str]], path: Path) -> None:
    """Write names as an inventory that intersphinx reads."""
    entries = dict(names) | {alias: names[name] for alias, name in ALIASES.items() if name in names}
    lines = [
        f"{entry} py:{role} 1 {page}#{ALIASES.get(entry, entry)} -\n" for entry, (role, page) in sorted(entries.items())
    ]
    head = "# Sphinx inventory version 2\n# Project: linked\n# Version: 1\n# The rest is compressed using zlib.\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head.encode() + zlib.compress("".join(lines).encode()))


intersphinx_mapping = {}
for url, names in LINKED.items():
    key = url.split("/")[2].replace(".", "-")
    inventory = HERE / "_build" / "inventories" / f"{key}.inv"
    write_inventory(names, inventory)
    intersphinx_mapping[key] = (url, str(inventory))

# The notebooks live at the top of the repository; a build reads copies of them.
shutil.copytree(
    ROOT / "notebooks", HERE / "notebooks", dirs_exist_ok=True, ignore=lambda _, names: {"run.py"} & set(names)
)
