# Two commands are all a newcomer needs: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# what of pyproject.toml's extras the tests may use; with `dev,neural` none is skipped for want of torch
EXTRAS ?= dev
CORE_SOURCES := $(shell find core -name '*.cpp' -o -name '*.hpp')
CORE := CMakeLists.txt $(CORE_SOURCES)
# warnings of the compiler are errors here, and only here: see CMakeLists.txt
BUILD := --config-settings=cmake.define.SPINDLE_WERROR=ON

.PHONY: demo test lint clean

demo: $(VENV)/.built
	@$(BIN)/spindle demo

test: $(VENV)/.$(EXTRAS) lint
	$(BIN)/python -m pytest --numprocesses auto

lint: $(VENV)/.$(EXTRAS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --config pyproject.toml
	$(BIN)/clang-format --dry-run -Werror $(CORE_SOURCES)

# The environment is made anew only when what it depends on has changed.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Spindle needs Python 3.11 or newer; name one with: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.built: $(BIN)/python pyproject.toml constraints.txt $(CORE)
	$(PIP) $(BUILD) --editable .
	@touch $@

$(VENV)/.$(EXTRAS): $(BIN)/python pyproject.toml constraints.txt $(CORE)
	$(PIP) $(BUILD) --editable '.[$(EXTRAS)]'
	@touch $@ $(VENV)/.built

clean:
	rm -rf $(VENV) build dist
