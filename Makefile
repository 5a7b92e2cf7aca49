# The commands of the README. Everything is installed in .venv, and again only when pyproject.toml or
# constraints.txt changes.

PYTHON ?= python3
# More options for the command: make train ARGS="--seed 7", make test ARGS="-k bids --long"
ARGS ?=
# The versions to install. `.ci/lowest` prints the lowest that pyproject.toml allows; /dev/null installs the newest.
CONSTRAINTS ?= constraints.txt

# The tests that run with RLlib's versions, too.
INTERFACES := tests/test_gymnasium.py tests/test_vector.py tests/test_pettingzoo.py tests/test_masked.py tests/recipes

VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help train test bench notebooks docs rllib lint format clean

help:
	@echo "make train   install, train a bot, evaluate it against the scripted players"
	@echo "make test    install, run the tests"
	@echo "make bench   install, compare decisions per second with other libraries' games"
	@echo "make notebooks  install, run the notebooks and save their outputs"
	@echo "make docs    install, build the documentation site into docs/_build/html"
	@echo "make rllib   install RLlib into .venv-rllib, run its recipes' tests and those of the interfaces"
	@echo "make lint    install, run the linter and the type checker"
	@echo "make format  rewrite the sources in the project's style"
	@echo "make clean   remove the environments and everything that tools cached or built (runs/ stays)"

train: $(VENV)/.installed-train
	$(BIN)/spades train $(ARGS)

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest $(ARGS)

bench: $(VENV)/.installed-bench
	$(BIN)/spades bench --peers $(ARGS)

notebooks: $(VENV)/.installed-notebooks
	$(BIN)/python notebooks/run.py $(ARGS)

docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -q -j auto docs docs/_build/html $(ARGS)
	@echo "the site is in docs/_build/html/index.html"

# RLlib requires an older Gymnasium, so it has an environment of its own.
rllib:
	$(MAKE) VENV=.venv-rllib CONSTRAINTS=constraints-rllib.txt .venv-rllib/.installed-rllib,train,render
	.venv-rllib/bin/python -m pip install --disable-pip-version-check --constraint constraints-rllib.txt pytest pytest-timeout
	.venv-rllib/bin/python -m pytest --optional $(INTERFACES) $(ARGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright --pythonpath $(BIN)/python

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .venv-rllib build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# venv writes pip last, so the next run repairs an interrupted one.
$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-%: pyproject.toml $(CONSTRAINTS) | $(BIN)/pip
	$(BIN)/python -m pip install --disable-pip-version-check --constraint $(CONSTRAINTS) --editable '.[$*]'
	@touch $@
