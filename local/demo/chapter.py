"""The record of a chapter of the demo: what was sent, what is stored, and whether the totals match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

type Style = Literal["plain", "strong", "result", "faint", "fault"]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a part of the chapter."""

    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was sent: its name, the status of the response, and what it was or what the response contains."""

    status: str
    name: str
    text: str
    is_expected: bool


@dataclass(frozen=True, slots=True)
class Message:
    """A stored message of a conversation; *note* has its author, delivery or changes."""

    at: str
    text: str
    is_outbound: bool
    note: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or several lines, of text."""

    text: str
    style: Style


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text below the names of their columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


type Part = Heading | Step | Message | Line | Table


def _ignore(_: object) -> None:
    """Show nothing."""


@dataclass(eq=False)
class Chapter:
    """
    A chapter, which its scenarios fill in.

    *show* receives each part when it is added, *progress* what the chapter waits for. *summary* are the totals in one
    line; *is_matching* says whether every result was as expected and the totals match. Parts that are added while
    *is_printed* are below the totals, also without all details.
    """

    title: str
    show: Callable[[Part], None] = _ignore
    progress: Callable[[str], None] = _ignore
    parts: list[Part] = field(default_factory=list)
    printed: list[Part] = field(default_factory=list)
    is_printed: bool = False
    summary: str = "stopped before its totals"
    is_matching: bool = False

    @property
    def faults(self) -> list[str]:
        """The results that were not as expected."""
        return [
            part.text for part in self.parts if isinstance(part, Line) and part.style == "fault"
        ]

    def heading(self, text: str) -> None:
        """Add the title of a part."""
        self._add(Heading(text))

    def step(self, status: int | str, name: str, text: str, *, is_expected: bool = True) -> None:
        """Add something that was sent."""
        self._add(Step(str(status), name, text, is_expected))

    def message(self, at: str, text: str, *, is_outbound: bool, note: str = "") -> None:
        """Add a stored message."""
        self._add(Message(at, text, is_outbound, note))

    def line(self, text: str, style: Style = "plain") -> None:
        """Add a line of text."""
        self._add(Line(text, style))

    def table(self, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
        """Add a table."""
        self._add(Table(tuple(columns), tuple(tuple(row) for row in rows)))

    def _add(self, part: Part) -> None:
        self.parts.append(part)
        if self.is_printed:
            self.printed.append(part)
        self.show(part)
