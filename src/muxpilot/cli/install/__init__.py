"""`muxpilot install`: muxpilot's entry in an MCP client's own configuration file, written with care.

A file is somebody's work: what is not ours stays byte for byte as it was, comments and order too.
`clients` is the table of them all, `jsonc` and `toml` edit text, `files` reads and writes, `command` tells.
"""
