"""A tool's parameters, read off its signature: the schema that is listed, and the check of a call."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from difflib import get_close_matches
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from muxpilot.errors import BadInput
from muxpilot.mcp.aliases import canonical
from muxpilot.mcp.results import Result

Handler = Callable[..., Awaitable[Result]]


class Arguments:
    """Everything a tool or a recipe takes, apart from the context that it gets first."""

    def __init__(self, handler: Callable[..., Any]) -> None:
        hints = get_type_hints(handler, include_extras=True)
        parameters = list(inspect.signature(handler).parameters.values())[1:]
        fields: dict[str, Any] = {
            one.name: (hints[one.name], ... if one.default is one.empty else one.default)
            for one in parameters
        }
        self.names = tuple(fields)
        self._tool = handler.__name__
        self._model: type[BaseModel] = create_model(
            self._tool, __config__=ConfigDict(extra="forbid"), **fields
        )

    def schema(self) -> dict[str, Any]:
        """JSON Schema with nothing in it that a model does not need."""
        schema = self._model.model_json_schema()
        properties = {name: _compact(one) for name, one in schema.get("properties", {}).items()}
        listed: dict[str, Any] = {"type": "object", "properties": properties}
        if "required" in schema:
            listed["required"] = schema["required"]
        if "$defs" in schema:
            listed["$defs"] = {name: _compact(one) for name, one in schema["$defs"].items()}
        return listed

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Typed values for the handler.

        Raises:
            BadInput: an unknown, missing or wrong argument; all that is wrong, in one sentence each.
        """
        try:
            model = self._model.model_validate(canonical(arguments, self.names))
        except ValidationError as error:
            raise BadInput(
                "; ".join(self._complaint(one) for one in error.errors()), hint=self._usage()
            ) from None
        return {name: getattr(model, name) for name in self.names}

    def _complaint(self, error: Any) -> str:
        path = ".".join(str(part) for part in error["loc"])
        if error["type"] == "extra_forbidden":
            known = self.names if len(error["loc"]) == 1 else ()
            close = get_close_matches(path, known, 1, cutoff=0.5)
            return f"unknown argument {path!r}" + (f" (did you mean {close[0]!r}?)" if close else "")
        if error["type"] == "missing":
            return f"{path!r} is required"
        return f"{path!r} is wrong: {error['msg'][:1].lower()}{error['msg'][1:]}"

    def _usage(self) -> str:
        return f"{self._tool} takes {', '.join(self.names)}"


def _compact(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop titles, null defaults, the `or null` of optional parameters, and what goes without saying."""
    found = {key: _inner(key, value) for key, value in schema.items() if key not in _UNSAID}
    if found.get("default", "") is None:
        del found["default"]
    choices = [one for one in found.get("anyOf", []) if one != {"type": "null"}]
    if len(choices) == 1:
        del found["anyOf"]
        found = {**choices[0], **found}
    elif choices:
        found["anyOf"] = choices
    return found


_UNSAID = {"title", "additionalProperties"}


def _inner(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: _compact(one) for name, one in value.items()}
    return _compact(value) if key == "items" and isinstance(value, dict) else value
