# Foliot: `make help` lists what can be done here. Everything lands in .venv; only `make services` touches the system.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
CORES ?= 2
PACKAGES := $(wildcard packages/*)
PYTEST := $(BIN)/pytest -q
FAST := $(PYTEST) -n $(shell expr $(CORES) + 1) -m 'not services and not slow' tests/unit tests/property tests/conformance tests/sql tests/engine
SURFACES := $(PYTEST) -n $(CORES) -m 'not services and not slow' $(filter-out $(addprefix tests/,unit property conformance sql engine cluster servers),$(patsubst %/,%,$(wildcard tests/*/)))
ON_SERVERS := $(PYTEST) -n $(CORES) -m 'services and not slow'
SLOW := $(PYTEST) -n $(shell expr $(CORES) + 1) --dist loadfile --durations=10 -m slow --ignore=tests/cluster
RERUNS := $(VENV)/reruns.txt
# Clusters mostly wait; in their short size they bear a machine that does other things, so two are up at a time.
CLUSTER := $(PYTEST) -n $(CORES) --dist worksteal --durations=15 -m slow tests/cluster

# $(call step,name,limit in seconds,command): announce, run under a limit, say how long it took.
define step
	@echo "▶ $(1)"; began=$$SECONDS; code=0; timeout --foreground -k 15 $(2) $(3) || code=$$?; took=$$((SECONDS - began)); \
	case $$code in \
	0) echo "✔ $(1)  $$took s" ;; \
	124 | 137) echo "✖ $(1)  stopped at its limit of $(2) s"; exit 1 ;; \
	*) echo "✖ $(1)  failed after $$took s"; exit 1 ;; \
	esac
endef

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# -- use -------------------------------------------------------------------------------------------------------------

.PHONY: up
up: console-build ## start Foliot on this machine with the sample jobs in examples/; PORT=7272 for another port
	@cd examples && exec ../$(BIN)/foliot up$(if $(PORT), --port $(PORT))

.PHONY: console-build
console-build: setup ## build the web console into the package (no work when web/ has not changed)
	@$(BIN)/python -m web.build build

.PHONY: console
console: setup ## work on the console: hot reload on port 7172, in front of a running server (FOLIOT_SERVER=http://…)
	@$(BIN)/python -m web.build dev

.PHONY: screenshots
screenshots: services ## take pictures of the console with sample jobs into docs/images/ (two minutes)
	@$(BIN)/python -m tests.console.pictures

# -- prove -----------------------------------------------------------------------------------------------------------

.PHONY: test
test: export FOLIOT_RERUNS = $(CURDIR)/$(RERUNS)
test: setup ## everything: services, check, fast tests, surfaces, tests on real servers, slow tests, clusters
	@$(MAKE) services
	@rm -f $(RERUNS)
	$(call step,check,300,$(MAKE) check)
	$(call step,fast tests,900,$(FAST))
	$(call step,surfaces: API CLI SDK examples,900,$(SURFACES))
	$(call step,tests on real servers,1500,$(ON_SERVERS))
	$(call step,slow tests,1500,$(SLOW))
	$(call step,clusters of real processes,1800,$(CLUSTER))
	@if [ -s $(RERUNS) ]; then echo "▲ failed once and ran again; find the cause of each:"; sed 's/^/  /' $(RERUNS); fi

.PHONY: check
check: setup ## format, lint, types and import rules, side by side
	@$(MAKE) -k -j$(CORES) --output-sync=target check-types check-console check-imports check-lint check-format

.PHONY: check-format check-lint check-types check-imports check-console
check-format:
	@$(BIN)/ruff format --check
check-lint:
	@$(BIN)/ruff check
check-types:
	@$(BIN)/mypy $(wildcard src packages tests bench examples web/*.py)
check-console:
	@$(BIN)/python -m web.build check
check-imports:
	@$(BIN)/lint-imports --no-logo

.PHONY: fast
fast: setup ## unit, property, engine and store tests on SQLite; no servers needed
	@$(FAST)

.PHONY: test-surfaces
test-surfaces: setup ## the API, the command line, the SDK and the examples, end to end
	@$(SURFACES)

.PHONY: test-servers
test-servers: setup ## the tests on PostgreSQL and MariaDB
	@$(ON_SERVERS)

.PHONY: test-slow
test-slow: setup ## the tests that take more than a moment
	@$(SLOW)

.PHONY: test-cluster
test-cluster: setup ## servers and workers as real processes, broken while they work, judged by foliot-check
	@$(CLUSTER)

.PHONY: faults
faults: services ## the whole matrix of faults, its figures into docs/ and README (over an hour); ONLY='f01 or f02' for some
	@folder=$$(mktemp -d); code=0; FOLIOT_FIGURES=$$folder $(BIN)/pytest -v -m matrix -o faulthandler_timeout=1200 tests/coordination tests/cluster $(if $(ONLY),-k '$(ONLY)') \
	  || code=$$?; $(BIN)/python -m tests.cluster.figures gather $$folder && $(BIN)/python -m tests.cluster.figures show; \
	rm -rf $$folder; exit $$code

.PHONY: sql
sql: setup ## write the SQL that really runs, per database, into docs/reference/sql/
	@$(BIN)/python -m tests.sql.rendered

.PHONY: bench
bench: services ## measure everything beside the raw limit, keep the figures (ten minutes); ONLY=storm; AGAINST=<commit>
	@$(if $(AGAINST),$(BIN)/python -m bench --against $(AGAINST) $(ONLY),$(if $(ONLY),$(BIN)/python -m bench $(ONLY),$(BIN)/python -m bench --record docs/reference/figures && $(BIN)/python -m bench.figures))

# -- prepare ---------------------------------------------------------------------------------------------------------

.PHONY: setup
setup: $(VENV)/.synced ## virtual environment with everything locked (no work when done)

.PHONY: services
services: setup ## install PostgreSQL, MariaDB, Patroni, etcd, Redis, ZooKeeper (Debian packages; starts no daemon)
	@$(BIN)/python -m tests.servers.install

.PHONY: lock
lock: $(VENV)/.uv ## resolve the locks anew (nothing younger than [tool.uv] exclude-newer)
	@$(BIN)/uv pip compile pyproject.toml --group dev --all-extras --universal --python-version 3.11 --generate-hashes \
	  --upgrade --no-header -q -o locks/dev.txt
	@echo 'uv>=0.9' | $(BIN)/uv pip compile - --universal --python-version 3.11 --generate-hashes --upgrade --no-header \
	  --exclude-newer "$$(sed -n 's/^exclude-newer = "\(.*\)"/\1/p' pyproject.toml)" -q -o locks/uv.txt

.PHONY: clean
clean: ## remove what these targets made: environment, caches, builds, data of the sample jobs
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build examples/.foliot web/node_modules src/foliot/console
	@find src packages tests bench examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
	@echo "clean"

$(VENV)/.uv: locks/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "set-up: Foliot needs Python 3.11 or newer; name one with make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo "set-up: python3-venv, which Debian keeps apart"; \
	  root=$$([ "$$(id -u)" = 0 ] || echo sudo); $$root apt-get -qq update; $$root apt-get -qq install -y python3-venv; }
	@echo "set-up: virtual environment and uv"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r locks/uv.txt
	@touch $@

$(VENV)/.synced: $(VENV)/.uv locks/dev.txt pyproject.toml $(wildcard packages/*/pyproject.toml)
	@echo "set-up: packages from locks/dev.txt"
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip sync -q --require-hashes locks/dev.txt
	@VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q --no-deps --no-build-isolation -e . $(addprefix -e ,$(PACKAGES))
	@touch $@
