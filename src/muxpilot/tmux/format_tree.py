"""A format of the accepted grammar as a tree. No I/O.

Each part knows how tmux writes it, which variables it needs, and its value once theirs are known. A value can
be shown in another form than it is compared in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

Values = Mapping[str, str]


class Part(Protocol):
    """A piece of a format: how tmux writes it, which variables it needs, and its value given theirs."""

    def write(self) -> str: ...
    def names(self) -> Iterator[str]: ...
    def value(self, values: Values, shown: Values, /) -> str: ...


@dataclass(frozen=True, slots=True)
class Format:
    parts: tuple[Part, ...]

    def write(self) -> str:
        return "".join(part.write() for part in self.parts)

    def names(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.names()

    def value(self, values: Values, shown: Values | None = None) -> str:
        """`shown`: the form in which values become part of the text; without it, as they are."""
        return "".join(part.value(values, values if shown is None else shown) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Text:
    """Literal text without `#`."""

    text: str

    def write(self) -> str:
        return self.text

    def names(self) -> Iterator[str]:
        yield from ()

    def value(self, _values: Values, _shown: Values, /) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Escape(Text):
    """A character that stands for itself behind a `#`."""

    def write(self) -> str:
        return f"#{self.text}"


@dataclass(frozen=True, slots=True)
class Colour(Text):
    """`#rrggbb` in a style. Lower case, because tmux takes `#D` and others for aliases."""

    def write(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    alias: str = ""

    def write(self) -> str:
        return f"#{self.alias}" if self.alias else f"#{{{self.name}}}"

    def names(self) -> Iterator[str]:
        yield self.name

    def value(self, _values: Values, shown: Values) -> str:
        return shown[self.name]


@dataclass(frozen=True, slots=True)
class BareName(Variable):
    """A variable as the test of a condition, which tmux takes without braces."""

    def write(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Condition:
    test: Format
    yes: Format
    no: Format

    def write(self) -> str:
        return f"#{{?{self.test.write()},{self.yes.write()},{self.no.write()}}}"

    def names(self) -> Iterator[str]:
        for format_ in (self.test, self.yes, self.no):
            yield from format_.names()

    def value(self, values: Values, shown: Values) -> str:
        return (self.yes if _is_true(self.test.value(values)) else self.no).value(values, shown)


@dataclass(frozen=True, slots=True)
class Comparison:
    operator: str
    left: Format
    right: Format

    def write(self) -> str:
        return f"#{{{self.operator}:{self.left.write()},{self.right.write()}}}"

    def names(self) -> Iterator[str]:
        yield from self.left.names()
        yield from self.right.names()

    def value(self, values: Values, _shown: Values) -> str:
        return "1" if _holds(self.operator, self.left.value(values), self.right.value(values)) else "0"


@dataclass(frozen=True, slots=True)
class Style:
    inner: Format

    def write(self) -> str:
        return f"#[{self.inner.write()}]"

    def names(self) -> Iterator[str]:
        yield from self.inner.names()

    def value(self, values: Values, shown: Values) -> str:
        return f"#[{self.inner.value(values, shown)}]"


def _is_true(value: str) -> bool:
    return value not in {"", "0"}


def _holds(operator: str, left: str, right: str) -> bool:
    """As tmux compares: by characters, never as numbers."""
    if operator == "&&":
        return _is_true(left) and _is_true(right)
    if operator == "||":
        return _is_true(left) or _is_true(right)
    if operator in ("==", "!="):
        return (left == right) is (operator == "==")
    less, equal = left < right, left == right
    return {"<": less, "<=": less or equal, ">": not less and not equal, ">=": not less}[operator]
