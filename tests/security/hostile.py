"""Values that look like something else than text: flags, ids, formats, paths, sockets, options, commands.

Each family begins with what is most likely to hit: the everyday tests take the first few of each.
What a value would hit is always a canary: another pane, a file, the sentinel.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.security.world import World

EVERYDAY = 3
MORE_EVERYDAY = {"ids": 5, "formats": 5, "options": 5}
"""How many of a family the everyday tests try."""

Family = Callable[[World], list[str]]


def flags(w: World) -> list[str]:
    pane, window = w.ask("#{pane_id}", "=canary:second"), w.ask("#{window_id}", "=canary:second")
    return [
        *(f"-t{pane}", "-k", "--", "-a", f"-S{w.safe}/letter", "-F", "-", "-g", "-C", "-U", "-L", "-d"),
        *(f"-t{window}", "-tcanary", f"-kt{pane}", "-Lother", f"-f{w.safe}/program", "-s", "-u", "-b canary"),
        *(
            f"-c{w.safe}",
            f"-e SENTINEL={w.sentinel}",
            "-x1",
            "-P",
            "-v",
            "---",
            f"-- -t{pane}",
            f"-k -t {pane}",
        ),
    ]


def ids(w: World) -> list[str]:
    pane, window, session = (
        w.ask(f"#{{{kind}_id}}", "=canary:second") for kind in ("pane", "window", "session")
    )
    number = pane[1:]
    arabic = "".join(chr(0x660 + int(digit)) for digit in number)
    return [
        *(f"%0{number}", f"{pane};kill-server", f"%{arabic}", f"@0{window[1:]}", f"$0{session[1:]}"),
        *(f"{pane} ", f" {pane}", f"{pane}\n", f"%{number}.0", f"%+{number}", f"%{number}_0", "%99999999999"),
        *(
            f"%{int(number) + 2**32}",
            f"%-{number}",
            f"{window} ",
            f"{session}\t",
            f"@{arabic}",
            "%",
            "@",
            "$",
        ),
        *(
            "cana",
            "canary*",
            "can[a]ry",
            "{marked}",
            "~",
            "!",
            "{last}",
            "=",
            "=cana",
            "canary:sec",
            "canary:!",
        ),
        *(f"{pane}:{window}", f"={pane} ", f"\u200b{pane}", f"{pane}\u200b", f"\uff05{number}", f"{pane}\0"),
    ]


def formats(w: World) -> list[str]:
    touch = f"touch {w.sentinel}"
    nested = "#{S:" * 14 + "x" + "}" * 14
    return [
        f"#({touch})",
        f"#{{s/#}}/x/;E:#{{s/Q/##/:#{{l:Q}}}}({touch})}}",
        nested,
        f"#{{E:#{{l:##({touch})}}}}",
        "#{p2000000000:x}",
        f"##({touch})",
        f"###({touch})",
        f"#{{l:#({touch})}}",
        f"#{{T:#({touch})}}",
        f"#[fg=red]#({touch})",
        f"#{{?1,#({touch}),}}",
        f"#{{?#({touch}),1,0}}",
        f"#{{==:#({touch}),x}}",
        f"#{{W:#{{P:#({touch})}}}}",
        f"#{{s/x/#({touch})/:pane_id}}",
        f"#{{=/9/#({touch}):pane_id}}",
        f"#{{E:@note}}#({touch})",
        "#{m/r:(a+)+$," + "a" * 40 + "b}",
        "#{m/r:(.*)(.*)(.*)(.*)\\1\\2\\3x," + "a" * 60 + "}",
        "#{s/(a*)*/b/:" + "a" * 40 + "}",
        "#{W:#{W:#{W:#{W:#{W:x}}}}}",
        "#{=99999999999:pane_id}",
        "#{e|^:9999999,9999999}",
        "#{" * 2000,
        "#{l:" * 500 + "x" + "}" * 500,
        "#{C/r:(a*)*b}",
        "#{t/f/%%%%:start_time}",
        "#{N/w:x}#{q:pane_id}#{d:pane_current_path}",
    ]


def paths(w: World) -> list[str]:
    return [
        *(str(w.safe / "letter"), str(w.safe / "device"), f"{w.folder}/100%done-%s-%n", "../..", "~root"),
        *(
            str(w.safe / "link"),
            str(w.safe / "program"),
            str(w.safe),
            "/",
            "/dev/stdin",
            "/proc/self/environ",
        ),
        *(f"{w.safe}/../safe/letter", f"{w.safe}//letter", f"file://{w.safe}/letter", "~", "."),
        *(
            f"{w.folder}/%%",
            "%d%n%s",
            f"{w.safe}/letter\0",
            f"{w.safe}/new",
            f"{w.safe}/new/er",
            "safe/letter",
        ),
    ]


def sockets(w: World) -> list[str]:
    return [
        *(
            str(w.safe / "letter"),
            str(w.safe / "device"),
            str(w.safe / "stale"),
            str(w.safe / "new"),
            "../safe/new",
        ),
        *(
            str(w.sockets / "stale"),
            "../../../../etc/passwd",
            f"{w.sockets}/../safe/letter",
            str(w.safe / "link"),
        ),
        *("lab -L other", "-Lother", f"-S{w.safe}/letter", ".", "..", "/", str(w.folder), "a/b", "x" * 200),
        *(f"{w.safe}/program", "/dev/null/x", "lab\0other", "lab\n"),
    ]


def options(w: World) -> list[str]:
    return [
        *("session-create", "command-alias", "default-command", "exit-unattached", "destroy-unattached"),
        *("status-lef", "status-right", "update-environment", "lock-command", "editor", "default-shell"),
        *(
            "command-alias[100]",
            "session-created",
            "session-created[0]",
            "after-new-window",
            "pane-died",
            "alert-b",
        ),
        *(
            "buffer-limit",
            "user-keys",
            "prefix",
            "copy-command",
            "set-clipboard",
            "terminal-overrides",
            "@canary",
        ),
        *(
            "remain-on-exit",
            "detach-on-destroy",
            "automatic-rename-format",
            "window-status-format",
            "@muxpilot_x",
        ),
        *(
            "@muxpilot_terminal",
            "after-set-option",
            "client-attached",
            "status-format[0]",
            "update-env",
            "history-f",
        ),
    ]


def commands(w: World) -> list[str]:
    run = f"run-shell 'touch {w.sentinel}'"
    return [
        *("; kill-server", f"\n{run}\n", f"{{ {run} }}", f"x ; {run}", f"'; {run} ; '", f'"; {run} ; "'),
        *(
            f"\\; {run}",
            f"x\\;{run}",
            f"}} ; {run} ; {{",
            ";",
            "x;",
            "\\;",
            "kill-server",
            "x\r\nkill-server\r\n",
        ),
        *(f'if-shell 1 "{run}"', "%if 1", "%end 1 1 1", "%exit", f"$HOME;{run}", "${PATH}", "~;kill-server"),
    ]


def shell(w: World) -> list[str]:
    touch = f"touch {w.sentinel}"
    return [
        *(
            f"$({touch})",
            f"`{touch}`",
            f"\n{touch}\n",
            f"';{touch};'",
            f'";{touch};"',
            f"|{touch}",
            f"x&&{touch}",
        ),
        *(f"x;{touch}", f"$(({touch}))", f"<({touch})", f"%({touch})", f"{w.safe}/program", f"!{touch}"),
    ]


def characters(w: World) -> list[str]:
    return [
        *(
            "",
            "a\0b",
            "\ud800",
            "x" * 20_000,
            "\x1b]0;t\x07\x1b[2J",
            "\u202e\u200b\U000e0041",
            "\n",
            "\r",
            "\t",
        ),
        *(
            "\x03",
            "\x04",
            "\x1a",
            "\x1c",
            "\x9b31m",
            "\udfffx",
            "\ufeff",
            "\x7f",
            " ",
            "\u2028",
            "é",
            "👩‍👩‍👧",
        ),
        *(
            "x" * 300_000,
            "9" * 400,
            "\x00",
            "null",
            "[]",
            "{}",
            '{"a": 1}',
            "*",
            "?",
            "[",
            "\\",
            "'",
            '"',
            "#",
            "%%",
        ),
    ]


FAMILIES: dict[str, Family] = {
    one.__name__: one for one in (flags, ids, formats, paths, sockets, options, commands, shell, characters)
}


def values(w: World, *, everything: bool) -> list[tuple[str, str]]:
    """Each value once, with its family."""
    found: dict[str, str] = {}
    for name, family in FAMILIES.items():
        for value in family(w)[: None if everything else MORE_EVERYDAY.get(name, EVERYDAY)]:
            found.setdefault(value, name)
    return [(name, value) for value, name in found.items()]
