from __future__ import annotations

from pathlib import Path

import pytest

from muxpilot.config import Settings, Tier
from muxpilot.errors import BadInput


def test_without_variables_the_defaults_hold() -> None:
    assert Settings.from_environ({}) == Settings()


def test_each_variable_is_read() -> None:
    environ = {
        "MUXPILOT_SOCKET": "work",
        "MUXPILOT_TMUX_BIN": "/opt/tmux",
        "MUXPILOT_TMUX_CONFIG": "/dev/null",
        "MUXPILOT_SAFETY": "readonly",
        "MUXPILOT_TIMEOUT": "2.5",
        "MUXPILOT_LOG_LEVEL": "debug",
        "MUXPILOT_AUDIT_LOG": "/var/log/audit",
        "MUXPILOT_TOOLSETS": "core, Panes,core",
        "MUXPILOT_EXCLUDE_TOOLS": "pipe_pane",
        "MUXPILOT_PROMPTS_AS_TOOLS": "1",
    }
    assert Settings.from_environ(environ) == Settings(
        *("work", "/opt/tmux", "/dev/null", Tier.READONLY, 2.5, "DEBUG"),
        *("/var/log/audit", ("core", "panes"), ("pipe_pane",), True),
    )


def test_libtmux_variables_count_where_ours_are_not_set() -> None:
    environ = {"LIBTMUX_SOCKET": "theirs", "LIBTMUX_SAFETY": "destructive", "MUXPILOT_SAFETY": "readonly"}
    settings = Settings.from_environ(environ)
    assert (settings.server, settings.tier) == ("theirs", Tier.READONLY)


@pytest.mark.parametrize(
    ("name", "meant"), [("MUXPILOT_SAFTEY", "MUXPILOT_SAFETY"), ("MUXPILOT_TOOLSET", "MUXPILOT_TOOLSETS")]
)
def test_a_misspelled_setting_stops_the_start(name: str, meant: str) -> None:
    with pytest.raises(BadInput, match=rf"no setting {name}\. Did you mean {meant}\?"):
        Settings.from_environ({name: "readonly"})


def test_a_socket_path_counts_before_a_name() -> None:
    assert (
        Settings.from_environ({"MUXPILOT_SOCKET": "a", "MUXPILOT_SOCKET_PATH": "/run/b"}).server == "/run/b"
    )


def test_our_socket_name_counts_before_their_socket_path() -> None:
    assert Settings.from_environ({"MUXPILOT_SOCKET": "a", "LIBTMUX_SOCKET_PATH": "/run/b"}).server == "a"


def test_inside_tmux_the_server_around_us_is_the_default() -> None:
    assert Settings.from_environ({"TMUX": "/tmp/tmux-1/work,123,0"}).server == "/tmp/tmux-1/work"
    assert Settings.from_environ({"TMUX": "/tmp/tmux-1/work,123,0", "MUXPILOT_SOCKET": "x"}).server == "x"


@pytest.mark.parametrize(
    ("around", "socket", "pid"),
    [
        ("/tmp/work,123,0", "/tmp/work", 123),
        ("/tmp/a,b,123,0", "/tmp/a,b", 123),
        ("/tmp/work,x,0", "/tmp/work", None),
        ("/tmp/work", "/tmp/work", None),
        ("work,123,0", None, 123),
        ("", None, None),
    ],
)
def test_the_server_around_us_is_known_by_its_socket_and_process(
    around: str, socket: str | None, pid: int | None
) -> None:
    settings = Settings.from_environ({"TMUX": around, "TMUX_PANE": "%3"})
    assert (settings.caller_socket, settings.caller_server_pid) == (socket, pid)
    assert settings.caller_pane == "%3"


def test_typing_into_our_own_pane_is_a_setting() -> None:
    assert Settings.from_environ({}).type_in_own_pane is False
    assert Settings.from_environ({"MUXPILOT_TYPE_IN_OWN_PANE": "1"}).type_in_own_pane is True
    with pytest.raises(BadInput, match="MUXPILOT_TYPE_IN_OWN_PANE is 'maybe'"):
        Settings.from_environ({"MUXPILOT_TYPE_IN_OWN_PANE": "maybe"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SAFETY", "none"),
        ("SAFETY", "read-only"),
        ("TIMEOUT", "soon"),
        ("TIMEOUT", "0"),
        ("TIMEOUT", "nan"),
        ("LOG_LEVEL", "x"),
        ("AUDIT_LOG", "audit.log"),
        ("AUDIT_LOG", "1"),
        ("PROMPTS_AS_TOOLS", "maybe"),
    ],
)
def test_a_value_that_means_nothing_is_refused_not_ignored(name: str, value: str) -> None:
    with pytest.raises(BadInput, match=f"MUXPILOT_{name} is '{value}'. It must be"):
        Settings.from_environ({f"MUXPILOT_{name}": value})


@pytest.mark.parametrize(
    ("environ", "toolsets"),
    [
        ({"LIBTMUX_TOOLSETS": "inspect,manage"}, ("inspect", "manage")),
        ({"LIBTMUX_TOOLSETS": "inspect", "LIBTMUX_TOOLS": "send_keys"}, ("inspect", "send_keys")),
        ({"LIBTMUX_TOOLSETS": "inspect", "MUXPILOT_TOOLSETS": "core"}, ("core",)),
        ({"LIBTMUX_TOOLSETS": ""}, ("none",)),
        ({"LIBTMUX_TOOLS": "send_keys"}, ("full",)),
        ({"MUXPILOT_TOOLSETS": ""}, ("full",)),
        ({"MUXPILOT_TOOLSETS": ","}, ("none",)),
    ],
)
def test_toolsets_never_hold_more_than_was_asked_for(
    environ: dict[str, str], toolsets: tuple[str, ...]
) -> None:
    assert Settings.from_environ(environ).toolsets == toolsets


def test_both_of_the_other_servers_names_turn_prompts_into_tools() -> None:
    for name in ("LIBTMUX_PROMPTS_AS_TOOLS", "LIBTMUX_MCP_PROMPTS_AS_TOOLS"):
        assert Settings.from_environ({name: "true"}).prompts_as_tools
        assert not Settings.from_environ({name: "1", "MUXPILOT_PROMPTS_AS_TOOLS": "off"}).prompts_as_tools


def test_an_audit_log_may_be_stderr_or_lie_at_home() -> None:
    assert Settings.from_environ({"LIBTMUX_AUDIT_LOG": "stderr"}).audit_log == "stderr"
    assert Settings.from_environ({"MUXPILOT_AUDIT_LOG": "~/log"}).audit_log == str(Path.home() / "log")
