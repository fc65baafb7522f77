# Everything a newcomer needs: `make run` judges Kubernetes' own gang scheduling, `make test` runs the project's tests.
# Both make the virtual environment first. Nothing is installed outside of .venv and muster's cache.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Tests that need no box, and those of clusters that are already there, run beside those of boxes; WORKERS=0: one after
# another. Two verdicts are never waited for at once, as two boxes on two cores are a load that a slow machine feels.
WORKERS ?= 2
# What `make test` runs end to end; `make conformance` runs every integration and version that has a file here.
GATE := workload volcano lws jobset-gang
EXPECTED := $(basename $(notdir $(wildcard ci/expected/*.yaml)))

.PHONY: run test conformance lint docs site prove bench kind clean help

help: ## show this help
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "muster needs Python 3.11 or newer; say which with: make PYTHON=/path/to/python3"; exit 3; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

run: $(STAMP) ## bring up a box, judge the native Workload API, write a report
	$(BIN)/muster run --integration workload --profile core --expected ci/expected

# The project's own verdicts are about the locks.
lint test conformance prove bench: export MUSTER_SOURCE ?= build

test: $(STAMP) lint ## the project's own tests, with real boxes; WORKERS=0: one after another
	$(BIN)/muster get $(GATE:%=--integration %)
	$(BIN)/pytest -n $(WORKERS) --dist loadscope

conformance: $(STAMP) ## more versions and schedulers against ci/expected; ONLY=volcano@1.14.1: one of them, all extended cases
ifdef ONLY
	$(BIN)/muster run --integration $(ONLY) --profile extended --expected ci/expected
else
	$(BIN)/muster get $(EXPECTED:%=--integration %)
	$(BIN)/pytest -m conformance
endif

lint: $(STAMP) ## style, types, import rules and workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python ci/actionlint.py

docs: $(STAMP) ## make the pages of docs/reference that come from the catalogue and the command again
	$(BIN)/python -m harness.cli.docs

site: $(STAMP) ## the documentation as a site, in site/
	$(BIN)/sphinx-build -q -W --keep-going docs site

prove: $(STAMP) ## show that the suite can fail: every case against mutants
	$(BIN)/muster prove -n 2
	$(BIN)/pytest -m thorough

bench: $(STAMP) ## speed as ratios, measured side by side
	$(BIN)/muster bench box --rounds 12
	$(BIN)/muster bench start
	$(BIN)/muster bench gangs --integration workload --integration volcano --nodes 100 --gangs 250

kind: $(STAMP) ## real kubelets: build a node image, bring up a kind cluster, hold containers at a barrier (needs Docker)
	$(BIN)/muster run --box kind --image own --kind-workers 4 --sync 2s --integration jobset-barrier --profile core

clean: ## remove the virtual environment and the runs (the cache of built binaries stays)
	rm -rf $(VENV) muster-runs
