# Everything there is to do with Parley on one machine. Needs python3.13 on the PATH, and PyPI.

.DEFAULT_GOAL := help
.PHONY: help demo up down status test lint docs load cost bench rules unit integration simulation e2e build lock clean environments scanner
.PHONY: types style imports template weaknesses audit

BIN := .venvs/dev/bin
STACK := $(BIN)/python -m local.stack.cli

help: ## List the targets
	@sed -n 's/^\([a-z0-9 ]*\):[^#]*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  make %-32s %s\n", $$1, $$2}'

demo: environments ## Deploy Parley on this machine, send it sample events, show what became of them
	@$(BIN)/python -m local.demo

up: environments ## Start the local stack and leave it running; .local/stack.json tells where
	@$(STACK) up

status: environments ## Tell whether the local stack runs, and where
	@$(STACK) status

down: ## Stop the local stack
	@python3.13 -m local.stack.shutdown

# In order of their names: what takes long and what needs the stack comes first, what is over in no time last.
test: lint ## All checks and all tests, as CI runs them
	@$(STACK) beside $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

lint: scanner ## ruff, mypy, import-linter, cfn-lint (in sam validate), checkov, pip-audit; side by side
	@$(MAKE) --no-print-directory --jobs 2 --output-sync types style imports template weaknesses audit

types:
	$(BIN)/mypy

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

imports:
	PYTHONPATH=.:functions:layers/shared $(BIN)/lint-imports

template:
	SAM_CLI_TELEMETRY=0 .venvs/sam/bin/sam validate --lint --region us-east-1

weaknesses:
	.venvs/checkov/bin/checkov --config-file .checkov.yaml

audit:
	$(BIN)/python -m local.audit

unit integration simulation: scanner ## One suite of tests
	@$(BIN)/pytest tests/$@

load: environments ## 10,000 events at the local stack while its functions are killed
	@$(BIN)/python -m local.load $(LOAD)

docs: environments ## Write the reference pages of the tables from their item classes
	@PYTHONPATH=.:functions:layers/shared $(BIN)/python -m local.docs.table_reference

e2e: environments ## The tests against the local stack
	@$(STACK) run $(BIN)/pytest tests/e2e

cost: environments ## What each kind of event costs at AWS; takes minutes. WRITE=README.md puts the table there
	@PYTHONPATH=.:functions:layers/shared $(BIN)/python -m tests.cost $(if $(WRITE),--write $(WRITE))

bench: environments ## What functions take to start and to handle events; takes minutes. WRITE=README.md puts it there
	@$(BIN)/python -m local.bench $(if $(WRITE),--write $(WRITE))

rules: environments ## How well the help desk's rules classify labelled messages. TEACH=1 learns, WRITE=1 keeps the figures, WRONG=1 lists
	@$(if $(TEACH),PYTHONPATH=.:functions:layers/shared $(BIN)/python -m tests.messages.teach)
	@PYTHONPATH=.:functions:layers/shared $(BIN)/python -m tests.messages $(if $(WRITE),--write) $(if $(WRONG),--wrong)

# The template's default; a deployment with another Architecture needs the same here. The local stack builds its own.
ARCHITECTURE ?= arm64

build: environments ## Functions and layer as AWS gets them, with bytecode, in .aws-sam/build
	@python3.13 -m local.stack.build $(ARCHITECTURE)

# Pins stay as they are while pyproject.toml allows them; `make lock UPGRADE=1` takes the newest.
PIN = $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.13 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

lock: environments ## Pin what pyproject.toml asks for, with hashes
	$(PIN) pyproject.toml --output-file layers/shared/requirements.txt
	$(PIN) pyproject.toml --group dev --constraint layers/shared/requirements.txt --output-file requirements/dev.txt
	$(PIN) --group sam --output-file requirements/sam.txt
	$(PIN) --group ministack --output-file requirements/ministack.txt
	$(PIN) --group checkov --output-file requirements/checkov.txt
	$(PIN) --group audit --output-file requirements/audit.txt

clean: down ## Remove everything that was made here
	rm -rf .venvs .aws-sam .local .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

environments:
	@python3.13 -c '' || { echo 'Parley needs Python 3.13 as python3.13 on the PATH.' >&2; exit 1; }
	@python3.13 -m local.stack.environments dev sam ministack

# Large, and of no use to a demo.
scanner: environments
	@python3.13 -m local.stack.environments checkov audit
