# Every target makes .venv/ from the pinned, hashed requirements by itself; nothing but Python 3.11+ is needed.
PYTHON := $(shell command -v python3.11 || command -v python3)
UV_VERSION := 0.13.9
SOAK ?= 1.0
ARGS ?=

BIN := .venv/bin
# Bytecode is kept: or each process that a test starts would compile the service for itself.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal
STAMP := .venv/.installed
SOAK_STAMP := .venv/.installed-soak
PACKAGES := pyproject.toml verifier/python/pyproject.toml
LOCK := var/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --no-config --custom-compile-command "make lock"

.PHONY: help demo serve test check format soak bench openapi page pyz chromium hledger lock clean

help: ## list the targets (ARGS=… goes to the command that a target runs)
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

demo: $(STAMP) ## a duel for a stake, played, paid and verified (ARGS="--lang fr --game coinche")
	$(BIN)/fairdeal demo $(ARGS)

serve: $(STAMP) ## the service, until it is stopped (ARGS="--port 8001")
	$(BIN)/fairdeal serve $(ARGS)

test: $(STAMP) ## the tests
	$(PYTEST) $(ARGS)

check: $(STAMP) ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(STAMP) ## put the sources into their format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# SOAK scales how many cases each long proof takes: SOAK=0.1 for a look, SOAK=10 for a night.
soak: $(SOAK_STAMP) chromium hledger ## the long proofs, as many as SOAK says (SOAK=0.1)
	SOAK=$(SOAK) $(PYTEST) -m soak $(ARGS)

bench: $(STAMP) ## measure, and write docs/performance.md
	$(BIN)/python -m tests.bench $(ARGS)

# The committed description of the API; a test compares it with the one served.
openapi: $(STAMP) ## write the description of the API anew
	$(BIN)/python -m openapi

# The verifier as one page; a test compares it with the committed one. Nothing but Python is needed.
page: ## write the verifier's page anew, verifier/js/verify.html
	$(PYTHON) verifier/js/build_page.py

# The browser that opens the page in soak: Debian's, installed where it is missing, which takes root.
chromium:
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq chromium; }

# The bookkeeping program that reads the exported journal in soak: Debian's, installed where it is missing, which takes root.
hledger:
	@command -v hledger >/dev/null || { apt-get update -qq && apt-get install -y -qq hledger; }

pyz: ## the verifier as one file for any Python 3.11+, dist/fairdeal-verify.pyz
	$(PYTHON) verifier/python/build_pyz.py

$(STAMP): requirements/dev.txt $(PACKAGES)
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable . --editable verifier/python
	touch $@

$(SOAK_STAMP): requirements/soak.txt $(STAMP)
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement requirements/soak.txt
	touch $@

# One lock for every CPython from 3.11 on, on every platform. Versions stay where they can; ARGS=--upgrade takes the newest.
lock: ## pin the requirements anew (ARGS=--upgrade)
	test -x var/lock/bin/pip || $(PYTHON) -m venv var/lock
	var/lock/bin/python -m pip install --quiet uv==$(UV_VERSION)
	$(LOCK) requirements/run.in --output-file requirements/run.txt $(ARGS)
	$(LOCK) requirements/dev.in --output-file requirements/dev.txt $(ARGS)
	$(LOCK) requirements/soak.in --output-file requirements/soak.txt --no-deps $(ARGS)

# Of var/ only what `make lock` made: the rest is the database, the keys, the log's copy and the demo's files.
clean: ## remove .venv, dist and all caches; var stays, where the database and the keys are
	rm -rf .venv var/lock dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
