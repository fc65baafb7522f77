# Everything a newcomer needs: `make run` judges Kubernetes' own gang scheduling, `make test` runs the project's tests.
# Both make the virtual environment first. Nothing is installed outside of .venv and muster's cache.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TESTED := kubernetes@1.37 kubernetes@1.36 kubernetes@1.35 etcd kwok volcano scheduler-plugins koordinator yunikorn \
	lws jobset

.PHONY: run test lint docs prove bench kind clean help

help: ## show this help
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "muster needs Python 3.11 or newer; say which with: make PYTHON=/path/to/python3"; exit 3; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

run: $(STAMP) ## bring up a box, judge the native Workload API, write a report
	$(BIN)/muster run --integration workload --profile core --expected ci/expected

test: $(STAMP) lint ## the project's own tests, with real boxes
	$(BIN)/muster get $(TESTED)
	$(BIN)/pytest

lint: $(STAMP) ## style, types and import rules
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(STAMP) ## make the pages of docs/reference that come from the catalogue again
	$(BIN)/python -m harness.pages

prove: $(STAMP) ## show that the suite can fail: every case against schedulers that sin
	$(BIN)/muster prove -n 2
	$(BIN)/pytest -m thorough

bench: $(STAMP) ## speed as ratios, measured side by side
	$(BIN)/muster bench box --rounds 12

kind: $(STAMP) ## real kubelets: build a node image, bring up a kind cluster, hold containers at a barrier (needs Docker)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev,kind]'
	$(BIN)/muster run --box kind --image own --kind-workers 4 --sync 2s --integration jobset-barrier --profile core

clean: ## remove the virtual environment and the runs (the cache of built binaries stays)
	rm -rf $(VENV) muster-runs
