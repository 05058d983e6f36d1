"""One parser under atheris, for some seconds: python -m tests.fuzz.coverage_guided NAME SECONDS FOLDER

Inputs that reach new code lead to others. One that breaks what must hold is written to FOLDER, and ends it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["muxpilot"]):
    from tests.fuzz.parsers import PARSERS

from tests.fuzz.tokens import TOKENS


def main() -> None:
    name, seconds, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    words = folder / "words"
    words.write_text("".join(f'"{_quoted(token)}"\n' for token in TOKENS[name] if len(token) < 64))
    options = [f"-max_total_time={seconds}", f"-dict={words}", f"-artifact_prefix={folder}/", "-max_len=1000"]
    atheris.Setup([sys.argv[0], *options, "-timeout=10", "-verbosity=0"], PARSERS[name])
    atheris.Fuzz()


def _quoted(token: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token)


if __name__ == "__main__":
    main()
