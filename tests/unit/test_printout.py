"""What a command has written: all of it in a file, and as much as fits in an answer."""

from __future__ import annotations

from pathlib import Path

from muxpilot.terminal.printout import BUDGET, Printout, excerpt_of, last_line


def made(folder: Path, *pieces: bytes) -> Printout:
    printout = Printout(folder / "out", 24)
    for piece in pieces:
        printout.feed(piece)
    return printout


def lines(first: int, last: int) -> bytes:
    return b"".join(b"%d\r\n" % number for number in range(first, last))


def test_a_short_output_is_whole(tmp_path: Path) -> None:
    printout = made(tmp_path, b"a\r\nb")
    assert (printout.excerpt().text, printout.excerpt().lines) == ("a\nb", 2)
    printout.close()
    assert printout.excerpt().text == "a\nb"
    assert (tmp_path / "out").read_text() == "a\nb"


def test_no_output_makes_no_file(tmp_path: Path) -> None:
    printout = made(tmp_path)
    printout.close()
    assert (printout.excerpt().text, printout.lines) == ("", 0)
    assert not (tmp_path / "out").exists()


def test_a_long_output_keeps_both_ends_and_says_what_is_missing(tmp_path: Path) -> None:
    printout = made(tmp_path, lines(0, 100_000))
    printout.close()
    found = printout.excerpt()
    head, note, tail = found.text.partition("[... ")[0], "lines left out", found.text.rpartition("...]\n")[2]
    assert found.truncated
    assert found.lines == 100_000
    assert note in found.text
    assert head.startswith("0\n1\n")
    assert tail.endswith("\n99999")
    assert len(found.text) < BUDGET + 300
    left_out = int(found.text.partition("[... ")[2].partition(" ")[0].replace(",", ""))
    assert left_out == 100_000 - head.count("\n") - tail.count("\n") - 1


def test_a_limit_of_lines(tmp_path: Path) -> None:
    printout = made(tmp_path, lines(0, 30))
    found = printout.excerpt(max_lines=6)
    assert found.truncated
    assert found.text.splitlines()[:2] == ["0", "1"]
    assert found.text.splitlines()[-4:] == ["26", "27", "28", "29"]
    assert "24 lines left out" in found.text
    assert not printout.excerpt(max_lines=30).truncated


def test_one_endless_line_is_cut(tmp_path: Path) -> None:
    found = made(tmp_path, b"x" * 100_000).excerpt()
    assert found.truncated
    assert len(found.text) < BUDGET + 300


def test_only_what_is_new_is_told(tmp_path: Path) -> None:
    printout = made(tmp_path, b"a\r\nb\r\n")
    assert printout.excerpt(new=True).text == "a\nb"
    assert printout.excerpt(new=True).text == ""
    printout.feed(b"c\r\n")
    assert (printout.excerpt(new=True).text, printout.excerpt().text) == ("c", "a\nb\nc")


def test_a_line_that_changes_is_told_again(tmp_path: Path) -> None:
    printout = made(tmp_path, b"a\r\n10%")
    assert printout.excerpt(new=True).text == "a\n10%"
    printout.feed(b"\r50%")
    assert printout.excerpt(new=True).text == "50%"
    printout.feed(b"\rdone\r\n")
    printout.close()
    assert printout.excerpt(new=True).text == "done"


def test_new_lines_beyond_the_screen_are_told_once(tmp_path: Path) -> None:
    printout = made(tmp_path, lines(0, 50))
    assert printout.excerpt(new=True).text.endswith("49")
    printout.feed(lines(50, 120))
    assert printout.excerpt(new=True).text == "\n".join(str(number) for number in range(50, 120))
    printout.close()
    assert printout.excerpt(new=True).text == ""


def test_what_the_program_clears_is_gone_and_counted(tmp_path: Path) -> None:
    printout = made(tmp_path, lines(0, 100), b"\x1b[H\x1b[J\x1b[3J", b"after\r\n")
    printout.close()
    assert printout.excerpt().text == "after"
    assert printout.cleared == 100
    assert (tmp_path / "out").read_text() == "after\n"


def test_the_last_line_of_a_prompt() -> None:
    assert last_line(b"\r\n[top]\r\n\x1b[32m$\x1b[0m ") == "$"


def test_what_is_not_all_there_is_not_called_whole(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_text("line\n" * BUDGET)
    assert "the whole output" in excerpt_of(path, 0, "", BUDGET).text
    assert "the whole output" not in excerpt_of(path, 0, "", BUDGET, partial=True).text
