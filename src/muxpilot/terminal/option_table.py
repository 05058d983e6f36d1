"""What each of tmux's options can do, decided one by one from tmux's source (3.2 to 3.7).

Options outside of this table, those of a newer tmux, are taken for powerful.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How the value of an option is used."""

    PLAIN = "plain"
    """It is compared or shown, never expanded."""
    FORMAT = "format"
    """tmux expands it as a format."""
    STYLE = "style"
    """A style, which tmux expands as a format too."""
    POWERFUL = "powerful"
    """It can run commands, end things, or reach people's keys and terminals."""


@dataclass(frozen=True, slots=True)
class Group:
    kind: Kind
    reason: str
    """Why these have this kind. Of the powerful ones it ends a sentence that begins with their name."""
    names: frozenset[str]


def _group(kind: Kind, reason: str, names: str) -> Group:
    return Group(kind, reason, frozenset(names.split()))


GROUPS = (
    _group(
        Kind.PLAIN,
        "Numbers: lengths, times and first indexes. tmux clamps them, and they hold until they are set again",
        """assume-paste-time base-index display-panes-time display-time escape-time history-limit
        initial-repeat-time monitor-silence pane-base-index pane-scrollbars-timeout prefix-timeout
        repeat-time status-interval status-left-length status-right-length tiled-layout-max-columns""",
    ),
    _group(
        Kind.PLAIN,
        "Switches and choices of how things look and behave. tmux takes only the words that it lists",
        """activity-action aggressive-resize allow-rename allow-set-title alternate-screen automatic-rename
        bell-action clock-mode-style copy-mode-line-numbers cursor-style detach-on-destroy extended-keys
        extended-keys-format focus-events focus-follows-mouse menu-border-lines message-line mode-keys
        monitor-activity monitor-bell mouse pane-border-indicators pane-border-lines pane-border-status
        pane-scrollbars pane-scrollbars-position popup-border-lines prompt-command-cursor-style
        prompt-cursor-style remain-on-exit renumber-windows scroll-on-clear set-titles silence-action status
        status-justify status-keys status-position theme variation-selector-always-wide visual-activity
        visual-bell visual-silence window-size wrap-search xterm-keys""",
    ),
    _group(
        Kind.PLAIN,
        "Colours",
        """clock-mode-colour cursor-colour display-panes-active-colour display-panes-colour pane-colours
        prompt-command-cursor-colour prompt-cursor-colour status-bg status-fg""",
    ),
    _group(
        Kind.PLAIN,
        "Short words that tmux parses itself: sizes, separators, the name of a terminal type",
        """default-size default-terminal fill-character main-pane-height main-pane-width other-pane-height
        other-pane-width word-separators""",
    ),
    _group(
        Kind.FORMAT,
        "Text of status lines, borders, titles and messages",
        """automatic-rename-format copy-mode-position-format display-panes-format message-format
        pane-border-format remain-on-exit-format set-titles-string status-format status-left status-right
        tree-mode-preview-format window-pane-current-status-format window-pane-status-format
        window-status-current-format window-status-format window-status-separator""",
    ),
    _group(
        Kind.STYLE,
        "Styles, which tmux expands when it draws",
        """copy-mode-current-line-number-style copy-mode-current-line-style copy-mode-current-match-style
        copy-mode-line-number-style copy-mode-mark-style copy-mode-match-style copy-mode-position-style
        copy-mode-selection-style display-panes-border-style menu-border-style menu-selected-style menu-style
        message-command-style message-style mode-style pane-active-border-style pane-border-style
        pane-status-current-style pane-status-style popup-border-style popup-style
        session-status-current-style session-status-style status-left-style status-right-style status-style
        switch-mode-match-style tree-mode-border-style tree-mode-preview-style tree-mode-selection-style
        window-active-style window-status-activity-style window-status-bell-style
        window-status-current-style window-status-last-style window-status-style window-style""",
    ),
    _group(
        Kind.STYLE,
        "Colours of a theme, which tmux expands",
        " ".join(
            f"{theme}-theme-{colour}"
            for theme in ("dark", "light")
            for colour in (
                *("black", "blue", "cyan", "dark-grey", "green"),
                *("light-grey", "magenta", "red", "white", "yellow"),
            )
        ),
    ),
    _group(
        Kind.POWERFUL,
        "runs commands",
        """command-alias copy-command default-client-command default-command default-shell editor
        lock-after-time lock-command""",
    ),
    _group(Kind.POWERFUL, "ends sessions or the server", "destroy-unattached exit-empty exit-unattached"),
    _group(
        Kind.POWERFUL,
        "throws away what tmux keeps",
        "buffer-limit message-limit prompt-history-limit",
    ),
    _group(Kind.POWERFUL, "writes to a file", "history-file"),
    _group(Kind.POWERFUL, "decides what new programs get from people's environments", "update-environment"),
    _group(
        Kind.POWERFUL,
        "changes what people's keys do",
        "backspace key-table prefix prefix2 user-keys",
    ),
    _group(Kind.POWERFUL, "types into panes that nobody named", "synchronize-panes"),
    _group(
        Kind.POWERFUL,
        "lets programs reach people's terminals and clipboards",
        "allow-passthrough get-clipboard set-clipboard terminal-features terminal-overrides",
    ),
    _group(
        Kind.POWERFUL,
        "takes numbers without a limit that is safe",
        "codepoint-widths input-buffer-size pane-scrollbars-style",
    ),
)

BY_NAME = {name: group for group in GROUPS for name in group.names}
UNKNOWN = _group(Kind.POWERFUL, "is not among those known to be harmless", "")

ARRAYS = frozenset({"pane-colours", "status-format"})
"""Set one element at a time below the destructive tier: tmux splits a whole value at its commas."""

HOOKS = (
    *("after-", "alert-", "command-error", "marked-pane-changed"),
    *("client-active", "client-attached", "client-closed", "client-created", "client-dark-theme"),
    *("client-detached", "client-focus-in", "client-focus-out", "client-light-theme", "client-resized"),
    "client-session-changed",
    *("pane-activity", "pane-bell", "pane-command-finished", "pane-command-started", "pane-created"),
    *("pane-died", "pane-exited", "pane-focus-in", "pane-focus-out", "pane-mode-changed"),
    *("pane-mode-entered", "pane-mode-exited", "pane-moved", "pane-prompt-closed", "pane-prompt-opened"),
    *("pane-resized", "pane-set-clipboard", "pane-shell-prompt", "pane-title-changed"),
    *("session-added-to-group", "session-changed", "session-closed", "session-created"),
    *("session-removed-from-group", "session-renamed", "session-window-changed"),
    *("window-closed", "window-created", "window-layout-changed", "window-linked", "window-pane-changed"),
    *("window-renamed", "window-resized", "window-unlinked", "window-unzoomed", "window-zoomed"),
)


def base_name(option: str) -> str:
    """Without the index of an array's element."""
    return option.partition("[")[0]


def is_hook(name: str) -> bool:
    """Whether it is one that is known, or begins like those that tmux has for each command and alert."""
    return name in HOOKS or name.startswith(("after-", "alert-"))


def could_be_hook(name: str) -> bool:
    """Whether tmux could take it for one: it takes the beginning of a name, too."""
    return is_hook(name) or (name not in BY_NAME and any(hook.startswith(name) for hook in HOOKS))


def can_end_sessions(option: str) -> bool:
    """Whether setting it can end a session that nobody is attached to, such as the one muxpilot runs in."""
    return base_name(option) in {"destroy-unattached", "exit-unattached"}
