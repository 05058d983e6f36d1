# Everything sets itself up: a venv with exact versions, tmux, and the shells that the tests use.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST_ARGS ?=

.PHONY: demo test test-long lint bench setup clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt scripts/setup
	scripts/setup $(VENV)
	@touch $@

demo: $(READY)
	@$(BIN)/muxpilot demo

test: lint
	$(BIN)/pytest -n 3 --dist loadgroup -m "not long" $(PYTEST_ARGS)

test-long: lint
	$(BIN)/pytest -n 3 --dist loadgroup -m "long or not long" $(PYTEST_ARGS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .bench-venv .mypy_cache .ruff_cache .hypothesis
