"""What a parameter may be: read off its annotation once, listed as JSON Schema, checked in every call.

Rules it keeps:
- Lenient where an agent is sloppy and nothing is lost: "30" or 30.0 for a whole number, "true" for a flag.
- A string is a string: no number becomes one, and in a choice of kinds the value's own kind comes first.
- Everything that is wrong is told at once, each with the place where it is, up to `MOST_PROBLEMS`.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

Path = tuple[str | int, ...]
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Problem:
    path: Path
    text: str
    """What is wrong with it; of what is missing or unknown, just that."""


MISSING, UNKNOWN = "missing", "unknown"


@dataclass(frozen=True, slots=True)
class Field:
    """What an annotation says beside the type: for whom it is listed, and within which bounds it is."""

    description: str = ""
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    min_length: int | None = None
    max_length: int | None = None


MOST_PROBLEMS = 10
"""What is told of all that is wrong with a call."""

Check = Callable[[Any, Path, list[Problem]], Any]


@dataclass(frozen=True, slots=True)
class Shape:
    noun: str
    schema: Schema
    kind: tuple[type, ...]
    """Python's types for values that are of this shape as they stand."""
    check: Check
    """The typed value; what is wrong is added to the problems, and the value then means nothing."""

    def fits(self, value: object) -> bool:
        return isinstance(value, self.kind) and (not isinstance(value, bool) or bool in self.kind)


def shape_of(annotation: Any, field: Field | None = None) -> Shape:
    """Of a parameter's annotation, resolved (no strings)."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *extras = get_args(annotation)
        return _described(inner, next(one for one in extras if isinstance(one, Field)))
    if origin in (Union, types.UnionType):
        return _choice_of_kinds(get_args(annotation), field)
    if origin is Literal:
        return _enumeration(get_args(annotation))
    if origin is list:
        return _bounded(_list(shape_of(*get_args(annotation))), field, ("minItems", "maxItems"))
    if origin is dict:
        return _dict(shape_of(get_args(annotation)[1]))
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return _record(annotation)
    return _bounded(_SIMPLE[annotation], field, ("minLength", "maxLength"))


def _described(annotation: Any, field: Field) -> Shape:
    shape = shape_of(annotation, field)
    if not field.description:
        return shape
    return dataclasses.replace(shape, schema={**shape.schema, "description": field.description})


def _wrong(problems: list[Problem], path: Path, noun: str) -> None:
    problems.append(Problem(path, f"input should be {noun}"))


def _string(value: Any, path: Path, problems: list[Problem]) -> Any:
    if not isinstance(value, str):
        _wrong(problems, path, "a valid string")
    return value


LARGEST_INTEGER = 2**53
"""Up to here JSON's numbers are exact, whoever reads them; and what is added to one can still be written."""


def _integer(value: Any, path: Path, problems: list[Problem]) -> Any:
    number: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) or (isinstance(value, float) and value.is_integer()):
        with suppress(ValueError):  # No number, or one of too many digits: told below, as every other value.
            number = int(value)
    if number is None:
        return _wrong(problems, path, "a valid integer")
    if abs(number) > LARGEST_INTEGER:
        return _wrong(problems, path, f"an integer up to {LARGEST_INTEGER:,}")
    return number


def _number(value: Any, path: Path, problems: list[Problem]) -> Any:
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            number = float(value)
            if math.isfinite(number):
                return number
    except (ValueError, OverflowError):
        pass  # No number, or one that is too large: told below, as every other value.
    return _wrong(problems, path, "a valid number")


_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def _boolean(value: Any, path: Path, problems: list[Problem]) -> Any:
    if isinstance(value, bool):
        return value
    word = str(value).lower() if isinstance(value, str | int) else ""
    return word in _TRUE if word in (*_TRUE, *_FALSE) else _wrong(problems, path, "a valid boolean")


def _anything(value: Any, _: Path, __: list[Problem]) -> Any:
    return value


_SIMPLE = {
    str: Shape("a string", {"type": "string"}, (str,), _string),
    int: Shape("an integer", {"type": "integer"}, (int,), _integer),
    float: Shape("a number", {"type": "number"}, (int, float), _number),
    bool: Shape("a boolean", {"type": "boolean"}, (bool,), _boolean),
    Any: Shape("anything", {}, (object,), _anything),
}


def _choice_of_kinds(annotations: tuple[Any, ...], field: Field | None) -> Shape:
    shapes = [shape_of(one, field) for one in annotations if one is not type(None)]
    optional = type(None) in annotations
    nouns = " or ".join(shape.noun for shape in shapes)
    first = shapes[0]

    def check(value: Any, path: Path, problems: list[Problem]) -> Any:
        if value is None and optional:
            return None
        if len(shapes) == 1:
            return first.check(value, path, problems)
        for shape in sorted(shapes, key=lambda shape: not shape.fits(value)):
            found: list[Problem] = []
            checked = shape.check(value, path, found)
            if not found or shape.fits(value):
                problems += found
                return checked
        return _wrong(problems, path, nouns)

    schema = first.schema if len(shapes) == 1 else {"anyOf": [shape.schema for shape in shapes]}
    return Shape(nouns, schema, tuple({kind for shape in shapes for kind in shape.kind}), check)


def _enumeration(choices: tuple[str, ...]) -> Shape:
    listed = " or ".join(filter(None, (", ".join(map(repr, choices[:-1])), repr(choices[-1]))))

    def check(value: Any, path: Path, problems: list[Problem]) -> Any:
        # Compared as strings only: a list can't be looked up, and 1 is not True.
        return value if isinstance(value, str) and value in choices else _wrong(problems, path, listed)

    return Shape(listed, {"type": "string", "enum": list(choices)}, (str,), check)


def _until_wrong(values: Iterable[Any], problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    """Each with its number, until enough is wrong: there may be a million of them."""
    for number, value in enumerate(values):
        if len(problems) > MOST_PROBLEMS:
            return
        yield number, value


def _list(item: Shape) -> Shape:
    def check(value: Any, path: Path, problems: list[Problem]) -> Any:
        if not isinstance(value, list):
            return _wrong(problems, path, "a valid list")
        return [item.check(one, (*path, index), problems) for index, one in _until_wrong(value, problems)]

    return Shape("a list", {"type": "array", "items": item.schema}, (list,), check)


def _dict(inner: Shape) -> Shape:
    def check(value: Any, path: Path, problems: list[Problem]) -> Any:
        if not isinstance(value, dict):
            return _wrong(problems, path, "a valid object")
        named = _until_wrong(value.items(), problems)
        return {name: inner.check(one, (*path, name), problems) for _, (name, one) in named}

    values = {"additionalProperties": inner.schema} if inner.schema else {}
    return Shape("an object", {"type": "object", **values}, (dict,), check)


def _record(cls: type) -> Shape:
    """A dataclass: an object with these fields and no other."""
    hints = get_type_hints(cls, include_extras=True)
    record = Record({field.name: (hints[field.name], field.default) for field in dataclasses.fields(cls)})

    def check(value: Any, path: Path, problems: list[Problem]) -> Any:
        if not isinstance(value, dict):
            return _wrong(problems, path, "a valid object")
        before = len(problems)
        values = record.check(value, path, problems)
        return None if len(problems) > before else cls(**values)

    return Shape("an object", record.schema(), (dict,), check)


class Record:
    """Named values: what a tool takes, or an object in one of its parameters."""

    def __init__(self, fields: Mapping[str, tuple[Any, Any]]) -> None:
        """By name: the annotation, and the default (`dataclasses.MISSING`: it must be given)."""
        self._shapes = {name: shape_of(annotation) for name, (annotation, _) in fields.items()}
        self._defaults = {name: default for name, (_, default) in fields.items()}

    def schema(self) -> Schema:
        """JSON Schema with nothing in it that a model does not need."""
        required = [name for name, default in self._defaults.items() if default is dataclasses.MISSING]
        properties = {name: self._listed(name, shape) for name, shape in self._shapes.items()}
        listed: Schema = {"type": "object", "properties": properties}
        return {**listed, "required": required} if required else listed

    def _listed(self, name: str, shape: Shape) -> Schema:
        """Nobody has to be told that a flag which is not given is not set."""
        default = self._defaults[name]
        said = default is not dataclasses.MISSING and default is not None and default is not False
        return {**shape.schema, "default": default} if said else shape.schema

    def check(self, given: Mapping[str, Any], path: Path, problems: list[Problem]) -> dict[str, Any]:
        """A typed value for every name; defaults for what is not given."""
        values: dict[str, Any] = {}
        for name, shape in self._shapes.items():
            if name in given:
                values[name] = shape.check(given[name], (*path, name), problems)
            elif self._defaults[name] is dataclasses.MISSING:
                problems.append(Problem((*path, name), MISSING))
            else:
                values[name] = self._defaults[name]
        unknown = (name for name in given if name not in self._shapes)
        problems += [Problem((*path, name), UNKNOWN) for name in islice(unknown, MOST_PROBLEMS + 1)]
        return values


def _bounded(shape: Shape, field: Field | None, lengths: tuple[str, str]) -> Shape:
    """The shape within the field's bounds."""
    limits = _limits(field, lengths) if field else []
    if not limits:
        return shape

    def check(value: Any, path: Path, problems: list[Problem]) -> Any:
        before = len(problems)
        # Of a list the length alone is bounded; one that is too long is not even looked at.
        is_list = isinstance(value, list) and list in shape.kind
        checked = value if is_list else shape.check(value, path, problems)
        if len(problems) == before:
            broken = [said for _, holds, said in limits if not holds(checked)]
            problems += [Problem(path, f"input should {said}") for said in broken]
        if is_list and len(problems) == before:
            return shape.check(value, path, problems)
        return checked

    schema = {**shape.schema, **{name: limit for (name, limit), _, _ in limits}}
    return dataclasses.replace(shape, schema=schema, check=check)


Limit = tuple[tuple[str, float], Callable[[Any], bool], str]
"""How it is listed, what holds, and how it is told."""


def _limits(field: Field, lengths: tuple[str, str]) -> list[Limit]:
    """Those that are set."""
    least, most = lengths
    units = "characters" if least == "minLength" else "items"
    every: list[tuple[float | None, str, Callable[[Any, float], bool], str]] = [
        (field.ge, "minimum", lambda value, limit: value >= limit, "be greater than or equal to {}"),
        (field.gt, "exclusiveMinimum", lambda value, limit: value > limit, "be greater than {}"),
        (field.le, "maximum", lambda value, limit: value <= limit, "be less than or equal to {}"),
        (field.min_length, least, lambda value, limit: len(value) >= limit, f"have at least {{}} {units}"),
        (field.max_length, most, lambda value, limit: len(value) <= limit, f"have at most {{}} {units}"),
    ]
    return [
        ((name, limit), partial(_holds, holds, limit), said.format(limit))
        for limit, name, holds, said in every
        if limit is not None
    ]


def _holds(holds: Callable[[Any, float], bool], limit: float, value: Any) -> bool:
    return holds(value, limit)
