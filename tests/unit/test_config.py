from __future__ import annotations

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
    }
    assert Settings.from_environ(environ) == Settings(
        "work", "/opt/tmux", "/dev/null", Tier.READONLY, 2.5, "DEBUG"
    )


def test_libtmux_variables_count_where_ours_are_not_set() -> None:
    environ = {"LIBTMUX_SOCKET": "theirs", "LIBTMUX_SAFETY": "destructive", "MUXPILOT_SAFETY": "readonly"}
    settings = Settings.from_environ(environ)
    assert (settings.server, settings.tier) == ("theirs", Tier.READONLY)


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
    ("name", "value"),
    [
        ("SAFETY", "none"),
        ("SAFETY", "read-only"),
        ("TIMEOUT", "soon"),
        ("TIMEOUT", "0"),
        ("TIMEOUT", "nan"),
        ("LOG_LEVEL", "x"),
    ],
)
def test_a_value_that_means_nothing_is_refused_not_ignored(name: str, value: str) -> None:
    with pytest.raises(BadInput, match=f"MUXPILOT_{name} is '{value}'. It must be"):
        Settings.from_environ({f"MUXPILOT_{name}": value})
