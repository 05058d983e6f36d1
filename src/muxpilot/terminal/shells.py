"""How each shell is spoken to: hooks for terminals of our own, and one sourced line anywhere else.

Rules it keeps:
- Only this module knows what differs from shell to shell; the texts are in `hooks/`.
- A sourced line erases itself, shows the command as if it had been typed, and runs it between two marks. By
  then nothing of ours is in the shell any more, so that an interrupt leaves nothing either; in the history
  is the command, and not our line where the shell can forget one.
- A sensitive command is always sourced, from a file that the shell itself removes before it runs it. So
  neither the screen nor the shell's history has more of it than our line.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from muxpilot.terminal.front import ASH, BASH, DASH, FISH, KSH, MKSH, ZSH
from muxpilot.terminal.hidden import TOLD
from muxpilot.terminal.marks import Mark
from muxpilot.terminal.private import write_private

LOAD, ACCEPT = "\x1b[7777~", "\x1b[7778~"
"""Keys that hooks are bound to. No keyboard has them."""

HIDE, SHOW = b"\x1b[8m", "\x1b[28m"
"""What is written between these takes room and can't be seen."""

LOADED = frozenset({BASH, ZSH, FISH})
"""Shells whose hooks load a command into the line editor; into the others it is typed."""
BY_ENVIRONMENT = frozenset({ZSH, DASH, ASH, KSH, MKSH})
"""Shells that read their hooks by themselves when they start; the others are told to, by a typed line."""

LONGEST_TYPED = 400
LONGEST_SHOWN = 4000
_NO_ROOM = {ASH: (r"\[", r"\]"), MKSH: ("\x01\r\x01", "\x01")}
"""How a prompt says that something in it takes no room on the screen."""
SCROLLING = frozenset({MKSH})
"""Shells that scroll a long line sideways, and the prompt with it."""
_NAME = re.compile(r"@([A-Z]+)@")
_TYPABLE = re.compile(r"[ -~]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def load_keys(shell: str) -> str:
    return LOAD + ACCEPT if shell == BASH else LOAD


def is_typable(command: str) -> bool:
    """Whether it can be typed as one line into any line editor, as it is."""
    return len(command) <= LONGEST_TYPED and _TYPABLE.fullmatch(command) is not None


def hooks(shell: str, nonce: str, folder: Path, own_env: str | None) -> str:
    """What a shell of our own reads once."""
    name = {BASH: "bash.sh", ZSH: "zsh.sh", FISH: "fish.fish"}.get(shell, "posix.sh")
    text = (resources.files("muxpilot.terminal") / "hooks" / name).read_text("utf-8")
    prompt = "# " if os.geteuid() == 0 else "$ "
    command = quoted(shell, str(folder / "command"))
    begin, end = _NO_ROOM.get(shell, ("", ""))
    values = {"NONCE": nonce, "COMMAND": command, "PROMPT": prompt, "BEGIN": begin, "END": end}
    return _filled(text, **values, ENV=_own_start(shell, own_env))


def environment(shell: str, folder: Path) -> dict[str, str]:
    """Variables with which a shell finds its hooks when it starts; `write_start` puts them there."""
    if shell == ZSH:
        return {"ZDOTDIR": str(folder)}
    return {"ENV": str(folder / "hooks")} if shell in BY_ENVIRONMENT else {}


def write_start(shell: str, nonce: str, folder: Path, own: Mapping[str, str]) -> None:
    """The files that `environment` names, or that `hook_line` sources; `own`: what those variables were."""
    write_private(folder / "hooks", hooks(shell, nonce, folder, own.get("ENV")))
    if shell == ZSH:
        back = f"ZDOTDIR={shlex.quote(own['ZDOTDIR'])}" if own.get("ZDOTDIR") else "unset ZDOTDIR"
        write_private(
            folder / ".zshenv", _filled(_ZSHENV, BACK=back, HOOKS=shlex.quote(str(folder / "hooks")))
        )


def hook_line(shell: str, folder: Path) -> str:
    """Typed once into a fresh terminal of our own."""
    return f" . {quoted(shell, str(folder / 'hooks'))}"


def source_line(shell: str, folder: Path) -> str:
    """Typed, it runs what `write_script` wrote."""
    return f" {'source' if shell == FISH else '.'} {quoted(shell, str(folder / 'run'))}"


def hidden_line(shell: str, folder: Path) -> str:
    """Loaded by hooks, it runs what `write_hidden` wrote. The space keeps it out of most histories."""
    return f"{source_line(shell, folder)} # {TOLD}"


def write_hidden(shell: str, command: str, folder: Path) -> None:
    """For `hidden_line`: the hooks write the marks."""
    script = _filled(
        _HIDDEN_FISH if shell == FISH else _HIDDEN,
        HISTORY=_FORGET_LINE.get(shell, ":"),
        TYPED=shlex.quote(hidden_line(shell, folder).strip()),
        FILE=quoted(shell, str(folder / "run")),
        EVAL="builtin eval" if shell == ZSH else "command eval",
        COMMAND=quoted(shell, command),
    )
    write_private(folder / "run", script)


def write_script(
    shell: str,
    command: str,
    nonce: str,
    folder: Path,
    *,
    column: int,
    rows: int,
    height: int,
    prompt: str,
    hidden: bool = False,
) -> None:
    """For `source_line`, typed behind `prompt` at `column`, and now `rows` further down than it began."""
    again = f"\r{_visible(prompt.ljust(column))}\x1b[{column + 1}G" if shell in SCROLLING else ""
    text = TOLD if hidden else command
    shown = f"{_erased(column, min(rows, height))}{again}{_shown(text)}{_mark('C', nonce, 1)}"
    remember = "history append -- @COMMAND@ 2>/dev/null" if shell == FISH else _HISTORY.get(shell, ":")
    script = _filled(
        _FISH_SCRIPT if shell == FISH else _SCRIPT,
        HISTORY=_FORGET_LINE.get(shell, ":") if hidden else remember,
        REMOVE=f"command rm -f -- {quoted(shell, str(folder / 'run'))}" if hidden else ":",
        TYPED=shlex.quote(source_line(shell, folder).strip()),
        PUT="print -rn --" if shell in {KSH, MKSH} else "printf %s",
        EVAL="builtin eval" if shell == ZSH else "command eval",
        NONCE=nonce,
        SHOWN=quoted(shell, shown),
        COMMAND=quoted(shell, command),
    )
    write_private(folder / "run", script)


_ZSHENV = """\
@BACK@
[[ -r ${ZDOTDIR:-$HOME}/.zshenv ]] && source "${ZDOTDIR:-$HOME}/.zshenv"
__muxpilot_start() {
    precmd_functions=(${precmd_functions:#__muxpilot_start})
    source @HOOKS@
    unfunction __muxpilot_start
    __muxpilot_precmd
}
precmd_functions+=(__muxpilot_start)
"""
_SCRIPT = """\
__muxpilot_s=$?
{ @REMOVE@; @HISTORY@; @PUT@ @SHOWN@ >/dev/tty; __muxpilot_s=${__muxpilot_s#0}; } 2>/dev/null
@EVAL@ "unset __muxpilot_s; ${__muxpilot_s:+(exit $__muxpilot_s); }"@COMMAND@
{ return "$(s=$?; @PUT@ "@ESC@]133;D;$s;@NONCE@;2@BEL@" >/dev/tty; echo $s)"; } 2>/dev/null
"""
_FISH_SCRIPT = """\
begin
    set -l __muxpilot_s $status
    @REMOVE@
    printf %s @SHOWN@ >/dev/tty
    @HISTORY@
    function __muxpilot_r; functions -e __muxpilot_r; return $argv; end
    __muxpilot_r $__muxpilot_s
    eval @COMMAND@
    set __muxpilot_s $status
    printf '\\e]133;D;%s;@NONCE@;2\\a' $__muxpilot_s >/dev/tty
    return $__muxpilot_s
end
"""
_HIDDEN = """\
__muxpilot_s=$?
{ command rm -f -- @FILE@; @HISTORY@; __muxpilot_s=${__muxpilot_s#0}; } 2>/dev/null
@EVAL@ "unset __muxpilot_s; ${__muxpilot_s:+(exit $__muxpilot_s); }"@COMMAND@
"""
_HIDDEN_FISH = """\
begin
    set -l __muxpilot_s $status
    command rm -f -- @FILE@ 2>/dev/null
    function __muxpilot_r; functions -e __muxpilot_r; return $argv; end
    __muxpilot_r $__muxpilot_s
    eval @COMMAND@
end
"""
_FORGET_LINE = {BASH: "[[ $(HISTTIMEFORMAT= builtin history 1) == *@TYPED@ ]] && builtin history -d -1"}
_HISTORY = {
    BASH: f"{_FORGET_LINE[BASH]}; builtin history -s -- @COMMAND@",
    ZSH: "print -sr -- @COMMAND@",
    KSH: "print -sr -- @COMMAND@",
    MKSH: "print -sr -- @COMMAND@",
}


def _filled(text: str, **values: str) -> str:
    """Each name once, and none in what was filled in."""
    values |= {"ESC": "\x1b", "BEL": "\x07"}
    text = text.replace("@HISTORY@", values.get("HISTORY", ""))
    return _NAME.sub(lambda found: values[found[1]], text)


def quoted(shell: str, text: str) -> str:
    """As one word of this shell's. In fish a backslash means something between quotes too."""
    if shell != FISH:
        return shlex.quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _own_start(shell: str, own_env: str | None) -> str:
    """The user's own start file, which ours stands in for."""
    own = own_env or {MKSH: "$HOME/.mkshrc", KSH: "$HOME/.kshrc"}.get(shell)
    back = f"ENV={shlex.quote(own_env)}; export ENV\n" if own_env else ""
    return f'{back}[ -r "{own}" ] && . "{own}"' if own else ""


def _erased(column: int, rows: int) -> str:
    """From the beginning of the line below what was typed: go back to where that began, wiping it out."""
    up = "\x1b[A\x1b[2K" * rows
    return f"{SHOW}\r{up}\x1b[A\x1b[{column + 1}G\x1b[K"


def _shown(command: str) -> str:
    """As a terminal would echo it; it must not be able to do anything there."""
    text = command if len(command) <= LONGEST_SHOWN else f"{command[:LONGEST_SHOWN]}..."
    return _visible(text) + "\n"


def _visible(text: str) -> str:
    return _CONTROL.sub(lambda found: f"^{chr(ord(found[0]) ^ 64)}", text)


def _mark(kind: str, nonce: str, count: int) -> str:
    return Mark(kind, None, nonce, count).encode().decode()
