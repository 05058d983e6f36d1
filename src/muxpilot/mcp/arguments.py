"""A tool's parameters, read off its signature: the schema that is listed, and the check of a call."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Awaitable, Callable, Mapping
from difflib import get_close_matches
from functools import cached_property
from typing import Any, get_type_hints

from muxpilot.errors import BadInput
from muxpilot.mcp.aliases import canonical
from muxpilot.mcp.results import Result
from muxpilot.mcp.shapes import MISSING, MOST_PROBLEMS, UNKNOWN, Problem, Record

LONGEST_NAME = 200
"""Characters of a name that is none, as far as it is repeated."""

Handler = Callable[..., Awaitable[Result]]


class Arguments:
    """Everything a tool or a recipe takes, apart from the context that it gets first."""

    def __init__(self, handler: Callable[..., Any]) -> None:
        self._handler = handler
        self.names = tuple(inspect.signature(handler).parameters)[1:]

    @cached_property
    def _record(self) -> Record:
        """Made when somebody asks: a tool that is neither listed nor called costs nothing."""
        hints = get_type_hints(self._handler, include_extras=True)
        parameters = inspect.signature(self._handler).parameters
        return Record({name: (hints[name], _default(parameters[name])) for name in self.names})

    def schema(self) -> dict[str, Any]:
        return self._record.schema()

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Typed values for the handler.

        Raises:
            BadInput: an unknown, missing or wrong argument; all that is wrong, in one sentence each.
        """
        problems: list[Problem] = []
        values = self._record.check(canonical(arguments, self.names), (), problems)
        if problems:
            said = [*map(self._complaint, problems[:MOST_PROBLEMS])]
            more = ["and more"] if len(problems) > MOST_PROBLEMS else []
            raise BadInput("; ".join(said + more), hint=self._usage())
        return values

    def _complaint(self, problem: Problem) -> str:
        path = ".".join(map(str, problem.path))[:LONGEST_NAME]
        if problem.text == UNKNOWN:
            known = self.names if len(problem.path) == 1 else ()
            close = get_close_matches(path, known, 1, cutoff=0.5)
            return f"unknown argument {path!r}" + (f" (did you mean {close[0]!r}?)" if close else "")
        if problem.text == MISSING:
            return f"{path!r} is required"
        return f"{path!r} is wrong: {problem.text}"

    def _usage(self) -> str:
        return f"{self._handler.__name__} takes {', '.join(self.names)}"


def _default(parameter: inspect.Parameter) -> Any:
    return dataclasses.MISSING if parameter.default is parameter.empty else parameter.default
