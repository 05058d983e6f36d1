"""Figures, not claims: muxpilot beside its alternatives, in one run on one machine.

`python -m bench` (what `make bench` runs) prints the tables and keeps them in `bench/results/`. Whoever adds
a measurement adds a row: to `engine.rows_at` for the engine, to `servers.OPERATIONS` for the MCP server, with
the call in each server's words in `dialects`. What needs a tmux server of its own kind is a module with a
`measure`, and a part in `__main__.PARTS`. Another server is an entry in `peers.PEERS`, a promise one in
`targets.TARGETS`.
"""
