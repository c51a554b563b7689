# Needs git, make and Python 3.11 (or uv); everything else is installed into .venv by scripts/bootstrap.py.

PYTHON ?= python3
BIN := .venv/bin
STAGE = @printf '\n== %s\n'

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-attacks test-chaos test-search test-guard test-items test-builtin test-runs test-runners test-agents test-gate lint cov bench bench-search fuzz mutants clean
MAKEFLAGS += --no-print-directory
# The tests start hundreds of interpreters: without compiled modules, compiling would be most of their work.
unexport PYTHONDONTWRITEBYTECODE

help: ## what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r name text; do printf '%-18s %s\n' "$$name" "$$text"; done

setup: ## make .venv with trueup and its tools; does nothing when it is up to date
	@$(PYTHON) scripts/bootstrap.py

demo: setup ## watch trueup at work on small real projects: no key, no network, about a minute
	@$(BIN)/trueup demo

PYTEST := $(BIN)/pytest -n auto --maxprocesses=2
ITEMS := tests/act/trackers tests/e2e/issues $(addprefix tests/cases/,test_b_decisions.py test_i_memory.py test_i_review.py)
BUILTIN := tests/act/remedies tests/environments tests/verify/verifiers tests/cases/test_e_remedies.py \
	$(addprefix tests/perform/,test_remedying.py test_rules_in_runs.py)
RUNS := $(addprefix tests/cases/,test_a_focus.py test_b_done.py test_c_baseline.py test_d_scope.py test_g_money.py) \
	$(addprefix tests/perform/,test_builtin_in_runs.py test_installing_checks.py test_paid_programs.py test_setup.py) \
	$(addprefix tests/e2e/,test_checkouts.py test_products.py test_sandboxed_runs.py)
SEPARATE := tests/agents tests/attacks tests/chaos tests/guard tests/runners tests/search $(ITEMS) $(BUILTIN) $(RUNS)

test: lint ## style, types, layers and all tests but the separate suites below
	$(STAGE) 'tests (pytest)'
	@$(PYTEST) $(addprefix --ignore=,$(SEPARATE))

test-attacks: setup ## a hundred attackers try for a false pass, a changed checkout, a leak (part of CI)
	$(STAGE) 'attacks (pytest)'
	@$(PYTEST) tests/attacks

test-chaos: setup ## kills after every record and inside every move, full disks, wrong clocks (part of CI)
	$(STAGE) 'chaos (pytest)'
	@$(PYTEST) tests/chaos

test-search: setup ## the search for small bugs: its edits, its trials in the sandbox, whole runs (part of CI)
	$(STAGE) 'search (pytest)'
	@$(PYTEST) tests/search

test-guard: setup ## the live guard: hooks, settings, rehearsals with pretended programs (part of CI)
	$(STAGE) 'guard (pytest)'
	@$(PYTEST) tests/guard

test-runs: setup ## whole runs: what counts as done, baselines, scope, money, set-up, kinds of checkouts (part of CI)
	$(STAGE) 'whole runs (pytest)'
	@$(PYTEST) $(RUNS)

test-items: setup ## work items, reviews, decisions of checks, issues: whole runs (part of CI)
	$(STAGE) 'work items (pytest)'
	@$(PYTEST) $(ITEMS)

test-builtin: setup ## built-in verifiers and rules: real files, environments and programs (part of CI)
	$(STAGE) 'verifiers and rules (pytest)'
	@$(PYTEST) --ignore=tests/environments/test_registry.py $(BUILTIN)

test-runners: setup ## real test tools, installed from the package registries (slow)
	$(STAGE) 'tools (npm)'
	@$(BIN)/python scripts/test_tools.py
	$(STAGE) 'tests with real test tools'
	@TRUEUP_TEST_RUNNERS=1 $(PYTEST) tests/runners

test-gate: setup ## verifiers with real packages, installed from the package registry; a browser, if there is one (slow)
	$(STAGE) 'tests with a package registry'
	@TRUEUP_TEST_GATE=1 $(BIN)/pytest tests/environments/test_registry.py

test-agents: setup ## the real agent programs against a scripted model, installed from the registries (slow; AGENTS="claude codex")
	$(STAGE) 'agent programs (npm, pip)'
	@$(BIN)/python scripts/test_agents.py $(AGENTS)
	$(STAGE) 'tests with real agent programs'
	@TRUEUP_TEST_AGENTS=1 AGENTS='$(AGENTS)' $(BIN)/pytest -n 6 --dist worksteal tests/agents

lint: setup ## style, types and layers
	$(STAGE) 'style (ruff check)'
	@$(BIN)/ruff check
	$(STAGE) 'format (ruff format --check)'
	@$(BIN)/ruff format --check
	$(STAGE) 'types (mypy)'
	@$(BIN)/mypy
	$(STAGE) 'layers (import-linter)'
	@$(BIN)/lint-imports

cov: setup ## tests with coverage; evidence and decide have to be covered to the last branch
	$(STAGE) 'tests (pytest, with coverage)'
	@$(BIN)/coverage run -m pytest
	$(STAGE) 'coverage of everything'
	@$(BIN)/coverage report --skip-covered
	$(STAGE) 'coverage of evidence and decide: 100 % of lines and branches'
	@$(BIN)/coverage report --show-missing --precision=2 --fail-under=100 --include='src/trueup/evidence/*,src/trueup/decide/*'

bench: setup ## what trueup itself costs, against its bars; a few minutes
	@$(BIN)/python -m benchmarks.bench

bench-search: setup ## which bugs of a set does the search repair, and are its repairs right? (long)
	@$(BIN)/python -m benchmarks.search_bench

SECONDS ?= 10
fuzz: setup ## throw generated input at every reader of untrusted text, SECONDS=10 each; installs atheris once
	@$(BIN)/python scripts/fuzz.py --seconds $(SECONDS)

mutants: setup ## would the tests notice? small changes of the code that tells failures apart (a few minutes)
	@$(BIN)/python scripts/mutate.py

clean: ## remove what make can make again: caches, builds, .venv
	rm -rf .venv .bootstrap build dist .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
