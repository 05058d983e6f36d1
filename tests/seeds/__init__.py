"""The documents that muxpilot was conceived from: every call that they print, as printed, over real stdio."""
