"""Every client: its file made, joined, replaced, cleared, shown and refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from muxpilot.cli.install.clients import CLIENTS
from muxpilot.cli.install.places import folders
from tests.cli.homes import COMMAND, FILES, Home

ENTRIES = {client: {"command": COMMAND, "args": []} for client in FILES} | {
    "claude-code": {"type": "stdio", "command": COMMAND, "args": []},
    "vscode": {"type": "stdio", "command": COMMAND, "args": []},
    "opencode": {"type": "local", "command": [COMMAND]},
}
COMMENTED = '{\n\t// mine\n\t"servers": {\n\t\t"other": {"command": "x"}, // keep\n\t},\n\t"z": [1, 2,],\n}\n'
OTHERS = {client: COMMENTED.replace("servers", CLIENTS[client].servers[-1][0]) for client in FILES} | {
    "codex": 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "x"\n\n# keep\n[z]\nlist = [ 1, 2 ]\n'
}
BROKEN = dict.fromkeys(FILES, '{\n  "a": 1,\n  "b" 2\n}\n') | {"codex": 'a = 1\n\nb = "x\n'}
EVERY = pytest.mark.parametrize("client", FILES)


def test_the_table_and_these_tests_know_the_same_clients() -> None:
    assert [*FILES] == [*CLIENTS]


@EVERY
def test_a_missing_file_is_made_with_its_folders(home: Home, client: str) -> None:
    told = home.install(client, "--command", COMMAND)
    assert home.entry(client) == ENTRIES[client]
    assert f"Installed muxpilot in {home.file(client)}" in told
    assert f"restart {CLIENTS[client].title}" in told
    assert not home.backups()


@EVERY
def test_in_a_file_with_other_things_all_of_them_stay(home: Home, client: str) -> None:
    file = home.write(client, OTHERS[client])
    told = home.install(client, "--command", COMMAND)
    backup = file.with_name(file.name + ".muxpilot-backup")
    assert backup.read_text() == OTHERS[client]
    assert f"Backup: {backup}" in told
    kept = iter(file.read_text().splitlines())
    assert all(line in kept for line in OTHERS[client].splitlines()), file.read_text()


@EVERY
def test_removing_gives_back_the_file_as_it_was(home: Home, client: str) -> None:
    file = home.write(client, OTHERS[client])
    home.install(client)
    told = home.install(client, "--remove")
    assert file.read_text() == OTHERS[client]
    assert f"Removed muxpilot from {file}" in told
    assert home.backups() == [f"{file.name}.muxpilot-backup", f"{file.name}.muxpilot-backup-2"]


@EVERY
def test_installing_again_changes_nothing(home: Home, client: str) -> None:
    home.write(client, OTHERS[client])
    home.install(client)
    before = home.file(client).stat()
    assert "Already installed" in home.install(client)
    after = home.file(client).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert len(home.backups()) == 1


@EVERY
def test_another_entry_of_that_name_is_replaced_but_its_settings_stay(home: Home, client: str) -> None:
    env = CLIENTS[client].shape.env
    home.install(client, "--command", "/old", "--env", "A=1", "--env", "B=2")
    told = home.install(client, "--command", COMMAND, "--env", "B=3")
    assert home.entry(client) == {**ENTRIES[client], env: {"A": "1", "B": "3"}}
    assert "Replaced muxpilot" in told
    told = home.install(client, "--command", "/new")
    assert f"Kept what was set there: {env}\n" in told


@EVERY
def test_print_shows_what_install_would_write_and_changes_nothing(home: Home, client: str) -> None:
    told = home.install(client, "--command", COMMAND, "--env", "A=1", "--print")
    assert not [*home.path.iterdir()]
    head, _, snippet = told.partition("\n\n")
    assert head == f"In {home.file(client)}:"
    home.install(client, "--command", COMMAND, "--env", "A=1")
    assert home.file(client).read_text() == snippet


@EVERY
def test_print_shows_the_settings_that_would_be_kept(home: Home, client: str) -> None:
    home.install(client, "--env", "A=kept")
    assert "kept" in home.install(client, "--print")


@EVERY
def test_a_broken_file_is_left_alone_and_the_place_is_told(home: Home, client: str) -> None:
    file = home.write(client, BROKEN[client])
    for action in ([], ["--remove"]):
        told = home.install(client, *action, status=1)
        assert f"{file}, line 3, column " in told
        assert "--print" in told
    assert file.read_text() == BROKEN[client]
    assert [*file.parent.iterdir()] == [file]


@EVERY
def test_print_works_for_a_broken_file_too(home: Home, client: str) -> None:
    home.write(client, BROKEN[client])
    assert COMMAND in home.install(client, "--command", COMMAND, "--print")


@EVERY
def test_a_link_stays_a_link_and_its_target_is_changed(home: Home, client: str) -> None:
    target = home.path / "dotfiles" / "config"
    target.parent.mkdir()
    target.write_text(OTHERS[client])
    file = home.file(client)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.symlink_to(target)
    home.install(client)
    assert file.is_symlink()
    assert "muxpilot" in target.read_text()
    assert home.backups() == [f"{file.name}.muxpilot-backup"]
    assert (file.parent / home.backups()[0]).read_text() == OTHERS[client]


@EVERY
def test_servers_that_are_no_object_are_refused(home: Home, client: str) -> None:
    key = CLIENTS[client].servers[-1][0]
    text = f"a = 1\n{key} = 3\n" if client == "codex" else f'{{\n  "{key}": []\n}}\n'
    file = home.write(client, text)
    assert re.search(r"line 2, column \d+: .* must be a", home.install(client, status=1))
    assert file.read_text() == text


@EVERY
def test_an_empty_file_is_like_none(home: Home, client: str) -> None:
    home.write(client, "")
    home.install(client, "--command", COMMAND)
    assert home.entry(client) == ENTRIES[client]


def test_an_edit_that_would_say_something_else_is_not_saved(home: Home) -> None:
    text = 'note = """\n[mcp_servers.muxpilot]\nx\n"""\n\n[mcp_servers.muxpilot]\ncommand = "m"\n'
    file = home.write("codex", text)
    assert "can't be edited safely" in home.install("codex", "--remove", status=1)
    assert file.read_text() == text
    assert not home.backups()


def test_removing_what_is_not_there_is_no_error(home: Home) -> None:
    assert "Not installed" in home.install("zed", "--remove")
    assert not [*home.path.iterdir()]


def test_another_name_is_another_entry(home: Home) -> None:
    home.install("cursor")
    home.install("cursor", "--name", "mux-2", "--command", COMMAND)
    assert home.entry("cursor", "mux-2") == ENTRIES["cursor"]
    home.install("cursor", "--name", "mux-2", "--remove")
    assert home.entry("cursor")


def test_another_file_can_be_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.path)
    home.install("vscode", "--config", ".vscode/mcp.json")
    assert [*home.path.iterdir()] == [home.path / ".vscode"]


def test_settings_that_a_person_added_to_the_entry_stay_with_their_comments(home: Home) -> None:
    entry = '{\n    "command": "/old", // why\n    "args": [],\n    "excludeTools": ["kill_pane"]\n  }'
    text = f'{{"mcpServers": {{\n  "muxpilot": {entry}\n}}}}\n'
    file = home.write("gemini", text)
    told = home.install("gemini", "--command", COMMAND)
    assert "Kept what was set there: excludeTools" in told
    assert file.read_text() == text.replace("/old", COMMAND)


def test_an_entry_with_an_address_is_replaced_as_a_whole(home: Home) -> None:
    home.write("cursor", '{"mcpServers": {"muxpilot": {"url": "http://x", "env": {"A": "1"}}}}')
    home.install("cursor", "--command", COMMAND)
    assert home.entry("cursor") == {**ENTRIES["cursor"], "env": {"A": "1"}}


def test_the_list_tells_where_muxpilot_is(home: Home) -> None:
    home.install("zed")
    home.write("gemini", "{}")
    home.write("codex", "[")
    rows = [line.split(None, 1) for line in home.install().splitlines()]
    assert [row[0] for row in rows[1:]] == [*CLIENTS]
    told = dict(rows)
    assert told["zed"] == f"yes         {home.file('zed')}"
    assert told["gemini"].startswith("no   ")
    assert told["codex"].startswith("unreadable")
    assert told["cursor"].startswith("no file")
    assert home.install("--list") == home.install()


@pytest.mark.parametrize(
    "arguments",
    [
        ["zed", "--env", "A"],
        ["zed", "--env", "=1"],
        ["zed", "--env", "A B=1"],
        ["zed", "--env", "MUXPILOT_SAFETY=none"],
        ["zed", "--env", "A=\udcff"],
        ["zed", "--name", ""],
        ["zed", "--name", "a.b"],
        ["--remove"],
        ["--print"],
        ["--config", "x"],
    ],
    ids=str,
)
def test_what_makes_no_sense_is_a_usage_error(home: Home, arguments: list[str]) -> None:
    assert home.install(*arguments, status=2).startswith("muxpilot: ")
    assert not [*home.path.iterdir()]


def test_the_newer_file_of_windsurf_counts_where_there_is_one(home: Home) -> None:
    newer = home.path / ".config/devin/mcp_config.json"
    newer.parent.mkdir(parents=True)
    newer.write_text("{}")
    home.install("windsurf")
    assert "muxpilot" in newer.read_text()
    assert not home.file("windsurf").exists()


def test_opencode_with_comments_is_changed_where_it_is(home: Home) -> None:
    commented = home.write("opencode", "{}").with_suffix(".jsonc")
    commented.write_text("{ /* here */ }")
    home.install("opencode")
    assert "muxpilot" in commented.read_text()
    assert home.file("opencode").read_text() == "{}"


def test_opencode_2_servers_are_joined_where_they_are(home: Home) -> None:
    text = '{"mcp": {"servers": {"x": {"type": "local", "command": ["x"]}}}}'
    file = home.write("opencode", text)
    home.install("opencode", "--command", COMMAND)
    ours = ', "muxpilot": {"type": "local", "command": ["/opt/muxpilot"]}'
    assert file.read_text() == f"{text[:-3]}{ours}{text[-3:]}"
    home.install("opencode", "--remove")
    assert file.read_text() == text


def test_an_opencode_1_server_called_servers_is_not_taken_for_a_list(home: Home) -> None:
    home.write("opencode", '{"mcp": {"servers": {"type": "local", "command": ["x"]}}}')
    home.install("opencode", "--command", COMMAND)
    assert home.entry("opencode") == ENTRIES["opencode"]


@pytest.mark.parametrize(
    ("client", "variable", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("zed", "XDG_CONFIG_HOME", "zed/settings.json"),
        ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ],
)
def test_a_clients_own_variable_is_honoured(
    home: Home, monkeypatch: pytest.MonkeyPatch, client: str, variable: str, file: str
) -> None:
    monkeypatch.setenv(variable, str(home.path / "elsewhere"))
    home.install(client)
    assert (home.path / "elsewhere" / file).is_file()


@pytest.mark.parametrize(
    ("platform", "folder", "expected"),
    [
        ("darwin", "apps", "/u/Library/Application Support"),
        ("darwin", "zed", "/u/.config/zed"),
        ("darwin", "config", "/u/.config"),
        ("win32", "apps", "/roaming"),
        ("win32", "zed", "/roaming/Zed"),
        ("win32", "devin", "/roaming/devin"),
        ("win32", "config", "/u/.config"),
        ("linux", "apps", "/u/.config"),
        ("linux", "zed", "/u/.config/zed"),
    ],
)
def test_each_platform_has_its_folders(platform: str, folder: str, expected: str) -> None:
    assert folders({"APPDATA": "/roaming"}, Path("/u"), platform)[folder] == Path(expected)
