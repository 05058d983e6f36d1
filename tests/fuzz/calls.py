"""Calls of a tool, made from the schema that its server lists: right, nearly right, and hostile.

A string that would run something, if anything took it for code, makes the file `canary` in HOME. Where
running text is what a parameter is for (RUNS), only harmless text is given. Waits are short: see TIMES.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]
Values = st.SearchStrategy[Any]

TOUCH = "cd;touch canary"
INJECTIONS = [
    *(
        f"$({TOUCH})",
        f"`{TOUCH}`",
        f"#({TOUCH})",
        f"#{{l:#({TOUCH})}}",
        f"#{{E:@x}}#({TOUCH})",
        f"';{TOUCH};'",
    ),
    *(
        f'";{TOUCH};"',
        f"\n{TOUCH}\n",
        f"; run-shell '{TOUCH}'",
        f"x\nrun-shell '{TOUCH}'\n",
        f"}} ; run '{TOUCH}'",
    ),
    *(
        f"a;{TOUCH}",
        f"a&&{TOUCH}",
        f"|{TOUCH}",
        f"\\;run-shell '{TOUCH}'",
        f"#[fg=red]#({TOUCH})",
        f"##({TOUCH})",
    ),
]
ODD = [
    *(
        "",
        " ",
        "-",
        "--",
        "-t",
        "-t%0",
        "-x",
        "~",
        "=",
        ":",
        ".",
        "*",
        "%",
        "@",
        "$",
        "{",
        "}",
        "#",
        "##",
        "#{",
        "'",
    ),
    *(
        '"',
        "\\",
        "\\;",
        ";",
        "\n",
        "\r\n",
        "\t",
        "\0",
        "a\0b",
        "\ud800",
        "\udfffx",
        "\x1b[2J",
        "\x1b]0;t\x07",
        "\x9b",
    ),
    *(
        "%99999",
        "@99999",
        "$99999",
        "%-1",
        "%٣",
        "%1x",
        "nosuch",
        "nosuch:0",
        "main:99",
        "main:0.99",
        "main:{x}",
    ),
    *(
        "NaN",
        "Infinity",
        "1e308",
        "0x10",
        "-1",
        "9" * 400,
        "true",
        "null",
        "é",
        "你好",
        "👩‍👩‍👧",
        "\u202e",
        "\ufeff",
    ),
    *(
        "#{pid}",
        "#{E:window_name}",
        "#{T:pane_title}",
        "#{S:#{session_name}}",
        "../..",
        "/dev/null/x",
        "x" * 20_000,
    ),
]
RUNS = {
    ("terminal", "command"),
    ("run_command", "command"),
    ("split_window", "shell"),
    ("respawn_pane", "shell"),
    ("send_keys", "keys"),
    ("paste_text", "text"),
    ("load_buffer", "content"),
}
HARMLESS = [
    "true",
    "echo x",
    "(exit 3)",
    "echo 'open",
    "cat",
    "",
    " ",
    "C-c",
    "Up",
    "-l",
    "\0",
    "\ud800",
    "é",
    "#{pid}",
]
TARGETS = [
    "main",
    "main:0",
    "main:0.0",
    "main:0.1",
    "main:two",
    "%1",
    "%2",
    "@1",
    "$1",
    "=main",
    "main:0.{top-left}",
]
TIMES = [0.05, 0.1, 0, -1, "0.05", "soon", None, [], True]
WRONG: list[Any] = [
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    10**300,
    -0.5,
    1e308,
    [],
    {},
    [[[[]]]],
    {"a": {"b": []}},
    ["x"],
    "x",
]


def deep(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


HOSTILE = st.sampled_from([*INJECTIONS, *ODD]) | st.text(max_size=20)
ANYTHING = st.sampled_from([*WRONG, deep(50), deep(300)]) | HOSTILE


def calls_of(tool: Json, folder: Path) -> st.SearchStrategy[Json]:
    """Arguments for this tool, as it is listed. Files that it may make are made in the folder."""
    schema = tool["inputSchema"]
    values = {
        name: _values(tool["name"], name, one, schema.get("$defs", {}))
        for name, one in schema["properties"].items()
    }
    if "output_path" in values:
        values["output_path"] = st.sampled_from([f"{folder}/{name}" for name in INJECTIONS]) | HOSTILE
    # A wait that nobody limits takes half a minute.
    always = {*schema.get("required", ()), *({"timeout", "quiet_seconds"} & values.keys())}
    known = st.fixed_dictionaries(
        {name: one for name, one in values.items() if name in always},
        optional={name: one for name, one in values.items() if name not in always},
    )
    unknown = st.dictionaries(HOSTILE, ANYTHING, max_size=1)
    return known | st.builds(lambda first, second: {**second, **first}, known, unknown)


def _values(tool: str, name: str, schema: Json, defs: Json) -> Values:
    if (tool, name) in RUNS:
        return st.sampled_from(HARMLESS)
    if name in {"timeout", "quiet_seconds"}:
        return st.sampled_from(TIMES)
    if name in {"target", "source"}:
        return st.sampled_from(TARGETS) | st.sampled_from(TARGETS) | ANYTHING
    if name == "server":
        return st.sampled_from([None, "lab"]) | st.sampled_from([*INJECTIONS, *ODD])
    if (tool, name) == ("send_keys_batch", "operations"):
        keys = st.fixed_dictionaries(
            {"target": st.sampled_from(TARGETS) | ANYTHING, "keys": st.sampled_from(HARMLESS)}
        )
        return st.lists(keys, max_size=3) | st.sampled_from(WRONG)
    right = _right(tool, schema, defs)
    return right | right | ANYTHING


def _right(tool: str, schema: Json, defs: Json) -> Values:
    if "$ref" in schema:
        return _right(tool, defs[schema["$ref"].rpartition("/")[2]], defs)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of(*(_right(tool, one, defs) for one in schema["anyOf"]))
    if schema.get("type") == "array":
        return st.lists(_right(tool, schema.get("items", {}), defs), max_size=3)
    if schema.get("type") == "object" and "properties" in schema:
        return st.fixed_dictionaries(
            {}, optional={name: _values(tool, name, one, defs) for name, one in schema["properties"].items()}
        )
    return _PLAIN.get(schema.get("type", ""), ANYTHING)


_PLAIN: dict[str, Values] = {
    "string": HOSTILE,
    "boolean": st.booleans(),
    "integer": st.integers(-5, 200) | st.sampled_from([1, 10_000, 10_001, -(2**31), 2**31, 2**63, 10**40]),
    "number": st.sampled_from([0, 0.1, -1, 1e308]),
    "object": st.dictionaries(HOSTILE, ANYTHING, max_size=2),
}
