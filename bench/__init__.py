"""Figures, not claims: muxpilot beside its alternatives, in one run on one machine.

`python -m bench` (what `make bench` runs) prints the table and keeps it in `bench/results/`. Whoever adds a
measurement adds a row: to `engine.rows_at` for the engine, to `operations.OPERATIONS` for the MCP server.
What needs a tmux server of its own kind is a module with a `measure`, and a part in `__main__.PARTS`.
"""
