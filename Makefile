# All development tasks. Needs python3.13 on the PATH and access to PyPI.

.DEFAULT_GOAL := help
.PHONY: help demo up down status trace parse mail test checked-tests deployed-tests other-tests test-long lint docs events load cost bench rules mutants unit integration simulation e2e build lock clean environments scanner
.PHONY: types style imports template weaknesses audit pages

BIN := .venvs/dev/bin
# Containers often forbid bytecode. The suites start many processes, each of which would compile all its modules.
export PYTHONDONTWRITEBYTECODE :=
STACK := $(BIN)/python -m local.stack.cli
# Checks that take a minute, and depend on these files only.
PASSED := python3.13 -m local.stack.builds.passed_checks
# The make of macOS is older than this option.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync)
PYTEST := $(BIN)/pytest --dist loadfile --no-loadscope-reorder

help: ## List the targets
	@sed -n 's/^\([a-z0-9 -]*\):[^#]*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  make %-32s %s\n", $$1, $$2}'

demo: environments ## Deploy Parley on this machine and send sample events; writes a report. VERBOSE=1 prints all, KEEP=1 keeps the stack
	@$(BIN)/python -m local.demo $(if $(KEEP),keep) $(if $(VERBOSE),verbose)

up: environments ## Start the local stack in the background; .local/stack.json contains its URLs
	@$(STACK) up

status: environments ## Show whether the local stack is running, and its URLs
	@$(STACK) status

down: ## Stop the local stack
	@python3.13 -m local.stack.shutdown

trace: environments ## Print the waterfall of a trace of the local stack: ID=1-...; without ID, list the newest
	@$(BIN)/python -m local.stack.traces.report $(ID)

mail: environments ## Put a mail into the running local stack: FILE=mail.eml TO=support@example.com [DMARC=fail SPAM=FAIL]
	@$(BIN)/python -m local.mail $(FILE) --to $(TO) $(if $(DMARC),--dmarc $(DMARC)) $(if $(SPAM),--spam $(SPAM))

parse: environments ## Print a mail as Parley understands it, as JSON: FILE=mail.eml
	@$(BIN)/python -m email_threads.parsing $(FILE)

# The stack starts during the checks.
test: scanner ## Run all checks, and all tests but the long ones
	@$(STACK) beside $(MAKE) --no-print-directory checked-tests

checked-tests: lint
	@$(MAKE) --no-print-directory --jobs 2 deployed-tests other-tests

KIND := not long
DEPLOYED_PROCESSES := 2

# Four processes for two cores: those with the end-to-end tests mostly wait for the stack. They do not collect the other
# tests, which takes 15 seconds in each process.
deployed-tests:
	@mkdir -p .local
	@$(PYTEST) -n $(DEPLOYED_PROCESSES) -m "$(KIND)" tests/e2e > .local/e2e.txt 2>&1; status=$$?; cat .local/e2e.txt; exit $$status

# Slow suites run first, fast ones last. They leave the processors to the end-to-end tests, which have time limits and
# wait for each other's functions: the long ones end last.
other-tests:
	@nice -n 5 $(PYTEST) -n 2 -m "$(KIND)" --ignore tests/e2e

test-long: environments ## Run the tests that take long: load and kill, costs of long conversations, more crashes
	@$(STACK) beside $(MAKE) --no-print-directory --jobs 2 deployed-tests other-tests KIND=long

lint: scanner ## Run ruff, mypy, import-linter, cfn-lint (in sam validate), checkov, pip-audit and the type check of the console in parallel
	@$(MAKE) --no-print-directory --jobs 2 $(SYNC) types style imports template weaknesses audit pages

types:
	$(BIN)/mypy

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

imports:
	PYTHONPATH=.:functions:layers/shared $(BIN)/lint-imports

template:
	@$(PASSED) template template.yaml stacks samconfig.toml requirements/sam.txt -- \
		env SAM_CLI_TELEMETRY=0 .venvs/sam/bin/sam validate --lint --region us-east-1
	@$(PASSED) stacks stacks requirements/sam.txt -- .venvs/sam/bin/cfn-lint --regions us-east-1 -- stacks/*.yaml

weaknesses:
	@mkdir -p .local
	@$(PASSED) weaknesses template.yaml stacks .checkov.yaml requirements/checkov.txt -- sh -c '\
		.venvs/checkov/bin/checkov --config-file .checkov.yaml > .local/weaknesses.txt 2>&1 && \
		grep -q "Passed checks" .local/weaknesses.txt && ! grep "YAML error" .local/weaknesses.txt || \
		{ cat .local/weaknesses.txt; exit 1; }'

audit:
	$(BIN)/python -m local.audit

pages:
	$(BIN)/python -m local.console.check

unit integration simulation: scanner ## Run one test suite
	@$(BIN)/pytest tests/$@

load: environments ## Send 10,000 events to the local stack while its functions are killed. LOAD="--context email" stores mails
	@$(BIN)/python -m local.load $(LOAD)

docs: environments ## Generate the reference pages of tables and actions, the limits in docs/performance.md, and the OpenAPI document of actions in .local/docs
	@PYTHONPATH=.:functions:layers/shared $(BIN)/python -m local.docs.table_reference
	@PYTHONPATH=.:functions:layers/shared $(BIN)/python -m local.docs.action_reference
	@PYTHONPATH=.:functions:layers/shared $(BIN)/python -m tests.cost.limits --write docs/performance.md

events: environments ## Generate the sample events, and write all of them to .local/events, one call of each action included
	@$(BIN)/python -m events
	@$(BIN)/python -m events --write .local/events

e2e: environments ## Run the tests against the local stack
	@$(STACK) run $(BIN)/pytest tests/e2e

cost: environments ## Measure the AWS cost per event type; takes minutes. WRITE=1 writes docs/costs.md
	@PYTHONPATH=.:functions:layers/shared $(BIN)/python -m tests.cost $(if $(WRITE),--write docs/costs.md)

bench: environments ## Measure cold starts and handling times; takes minutes. WRITE=1 writes docs/performance.md
	@$(BIN)/python -m local.bench $(if $(WRITE),--write docs/performance.md)

rules: environments ## Score the help desk's classifier on held-out messages. TRAIN=1 trains it, WRONG=1 lists errors
	@$(if $(TRAIN),PYTHONPATH=.:functions:layers/shared $(BIN)/python -m tests.messages.train)
	@PYTHONPATH=.:functions:layers/shared $(BIN)/python -m tests.messages $(if $(WRONG),--wrong)

mutants: environments ## Score the tests of rules on changed rules; takes minutes. MODULE=ordering runs one, RECORD=1 records the scores
	@python3.13 -m local.stack.environments mutants
	@.venvs/mutants/bin/python -m tests.mutants $(if $(MODULE),--module $(MODULE)) $(if $(RECORD),--record)

# The template's default. Set it to the Architecture parameter of the deployment. The local stack has its own build.
ARCHITECTURE ?= arm64

build: environments ## Build functions and layer for AWS, with bytecode, in .aws-sam/build
	@python3.13 -m local.stack.builds.build $(ARCHITECTURE)

# Keeps each pinned version that pyproject.toml allows; `make lock UPGRADE=1` pins the newest versions.
PIN = $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.13 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

lock: environments ## Pin the dependencies of pyproject.toml, with hashes
	$(PIN) pyproject.toml --output-file layers/shared/requirements.txt
	$(PIN) --group exports --constraint layers/shared/requirements.txt --output-file layers/exports/requirements.txt
	$(PIN) pyproject.toml --group dev --constraint layers/shared/requirements.txt --constraint layers/exports/requirements.txt \
		--output-file requirements/dev.txt
	$(PIN) --group sam --output-file requirements/sam.txt
	$(PIN) --group ministack --output-file requirements/ministack.txt
	$(PIN) --group checkov --output-file requirements/checkov.txt
	$(PIN) --group audit --output-file requirements/audit.txt
	$(PIN) --group mutants --output-file requirements/mutants.txt
	$(PIN) --group console --output-file requirements/console.txt

clean: down ## Remove all generated files and environments
	rm -rf .venvs .aws-sam .local .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

environments:
	@python3.13 -c '' || { echo 'Parley needs Python 3.13 as python3.13 on the PATH.' >&2; exit 1; }
	@python3.13 -m local.stack.environments dev sam ministack console

# Large, and not needed by the demo.
scanner: environments
	@python3.13 -m local.stack.environments checkov audit
