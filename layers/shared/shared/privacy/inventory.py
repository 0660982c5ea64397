"""
Inventory of one person's data, which a context supplies to the engine, with its fence, removal and export.

All calls are safe to repeat: a turn that dies is done again from the last stored step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes
    from shared.privacy.exports import ExportFolder

type Source = tuple[str, str]  # a list to read: its name, and by which key


@dataclass(frozen=True, slots=True)
class Found:
    """A stored item or object: its kind, as receipts count it, its key, and for some contexts what is done with it."""

    kind: str
    key: str
    act: str = ""

    def plan(self) -> dict[str, str]:
        """Return the finding as a job stores it."""
        plan = {"kind": self.kind, "key": self.key}
        return plan | {"act": self.act} if self.act else plan


class Page(NamedTuple):
    """The findings of a page, and where the next one starts; None after the last page of a source."""

    found: list[Found]
    last: Attributes | None = None


class Inventory(Protocol):
    """The data of a company about one person up to the time of the request. Each call takes bounded time."""

    @property
    def fences(self) -> Sequence[Source]:
        """The sources that an erasure fences first, in the same order at every call."""

    @property
    def sources(self) -> Sequence[Source]:
        """All sources, in the same order at every call."""

    def fence(self, source: Source, start: Attributes | None, /) -> Page:
        """Let no event from before the request add to a page of a source; return what is removed at once."""

    def page(self, source: Source, start: Attributes | None, /) -> Page:
        """Return a page of a source. A finding comes after all findings that are reached through it."""

    def remove(self, found: Found, /) -> None:
        """Remove a finding, or the part of it that is about the person. A finding that is gone is no error."""

    def export(self, page: Sequence[Found], folder: ExportFolder, /) -> list[dict[str, object]]:
        """Return the lines of a page, and copy its objects to the folder."""

    def finish(self) -> None:
        """Remove what an erasure removes last, as the exports of the person."""
