"""What has become of a command that no mark has ended: judged from who has the terminal, and how.

running            something works                 waiting_for_input  it sleeps until something is typed
full_screen        it paints the whole screen      shell_exited       its shell is gone
prompt             the shell waits for a command, and did not say how the last one ended
unknown            nothing can be seen from here
"""

from __future__ import annotations

from dataclasses import dataclass

from muxpilot.terminal.front import FISH, KSH, ZSH, Front, at_prompt, is_reading, unread, wants_input
from muxpilot.terminal.processes import is_alive
from muxpilot.terminal.shells import LOADED
from muxpilot.terminal.spot import Spot
from muxpilot.terminal.transcript import Phase, Transcript

SHELL_GONE = "shell_exited"
INTERRUPTED = 130
QUIET = 0.12
"""Seconds without output after which it is worth to look who has the terminal."""
UNSAID = 1.0
"""Seconds that a shell at its prompt gets to say how the command ended."""
UNREAD = 0.5
"""Seconds in which a shell that waits for keys has read those that were sent to it."""
_KEYS = b"^C"
"""How a terminal echoes what interrupts."""


UNREACHED = "it did not reach the shell: nothing ran"
BY_THEIR_MARKS = "the exit code is as the shell's own marks say"


@dataclass(frozen=True, slots=True)
class Verdict:
    state: str
    over: bool = False
    exit_code: int | None = None
    reason: str | None = None

    @property
    def waiting(self) -> bool:
        return self.state in {"waiting_for_input", "full_screen"}


def judge(transcript: Transcript, shell: str, spot: Spot, *, full_screen: bool, quiet: float) -> Verdict:
    """Of a command in the shell of this identity in this pane; nothing was written for `quiet` seconds."""
    shell_pid = int(shell.partition(".")[0])
    if not is_alive(shell_pid):
        return Verdict(SHELL_GONE, over=True)
    if full_screen:
        return Verdict("full_screen")
    front = spot.front()
    if front is None:
        return Verdict("unknown", reason="who has the terminal can't be seen from here")
    if front.pid != shell_pid:
        return Verdict("waiting_for_input" if wants_input(spot.pane_pid, spot.pane_tty) else "running")
    if quiet >= QUIET and at_prompt(front, spot.pane_tty):
        if front.identity != shell and front.shell is not None:
            return Verdict("prompt", over=True, reason="its shell became another one, which does not tell")
        if transcript.wanting:
            transcript.give_up_line()
            return Verdict("incomplete_input", over=True)
        if (quiet >= UNSAID or transcript.sourced) and _came_back(front, transcript):
            return _unsaid(transcript)
        if quiet >= UNREAD and transcript.phase is Phase.TYPED and not unread(spot.pane_tty):
            return Verdict("prompt", over=True, reason=UNREACHED)
    return Verdict("waiting_for_input" if is_reading(front, spot.pane_tty) else "running")


def _came_back(shell: Front, transcript: Transcript) -> bool:
    """Whether it is the prompt that it waits at: a `read` that edits its line looks the same from outside."""
    if transcript.phase is Phase.TYPED:
        return False
    if transcript.interrupted:
        return True
    if transcript.sourced:
        return transcript.prompted or shell.shell not in LOADED
    if shell.shell in {ZSH, FISH}:
        return transcript.output_ended
    if shell.shell == KSH:
        return False
    return transcript.prompted or shell.shell not in LOADED


def _unsaid(transcript: Transcript) -> Verdict:
    if transcript.phase is Phase.RUNNING and transcript.sourced and _KEYS in transcript.tail:
        return Verdict("prompt", over=True, exit_code=INTERRUPTED)
    if transcript.joined and transcript.inner is not None:
        return Verdict("prompt", over=True, exit_code=transcript.inner, reason=BY_THEIR_MARKS)
    return Verdict("prompt", over=True, reason="the shell did not say how it ended")
