"""The calls that stand on a page of docs/, and what the page says they answer.

A page is read from top to bottom, and these blocks of it mean something here:

    ```call               tools with their arguments: `send_keys {"target": "%0", "keys": "ls"}`
    ```call error         the same; the last of them is answered by an error
    ```answer             the text of the last answer, `...` for whatever was left out
    ```json answer        the structure of the last answer, as far as it is shown
    ```console            `$ muxpilot ...`, and below it what that prints
    <!-- call ... -->     calls that set the scene, unseen by readers of the rendered page
    <!-- file NAME ... --> a file in the home folder
    <!-- serve A=b ... --> from here on, a muxpilot with these variables

An argument `<cursor>` is the `cursor` of the last answer that had one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))

Json = dict[str, Any]

_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.M | re.S)
_COMMENT = re.compile(r"^<!-- (call|file|serve)\b(.*?)-->$", re.M | re.S)
_CALL = re.compile(r"\s*([a-z_]+)[ \t]*")
_GAP = re.compile(r"[ \t]+")
_PLACE = re.compile(r"<([a-z_]+)>")


@dataclass(frozen=True)
class Block:
    line: int
    kind: str
    body: str


def blocks(page: Path) -> list[Block]:
    """All of a page that means something here, in order."""
    text = page.read_text()
    fences = [(one.start(), one[1].strip(), one[2]) for one in _FENCE.finditer(text)]
    hidden = [(one.start(), f"<!-- {one[1]}", one[2].strip(" ")) for one in _COMMENT.finditer(text)]
    found = sorted([*fences, *hidden])
    return [Block(text.count("\n", 0, start) + 1, kind, body) for start, kind, body in found]


def prose(page: Path) -> str:
    """A page without its blocks."""
    return _FENCE.sub("", _COMMENT.sub("", page.read_text()))


def calls(body: str) -> Iterator[tuple[str, Json]]:
    """The tools of a block, each with its arguments: an object, or nothing."""
    decoder, at = json.JSONDecoder(), 0
    while found := _CALL.match(body, at):
        at = found.end()
        arguments: Json = {}
        if body.startswith("{", at):
            arguments, at = decoder.raw_decode(body, at)
        yield found[1], arguments
    assert not body[at:].strip(), f"no call: {body[at:]!r}"


def filled(value: Any, known: Json) -> Any:
    """Arguments with what earlier answers said in the place of `<name>`."""
    if isinstance(value, dict):
        return {name: filled(one, known) for name, one in value.items()}
    if isinstance(value, str) and (place := _PLACE.fullmatch(value)):
        return known[place[1]]
    return value


def fits(shown: str, text: str) -> bool:
    """Whether the page shows this text, apart from the gaps between columns and what `...` stands for.

    Within a line it stands for some of that line, alone on a line for any number of lines.
    """
    pattern = "".join(map(_pattern, _plain(shown).split("\n")))
    return re.fullmatch(pattern, _plain(text) + "\n") is not None


def _pattern(line: str) -> str:
    return r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("..."), ".*?") + r"\n"


def _plain(text: str) -> str:
    return "\n".join(_GAP.sub(" ", line).rstrip() for line in text.strip("\n").split("\n")).rstrip("\n")


def holds(shown: Any, facts: Any) -> bool:
    """Whether everything that the page shows is so; what it leaves out does not matter."""
    if isinstance(shown, dict):
        return isinstance(facts, dict) and all(
            key in facts and holds(one, facts[key]) for key, one in shown.items()
        )
    if isinstance(shown, list):
        return isinstance(facts, list) and _all_hold(shown, facts)
    if isinstance(shown, str):
        return isinstance(facts, str) and fits(shown, facts)
    return bool(shown == facts) and type(shown) is type(facts)


def _all_hold(shown: list[Any], facts: list[Any]) -> bool:
    if "..." in shown:
        shown = [one for one in shown if one != "..."]
        return all(any(holds(one, fact) for fact in facts) for one in shown)
    return len(shown) == len(facts) and all(map(holds, shown, facts))
