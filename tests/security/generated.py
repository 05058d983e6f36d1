"""Formats, option names and option values without end: of the grammar, broken in one place, and hostile."""

from __future__ import annotations

from random import Random

from muxpilot.terminal.option_table import BY_NAME, HOOKS, Kind
from muxpilot.tmux.format_grammar import ALIASES, OPERATORS

VARIABLES = (
    *("pane_id", "pane_title", "pane_dead", "pane_pid", "pane_current_path", "pane_current_command"),
    *("window_name", "window_flags", "window_zoomed_flag", "session_name", "session_id", "host", "version"),
    *(
        "history_bytes",
        "history_size",
        "cursor_x",
        "cursor_character",
        "client_name",
        "status-left",
        "status-right",
    ),
    *(
        "status-format[0]",
        "status-format[1]",
        "default-command",
        "command-alias",
        "@evil",
        "@again",
        "@plain",
    ),
    *("@missing", "missing", "HOME", "EVIL", "s_x_", "e_", "p5", "m__", "T", "E", "l", "q", "N-3", "1", "_"),
)
"""Known ones, unknown ones, the environment's, and names that begin like modifiers."""

HOSTILE = (
    *(
        "#(touch {canary})",
        "##(touch {canary})",
        "#{E:@evil}",
        "#{T:@evil}",
        "#{E:#{@again}}",
        "#{l:#(touch {canary})}",
    ),
    *(
        "#{s/#}/x/;E:#{s/Q/##/:#{l:Q}}(touch {canary})}",
        "#{S:#{S:#{S:x}}}",
        "#{W:#{P:#{L:x}}}",
        "#{p2000000000:x}",
    ),
    *(
        "#{m/r:(a*)*\\1b,aaaaaaaaaaaaaaaaaaaaaaaa}",
        "#{R:x,2000000000}",
        "#{e|*|9:9,9}",
        "#{=/9/#(touch {canary}):@evil}",
    ),
    *(
        "#{C/r:(a|aa)+$}",
        "#{q/h:@evil}",
        "#{t/f/#(touch {canary}):start_time}",
        "#{N/w:#{E:@evil}}",
        "#{a:40}",
    ),
    *(
        "#{?#{E:@evil},a,b}",
        "#{;E:@evil}",
        "#{=5;E:@evil}",
        "#{?a,b}",
        "#{?",
        "#{==:",
        "#{&&:",
        "#{",
        "}",
        "#",
        "##",
    ),
    *(
        "#,",
        "#}",
        "#:",
        "#[",
        "#[fg=red]",
        "]",
        "%",
        "%%",
        "%H",
        "%#",
        "%-#",
        "%n",
        "%E",
        "%9999999d",
        "\\",
        "'",
        '"',
        ";",
    ),
    *(
        "$HOME",
        "`touch {canary}`",
        "\n",
        "\t",
        "\0",
        "\x1b]0;x\x07",
        "\ud800",
        "\u202e",
        "\uff03{pane_id}",
        "#\u0441",
    ),
    *(
        "#{pane_id\n}",
        "#{ pane_id}",
        "#{@}",
        "#{?@evil,#(touch {canary}),}",
        "{",
        "(",
        ")",
        ",",
        ":",
        "?",
        "@",
        "|",
    ),
)
WORDS = (
    "a",
    "0",
    "1",
    "x y",
    "é",
    "漢字",
    "👩",
    "100%",
    "12:30",
    "[",
    "]",
    "(",
    ")",
    "{",
    "ok",
    "-",
    "/",
    "on",
    "red",
)
STYLES = ("fg=red", "bg=#ff0000", "bold", "default", "fg=#DDDDDD#,bold", "range=user|x", "align=left")


HARMLESS = (
    *sorted(name for name, group in BY_NAME.items() if group.kind is not Kind.POWERFUL),
    *("status-format[0]", "status-format[3]", "pane-colours[7]", "@mine", "@plain"),
)
OTHERS = (
    *sorted(name for name, group in BY_NAME.items() if group.kind is Kind.POWERFUL),
    *(*HOOKS, "@muxpilot", "@muxpilot_terminal", "@"),
)


class Maker:
    """Everything comes from one `Random`, so a seed says which it was."""

    def __init__(self, random: Random, canary: str) -> None:
        self._random = random
        self._hostile = [piece.replace("{canary}", canary) for piece in HOSTILE]

    def format(self, *, styles: bool = False) -> str:
        """Of the grammar, or broken, or nothing but hostile pieces."""
        kind = self._random.random()
        if kind < 0.4:
            return self._sequence(self._random.randint(0, 5), inner=False, styles=styles)
        if kind < 0.85:
            return self._broken(self._sequence(self._random.randint(0, 4), inner=False, styles=styles))
        return "".join(self._random.choices(self._hostile, k=self._random.randint(1, 6)))

    def option(self) -> str:
        """A name of tmux's, of the user's, of ours; or one of these with a slip."""
        name = self._random.choice(HARMLESS if self._random.random() < 0.8 else OTHERS)
        kind = self._random.random()
        if kind < 0.6:
            return name
        if kind < 0.75:
            return name[: self._random.randint(1, len(name))]
        index = self._random.choice(["0", "1", "00", "-1", "3 ", "\u0663", "99999", "", "0]["])
        return self._random.choice(
            [f"{name}[{index}]", name.upper(), f"{name}\n", f" {name}", f"-g {name}", f"{name}x"]
        )

    def value(self, option: str) -> str:
        group = BY_NAME.get(option.partition("[")[0])
        kind = self._random.random()
        if kind < 0.3 and group is not None and group.kind is Kind.PLAIN:
            return self._random.choice(
                ["on", "off", "5", "80x24", "red", "#ff0000", "top", "50%", "9" * 12, "emacs"]
            )
        if kind < 0.6 and group is not None and group.kind is Kind.STYLE:
            return self._broken(",".join(self._random.choices(STYLES, k=2)))
        return self.format(styles=True)

    def _sequence(self, depth: int, *, inner: bool, styles: bool) -> str:
        return "".join(self._part(depth, inner, styles) for _ in range(self._random.randint(0, 3)))

    def _part(self, depth: int, inner: bool, styles: bool) -> str:
        kind = self._random.random()
        if kind < 0.25:
            return self._random.choice(WORDS)
        if kind < 0.35:
            return self._random.choice(["##", "#,", "#}", *(f"#{letter}" for letter in ALIASES)])
        if kind < 0.4 and styles:
            style = self._random.choice(STYLES)
            return f"#[{style if not inner else style.replace(',', '#,').replace('##,', '#,')}]"
        if kind < 0.6 or depth == 0:
            return f"#{{{self._random.choice(VARIABLES)}}}"
        left, right = (self._sequence(depth - 1, inner=True, styles=styles) for _ in range(2))
        if kind < 0.8:
            test = self._random.choice([self._random.choice(VARIABLES), self._compared(depth - 1, styles)])
            return f"#{{?{test},{left},{right}}}"
        return f"#{{{self._random.choice(OPERATORS)}:{left},{right}}}"

    def _compared(self, depth: int, styles: bool) -> str:
        side = self._sequence(max(depth, 0), inner=True, styles=styles)
        return f"#{{{self._random.choice(OPERATORS)}:{side},{self._random.choice(WORDS[:6])}}}"

    def _broken(self, text: str) -> str:
        """With a hostile piece in it, a piece gone, a piece twice, or two pieces swapped."""
        place, length = self._random.randint(0, len(text)), self._random.randint(0, 6)
        kind = self._random.randrange(4)
        if kind == 0:
            return text[:place] + self._random.choice(self._hostile) + text[place:]
        if kind == 1:
            return text[:place] + text[place + length :]
        if kind == 2:
            return text[: place + length] + text[place:]
        return text[place:] + text[:place]
