"""Real programs, and how to make each of them paint: what is recorded in tests, and for tests/fuzz/streams.

`python -m tests.fuzz.programs` makes those files anew. They hold made-up text only: no program in them that
shows anything of the machine it ran on.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.recorder import HEIGHT, Step, record

STREAMS = Path(__file__).with_name("streams")
TEXT = "".join(
    f"{number:3} {'words and more ' * (number % 5)}\u4f60\u597d {number * 7}\n" for number in range(80)
)

BAR = r"""
import sys
for done in range(0, 101, 4):
    sys.stdout.write(f"\rDownloading {'━' * (done // 4)}\x1b[38;5;237m{'━' * (25 - done // 4)}\x1b[0m\x1b[K")
    sys.stdout.write(f"\r 42%|{'█' * (done // 10)}{' ' * (10 - done // 10)}| {done}/100 [00:0{done % 9}]")
print("\r\x1b[2K\x1b[32mSuccessfully installed\x1b[0m thing-1.0")
"""
TASKS = r"""
import sys
for step in range(9):
    for task in ("fetch", "build", "test"):
        print(f"\x1b[2K\x1b[36m{task:8}\x1b[0m {'.' * step} {step * 11}%")
    sys.stdout.write("\x1b[3A\x1b[?25l" if step < 8 else "\x1b[?25h")
print("all done")
"""
APT = rf"""
import sys
rows = {HEIGHT}
sys.stdout.write(f"\n\x1b7\x1b[0;{{rows - 1}}r\x1b8\x1b[1A")
for done in range(40):
    print(f"Unpacking package-{{done}} (1.{{done}}-1) ...")
    sys.stdout.write(f"\x1b7\x1b[{{rows}};0f\x1b[42m\x1b[30mProgress: [{{done * 100 // 40:3}}%]")
    sys.stdout.write(f"\x1b[49m\x1b[39m [{{'#' * done}}{{'.' * (40 - done)}}] \x1b8")
sys.stdout.write(f"\n\x1b7\x1b[0;{{rows}}r\x1b8\x1b[1A\x1b[J")
print("Processing triggers for man-db (2.11.2-2) ...")
"""


@dataclass(frozen=True, slots=True)
class Program:
    argv: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    of_machine: bool = False
    """Whether it shows what this machine is and does."""


def _python(script: str) -> tuple[str, ...]:
    return sys.executable, "-S", "-c", script


PROGRAMS = {
    "vim": Program(
        ("vim", "-u", "NONE", "-i", "NONE", "-N", "-n", "+set ruler scrolloff=0", "text"),
        (
            (b"Top", b"\x06"),
            (b" 40 ", b"\x06"),
            (b" 60 ", b"\x02G"),
            (b"Bot", b"dd10k3zl\x05\x05O"),
            (b"INSERT", b"new \xe2\x82\xac line\x08\x1b:split\r"),
            (b"text [+]", b"\x04\x15ggi\tx\x08\x1b:qa!\r"),
        ),
    ),
    "less": Program(
        ("less", "text"), ((b"text", b" b"), (b"  0 ", b"G"), (b"END", b"/77\r"), (b" 77 ", b"kkkkq"))
    ),
    "less-X": Program(("less", "-X", "text"), ((b"text", b"  "), (b" 50 ", b"b"), (b" 30 ", b"kkjjq"))),
    "git-log": Program(
        ("git", "-c", "core.pager=less -RX", "-c", "color.ui=always", "log", "-p"),
        ((b":", b" "), (b":", b"kkkkq")),
    ),
    "git-diff": Program(("git", "-c", "core.pager=less -R", "diff", "--color", "HEAD~1"), ((b":", b"Gq"),)),
    "bar": Program(_python(BAR)),
    "tasks": Program(_python(TASKS)),
    "apt": Program(_python(APT)),
    "top": Program(("top", "-n", "3", "-d", "0.1"), of_machine=True),
    "htop": Program(("htop", "-d", "1"), ((b"F10", b"\x1b[B\x1b[B"), (b"\x1b[", b"q")), of_machine=True),
}


def prepare(folder: Path) -> None:
    """A text, and a repository whose last commits change it; the same, whoever makes them and when."""
    text = folder / "text"
    who = {"NAME": "A", "EMAIL": "a@example.org", "DATE": "2001-02-03T04:05:06 +0000"}
    environ = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    environ |= {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    git = ["git", "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "-q"], cwd=folder, env=environ, check=True)
    for count in (20, 60, 80):
        text.write_text("".join(TEXT.splitlines(keepends=True)[:count]).replace("more", f"more{count}"))
        subprocess.run([*git, "add", "text"], cwd=folder, env=environ, check=True)
        subprocess.run([*git, "commit", "-q", "-m", f"now {count}"], cwd=folder, env=environ, check=True)
    text.write_text(TEXT)


def main() -> None:
    STREAMS.mkdir(exist_ok=True)
    for name, program in PROGRAMS.items():
        if not program.of_machine:
            with tempfile.TemporaryDirectory() as folder:
                prepare(Path(folder))
                (STREAMS / name).write_bytes(record(program.argv, Path(folder), program.steps))


if __name__ == "__main__":
    main()
