"""What must hold of every parser, for any bytes: one function each, which hypothesis and atheris call.

Where a stream is read, the first bytes of the input say where the rest is cut into pieces. A parser may
refuse with an error of ours; any other exception is a fault.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from itertools import pairwise

from muxpilot.cli.install import jsonc, toml
from muxpilot.cli.install.failure import Malformed
from muxpilot.errors import BadInput, MuxpilotError, PaneRefused, ProtocolBroken, TargetError
from muxpilot.mcp import uris
from muxpilot.terminal.filters import keep
from muxpilot.terminal.keys import key_named
from muxpilot.terminal.marks import LONGEST, Mark, MarkScanner
from muxpilot.terminal.output import LineScanner, Meter
from muxpilot.terminal.patterns import compile_pattern
from muxpilot.terminal.render import Renderer
from muxpilot.terminal.snapshot import Snapshot
from muxpilot.terminal.target import parts_for, resolve, resolve_session
from muxpilot.terminal.transcript import Cue, Transcript
from muxpilot.tmux.events import Event, Reply, Unknown, parse_notification
from muxpilot.tmux.formats import Columns
from muxpilot.tmux.pane_text import unvis
from muxpilot.tmux.protocol import Parser
from muxpilot.tmux.quoting import command_line, quote
from muxpilot.tmux.version import Version
from tests.unit.test_formats import Thing
from tests.unit.test_protocol import NONCES, reply
from tests.unit.test_target import TREE

CUTS = 4
NONCE = "0123456789abcdef"
VERSIONS = (Version(3, 2), Version(3, 4), Version(3, 6), Version(3, 8))


def pieces(data: bytes) -> tuple[bytes, list[bytes]]:
    """The stream, and the same in pieces."""
    seeds, stream = data[:CUTS].ljust(CUTS, b"\0"), data[CUTS:]
    edges = sorted({0, len(stream), *(seed * len(stream) // 256 for seed in seeds)})
    return stream, [stream[start:end] for start, end in pairwise(edges)]


def text(data: bytes) -> str:
    """Any text, halves of characters too: JSON can carry them."""
    return data.decode("utf-8", "surrogateescape")


def control_mode(data: bytes) -> None:
    """Any stream, however it is cut, is the same events, or broken."""
    stream, cut = pieces(data)
    assert _events([stream]) == _events(cut)


def _events(chunks: list[bytes]) -> list[Event] | None:
    parser = Parser()
    for nonce in NONCES:
        parser.expect(nonce)
    try:
        return [event for chunk in chunks for event in parser.feed(chunk)]
    except ProtocolBroken:
        return None


def control_mode_body(data: bytes) -> None:
    """Whatever stands in a pane is the reply's body, whole, and nothing else."""
    stream, _ = pieces(data)
    body = stream + b"\n" * (stream != b"" and not stream.endswith(b"\n"))
    whole = reply(10, body, NONCES[0]) + reply(12, b"next\n", NONCES[1])
    _, cut = pieces(data[:CUTS].ljust(CUTS, b"\0") + whole)
    assert _events(cut) == [Reply(True, body[:-1]), Reply(True, b"next")]


def notification(data: bytes) -> None:
    """No line raises, and what has no meaning is kept as it is."""
    with warnings.catch_warnings():
        # Of a backslash that tmux would have escaped Python warns; nobody but tests takes that for an error.
        warnings.simplefilter("ignore", DeprecationWarning)
        event = parse_notification(data)
    assert not isinstance(event, Unknown) or event.line == data


def marks(data: bytes) -> None:
    """Nothing but marks is taken out, wherever it is cut."""
    stream, cut = pieces(data)
    whole = _scanned([stream])
    assert _scanned(cut) == whole
    found = b"".join(piece for piece in whole if isinstance(piece, bytes))
    assert len(stream) >= LONGEST or found == _ANY_MARK.sub(b"", stream + _END)


_END = b"\x07\x07"
_ANY_MARK = re.compile(rb"\x1b\]133;[A-Z](?:;[^\x07\x1b;]*)*(?:\x07|\x1b\\)")


def _scanned(chunks: list[bytes]) -> list[bytes | Mark]:
    scanner, found = MarkScanner(), list[bytes | Mark]()
    for chunk in [*chunks, _END]:
        for piece in scanner.feed(chunk):
            if isinstance(piece, bytes) and found and isinstance(found[-1], bytes):
                found[-1] += piece
            else:
                found.append(piece)
    return found


def transcript(data: bytes) -> None:
    """A command on a tape ends as it ends, wherever the tape is cut."""
    stream, cut = pieces(data)
    for cue in (
        Cue(NONCE, 1),
        Cue(NONCE, 1, by_line=True),
        Cue(NONCE, 1, sourced=True),
        Cue(NONCE, joined=True),
    ):
        assert _followed(cue, [stream]) == _followed(cue, cut)


def _followed(cue: Cue, chunks: list[bytes]) -> tuple[object, ...]:
    written = bytearray()
    tape = Transcript(cue, written.extend)
    for chunk in chunks:
        tape.feed(chunk)
    return (
        bytes(written),
        tape.phase,
        tape.status,
        tape.folder,
        tape.inner,
        tape.after,
        tape.wanting,
        tape.prompted,
    )


def renderer(data: bytes) -> None:
    """The same text, wherever it is cut, and no control character in it but tabs and line feeds."""
    stream, cut = pieces(data)
    shown = _rendered([stream])
    assert _rendered(cut) == shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)


def _rendered(chunks: list[bytes]) -> str:
    screen, kept = Renderer(5), ""
    for chunk in chunks:
        screen.feed(chunk)
        taken = screen.take_final()
        kept = taken if screen.dropped_handed_out else kept + taken
        screen.dropped_handed_out = False
    return kept + screen.pending()


def line_scanner(data: bytes) -> None:
    """Nothing is raised, and what is counted does not depend on the cuts."""
    stream, cut = pieces(data)
    scanner, meter = LineScanner(), Meter()
    for chunk in cut:
        scanner.feed(chunk)
        meter.feed(chunk)
    assert (meter.reading.written, meter.reading.feeds) == (len(stream), stream.count(b"\n"))


def rows(data: bytes) -> None:
    """What tmux prints for a format is rows, or refused."""
    mark = "<00>"
    try:
        found = Columns(Thing).rows(data.decode("utf-8", "backslashreplace"), mark)
    except ProtocolBroken:
        return
    assert all(mark not in row.name + row.path for row in found)


def buffer(data: bytes) -> None:
    """What tmux escapes comes back."""
    escaped = b"".join(
        b"\\%03o" % byte if byte < 32 or byte > 126 or byte == 92 else bytes([byte]) for byte in data
    )
    assert unvis(escaped) == data
    unvis(data)


def quoting(data: bytes) -> None:
    """A word is one word, and comes back; or is refused."""
    word = text(data)
    try:
        quoted = quote(word)
    except BadInput:
        assert "\0" in word or re.search("[\ud800-\udfff]", word)
        return
    if quoted.startswith(b"'"):
        assert b"'" not in data
        assert quoted == b"'" + data + b"'"
    else:
        inner = quoted[1:-1] if quoted.startswith(b'"') else quoted
        assert re.sub(rb"\\([0-7]{3})", lambda one: bytes([int(one[1], 8)]), inner) == data
    assert command_line(["set-buffer", "--", word]) == b"set-buffer -- " + quoted + b"\n"


def target(data: bytes) -> None:
    """A target is one place that exists, or an error; and needs no more than was asked for it."""
    wanted = text(data)
    for look in (resolve, resolve_session):
        assert _outcome(look, TREE, wanted) == _outcome(look, _only(parts_for(wanted)), wanted)


def _outcome(look: Callable[[Snapshot, str], object], tree: Snapshot, wanted: str) -> object:
    try:
        return look(tree, wanted)
    except TargetError as error:
        return error.condition


def _only(parts: tuple[str, ...]) -> Snapshot:
    return Snapshot(**{part: getattr(TREE, part) for part in parts})


def key(data: bytes) -> None:
    """A key that every tmux can press, a text, or a refusal."""
    for version in VERSIONS:
        try:
            name = key_named(text(data), version)
        except PaneRefused:
            continue
        assert name is None or re.fullmatch(r"[!-~]+", name)


def pattern(data: bytes) -> None:
    """A pattern finds the lines that it is found in, or is refused."""
    expression, _, looked_in = text(data).partition("\n")
    looked_in = looked_in.encode("utf-8", "replace").decode()
    for regex in (False, True):
        try:
            compiled = compile_pattern(expression, regex=regex)
        except BadInput:
            continue
        by_line = [line.encode() for line in looked_in.split("\n") if compiled.found_in(line)]
        assert list(compiled.lines_in(looked_in.encode())) == by_line
        assert compiled.may_be_in(looked_in) or not by_line


def filters(data: bytes) -> None:
    """Filters that came as a text keep some rows, or are refused."""
    kept = [{"name": "dev", "width": 80, "active": True, "code": None}]
    try:
        found = keep(kept, text(data), list(kept[0]))
    except BadInput:
        return
    assert found in ([], kept)


def uri(data: bytes) -> None:
    """A URI names something, or is refused; a session's name comes back."""
    name = data.decode("utf-8", "replace")
    assert not name or uris.parse(uris.session_uri(name)).session_name == name
    for written in (name, f"tmux://{name}", f"tmux://panes/{name}", f"tmux://sessions/{name}"):
        try:
            address = uris.parse(written)
        except MuxpilotError:
            continue
        assert address.kind != "pane" or re.fullmatch("%[0-9]+", address.pane_id)


def json_with_comments(data: bytes) -> None:
    try:
        jsonc.read(data.decode("utf-8", "replace"))
    except Malformed:
        return


def toml_file(data: bytes) -> None:
    """Text that is TOML gets its entry, and gives it back; other text is refused."""
    config = data.decode("utf-8", "replace")
    try:
        before = toml.parse(config)
        changed = toml.put(config, ("mcp_servers", "x"), {"command": "y"})
    except Malformed:
        return
    assert toml.parse(changed).get("mcp_servers", {}).get("x") == {"command": "y"}  # type: ignore[attr-defined]
    assert {**toml.parse(changed), "mcp_servers": 0} == {**before, "mcp_servers": 0}


STREAMED = (control_mode, control_mode_body, marks, transcript, renderer, line_scanner)
PARSERS: dict[str, Callable[[bytes], None]] = {
    one.__name__: one
    for one in (
        *STREAMED,
        *(
            notification,
            rows,
            buffer,
            quoting,
            target,
            key,
            pattern,
            filters,
            uri,
            json_with_comments,
            toml_file,
        ),
    )
}
