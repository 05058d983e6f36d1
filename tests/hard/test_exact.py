"""One command, exact result: lines 1 to 14 and 18 to 20 of the hard cases, in every shell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hard.shells import Console, Setting, console, settings


@pytest.fixture(scope="module", params=settings())
def con(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    setting: Setting = request.param
    with console(tmp_path_factory.mktemp("hard"), setting) as made:
        yield made


Case = tuple[str, str | None, int, str]
"""What it is about, then the command for most shells, another for fish (None: the same), status, output."""

CASES: dict[str, tuple[str, str | None, int, str]] = {
    "1 status and no output": ("(exit 7)", "sh -c 'exit 7'", 7, ""),
    "1 status 255": ("(exit 255)", "sh -c 'exit 255'", 255, ""),
    "1 success": ("true", None, 0, ""),
    "1 not found": ("no-such-command-here 2>/dev/null", "sh -c 'exit 127'", 127, ""),
    "2 comment": ("echo hi # note", None, 0, "hi"),
    "4 semicolon": ("echo a;", None, 0, "a"),
    "5 several lines": ("echo one\necho two\n(exit 3)", "echo one\necho two\nsh -c 'exit 3'", 3, "one\ntwo"),
    "5 loop": (
        "for i in 1 2 3\ndo\n  echo line $i\ndone",
        "for i in 1 2 3\n  echo line $i\nend",
        0,
        "line 1\nline 2\nline 3",
    ),
    "5 function": (
        "greet() {\n  echo hello $1\n}\ngreet you",
        "function greet\n  echo hello $argv\nend\ngreet you",
        0,
        "hello you",
    ),
    "5 one line, several statements": ("echo a; echo b; false", None, 1, "a\nb"),
    "8 exclamation mark": ("echo \"a!b\" 'c!d' !", None, 0, "a!b c!d !"),
    "8 carets": ("echo ^a^b^", None, 0, "^a^b^"),
    "10 wide line": ("printf 'x%.0s' $(seq 5000); echo", "printf 'x%.0s' (seq 5000); echo", 0, "x" * 5000),
    "11 no newline": ("printf abc", None, 0, "abc"),
    "11 empty": ("printf ''", None, 0, ""),
    "11 blank lines": (r"printf '\n\n\n'", None, 0, "\n\n"),
    "11 blank, then text": (r"printf '\n\na\n'", None, 0, "\n\na"),
    "11 trailing spaces": (r"printf 'a   \n  b  \n'", None, 0, "a   \n  b  "),
    "11 tabs": (r"printf 'a\tb\t\n\tc\n'", None, 0, "a\tb\t\n\tc"),
    "12 clear": ("clear", None, 0, ""),
    "12 clear, then text": ("clear; echo after", None, 0, "after"),
    "12 alternate screen": ("echo a; tput smcup; echo hidden; tput rmcup; echo b", None, 0, "a\nb"),
    "13 progress": (r"printf '10%%\r50%%\r100%%\n'", None, 0, "100%"),
    "13 shorter frame": (r"printf 'long frame\rshort\n'", None, 0, "shortframe"),
    "13 erased frame": (r"printf 'long frame\r\033[Kend\n'", None, 0, "end"),
    "13 many lines": (r"printf 'a\nb\n\033[2A\033[Jc\n'", None, 0, "c"),
    "14 utf-8": ("echo 'é 漢字 👩‍👩‍👧 é'", None, 0, "é 漢字 👩‍👩‍👧 é"),
    "14 invalid": (r"printf 'a\377b\n'", None, 0, r"a\xffb"),
    "14 nul and escape": (r"printf 'a\000b\033'; echo", None, 0, "ab"),
    "14 colours": (r"printf '\033[31mred\033[0m\n'", None, 0, "red"),
    "14 title": (r"printf '\033]0;title\007x\n'", None, 0, "x"),
    "14 open string": (r"printf 'x\n\033]0;title'", None, 0, "x"),
    "18 tabs in the command": ("echo 'a\tb'", None, 0, "a\tb"),
    "18 quotes and dollars": ("""echo "it's" 'a "b" $HOME' \\$x""", None, 0, """it's a "b" $HOME $x"""),
    "18 like a mark": (r"printf '\033]133;D;9\007ok\n'", None, 0, "ok"),
    "18 forged mark": (r"printf '\033]133;D;9;0123456789abcdef;99;/\007ok\n'; false", None, 1, "ok"),
    "18 starts with a space": ("  echo spaced", None, 0, "spaced"),
    "18 starts with a dash": ("-x 2>/dev/null || echo no", "echo no", 0, "no"),
    "18 long": (f"echo {'y' * 3000}", None, 0, "y" * 3000),
    "18 stderr": ("echo out; echo err >&2", None, 0, "out\nerr"),
    "12 reset": ("reset 2>/dev/null; echo after", None, 0, "after"),
    "5 heredoc": ("cat <<'E'\na $x\n  b\nE", "printf 'a $x\\n  b\\n'", 0, "a $x\n  b"),
    "18 looks like a key": ("echo Enter Up C-c", None, 0, "Enter Up C-c"),
    "18 percent and hash": ("echo '100% #{pid} #(id)'", None, 0, "100% #{pid} #(id)"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_result_is_exact(con: Console, case: str) -> None:
    command, for_fish, status, output = CASES[case]
    if con.is_fish and for_fish is not None:
        command = for_fish
    assert con.result(command) == (status, output)


@pytest.mark.parametrize("output", ["a > b", "$ # c", "x $ y > z% " * 40], ids=["one", "two", "long"])
def test_11_what_looks_like_a_prompt_and_has_no_newline_keeps_nobody_from_going_on(
    con: Console, output: str
) -> None:
    for _ in range(2):
        assert con.result(f"printf %s '{output}'") == (0, output)
    assert con.result("echo next") == (0, "next")


def test_1_every_status(con: Console) -> None:
    for status in (0, 1, 2, 42, 126, 128, 129, 200, 254):
        assert con.result(f"sh -c 'exit {status}'") == (status, "")


@pytest.mark.parametrize("number", [9, 15, 2, 11])
def test_1_death_by_signal_is_128_and_its_number(con: Console, number: int) -> None:
    assert con.result(f"sh -c 'ulimit -c 0; kill -{number} $$'")[0] == 128 + number


@pytest.mark.parametrize("unfinished", ["echo 'open", 'echo "open', "if true", "for i in 1 2", "echo a |"])
def test_6_unfinished_input_is_cleared_and_said(con: Console, unfinished: str) -> None:
    done = con.run(unfinished)
    assert (done["state"], done["exit_code"]) == ("incomplete_input", None)
    assert done["elapsed_seconds"] < 3
    assert con.result("echo next") == (0, "next")


def test_7_a_syntax_error_is_the_shells(con: Console) -> None:
    status, output = con.result("echo )")
    assert status not in (0, None)
    assert ")" in output
    assert "muxpilot" not in output
    assert con.result("echo next") == (0, "next")


def test_3_a_background_job_is_done_at_once(con: Console) -> None:
    con.run("true")  # fish keeps the status that was.
    done = con.run("sleep 30 &")
    assert (done["status"], done["exit_code"]) == ("completed", 0)
    assert done["elapsed_seconds"] < 5
    assert con.result("echo next") == (0, "next")
    con.run("kill %1 2>/dev/null; wait 2>/dev/null", timeout=5)
    con.run("true")


def test_9_ten_thousand_lines_are_whole(con: Console) -> None:
    done = con.run("seq 10000")
    assert done["output_lines"] == 10000
    assert done["output_truncated"]
    assert done["output"].startswith("1\n2\n3\n")
    assert done["output"].endswith("9999\n10000")
    whole = Path(done["output_path"])
    assert whole.read_text() == "".join(f"{number}\n" for number in range(1, 10001))
    assert whole.stat().st_mode & 0o777 == 0o600


def test_18_a_hundred_kilobytes(con: Console, tmp_path: Path) -> None:
    text = "".join(f"{number} 'it' !$x\\ \n" for number in range(6000))[:100_000]
    quoted = text.replace("\\", "\\\\").replace("'", "\\'") if con.is_fish else text.replace("'", "'\\''")
    assert con.result(f"printf %s '{quoted}' > {tmp_path}/got") == (0, "")
    assert (tmp_path / "got").read_text() == text


def test_18_control_characters_in_the_command(con: Console, tmp_path: Path) -> None:
    text = "a\x01b\x03c\x04d\x1be\x7f\x12f\x15g"
    assert con.result(f"printf %s '{text}' > {tmp_path}/got") == (0, "")
    assert (tmp_path / "got").read_text() == text


def test_18_an_old_mark_printed_again_means_nothing(con: Console) -> None:
    con.run("true")
    tape = next((Path(con.lab.environ["HOME"]) / "state").glob("panes/*/tape"))
    copy = tape.with_name("copy")
    done = con.run(f"cp {tape} {copy}; cat {copy}; sh -c 'exit 5'")
    assert (done["status"], done["exit_code"]) == ("completed", 5)


def test_19_what_is_set_stays_set(con: Console, tmp_path: Path) -> None:
    folder = tmp_path / "some folder; [x]"
    folder.mkdir()
    setting = "set -gx KEPT 'a b'" if con.is_fish else "export KEPT='a b'"
    done = con.run(f"cd '{folder}'; {setting}")
    assert (done["exit_code"], done["cwd"]) == (0, str(folder))
    assert con.result('echo "$KEPT"; pwd') == (0, f"a b\n{folder}")
    assert con.run("cd /")["cwd"] == "/"


def test_19_the_last_status_is_there_for_the_next_command(con: Console) -> None:
    con.run("sh -c 'exit 4'")
    assert con.result("echo $status" if con.is_fish else "echo $?") == (0, "4")


def test_19_options_persist(con: Console) -> None:
    if con.is_fish:
        pytest.skip("fish has no such options")
    con.run("set -o noglob")
    assert con.result("echo /*") == (0, "/*")
    con.run("set +o noglob")
    con.run("set -u")
    assert con.result("echo ok") == (0, "ok")
    con.run("set +u")


def test_19_tracing_shows_the_command_alone(con: Console) -> None:
    if con.is_fish:
        pytest.skip("fish traces otherwise")
    con.run("set -x")
    _, output = con.result("echo traced")
    con.run("{ set +x; } 2>/dev/null")
    assert output.splitlines()[-1] == "traced"
    assert "muxpilot" not in output
    assert len(output.splitlines()) == 2


def test_20_nothing_of_ours_is_on_the_screen_or_in_the_environment(con: Console) -> None:
    con.run("clear")
    con.run("echo seen")
    screen = con.lab.screen(con.pane())
    assert "muxpilot" not in screen.replace("/muxpilot", "")
    assert "seen" in screen
    _, variables = con.result("env")
    names = [line for line in variables.splitlines() if "muxpilot_" in line and not line.startswith("PS1=")]
    assert names == []  # dash can't take PS1 out of the environment, where somebody has put it there.


def test_the_folder_is_right_where_its_name_is_strange(con: Console, tmp_path: Path) -> None:
    folder = tmp_path / "é 'x' ; $y"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    assert con.run(f"cd {tmp_path}/link")["cwd"] in {str(tmp_path / "link"), str(folder)}
    con.run("cd /")
