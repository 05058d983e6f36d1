"""muxpilot: real terminals on tmux for AI agents, over MCP."""

__version__ = "0.1.0"
