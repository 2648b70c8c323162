# Foliot: `make help` lists what can be done here.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.uv: locks/uv.txt
	@echo "set-up: virtual environment and uv"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r locks/uv.txt
	@touch $@

$(VENV)/.synced: $(VENV)/.uv locks/dev.txt pyproject.toml
	@echo "set-up: packages from locks/dev.txt"
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip sync -q --require-hashes locks/dev.txt
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --no-deps --no-build-isolation -e .
	@touch $@

.PHONY: setup
setup: $(VENV)/.synced ## virtual environment with everything locked (quick when done)

.PHONY: lock
lock: $(VENV)/.uv ## resolve the locks anew (nothing younger than [tool.uv] exclude-newer)
	@$(BIN)/uv pip compile pyproject.toml --group dev --all-extras --universal --python-version 3.11 --generate-hashes \
	  --upgrade --no-header -q -o locks/dev.txt
	@echo 'uv>=0.9' | $(BIN)/uv pip compile - --universal --python-version 3.11 --generate-hashes --upgrade --no-header \
	  --exclude-newer "$$(sed -n 's/^exclude-newer = "\(.*\)"/\1/p' pyproject.toml)" -q -o locks/uv.txt
