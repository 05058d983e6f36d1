# Everything sets itself up: a venv with exact versions and tmux; for the tests their tools, shells and MCP clients too.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
FUZZ := $(VENV)/.fuzz
CLIENTS := .clients
PYTEST_ARGS ?=

.PHONY: demo test test-long lint bench setup clients clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt scripts/setup
	scripts/setup $(VENV)
	@touch $@

$(TOOLS): pyproject.toml constraints.txt scripts/setup
	scripts/setup $(VENV) dev
	@touch $(READY) $@

clients: $(CLIENTS)/.ready

$(CLIENTS)/.ready: tests/clients/package.json scripts/clients
	scripts/clients $(CLIENTS)
	@touch $@

demo: $(READY)
	@$(BIN)/muxpilot demo

test: lint
	$(BIN)/pytest -n 6 --dist loadgroup -m "not long" $(PYTEST_ARGS)

# Where there is no wheel for this Python, the tests that need it are skipped, and say so.
$(FUZZ): $(TOOLS)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m pip install --quiet --only-binary atheris \
		--editable ".[fuzz]" || echo "setup: no atheris for this Python"
	@touch $@

test-long: lint clients $(FUZZ)
	$(BIN)/pytest -n 4 --dist loadgroup -m "long or not long" --hypothesis-profile thorough $(PYTEST_ARGS)
	$(BIN)/python scripts/as-ordinary-user .venv/bin/pytest -n 4 --dist loadgroup -m "not long" $(PYTEST_ARGS)

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(TOOLS)
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) $(CLIENTS) .bench-peers .mypy_cache .ruff_cache .hypothesis
