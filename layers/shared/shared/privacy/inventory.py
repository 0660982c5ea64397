"""
Inventory of one person's data, which a context supplies to the engine, with its fence, removal and export.

All calls are safe to repeat: a turn that dies is done again from the last stored step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shared.aws.dynamodb import Attributes
    from shared.privacy.exports import ExportFolder

type Source = tuple[str, str]  # a list to read: its name, and by which key
type Line = dict[str, object]


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


class Inventory(ABC):
    """
    The data of a company about one person up to the time of the request. Each call takes bounded time.

    `objects` are the kinds of findings that are objects of the bucket, whose keys they have.
    """

    __slots__ = ()

    objects: ClassVar[Collection[str]] = ()
    suffixes: ClassVar[Mapping[str, str]] = {}  # of the names of an export's copies, by their kind

    @property
    def fences(self) -> Sequence[Source]:
        """The sources that an erasure fences first, in the same order at every call."""
        return ()

    @property
    @abstractmethod
    def sources(self) -> Sequence[Source]:
        """All sources, in the same order at every call."""

    @property
    def exported(self) -> Sequence[str]:
        """The prefixes of further exports of the person: an erasure deletes them last, with its subject's exports."""
        return ()

    def fence(self, source: Source, start: Attributes | None, /) -> Page:
        """Let no event from before the request add to a page of a source; return what is removed at once."""
        del source, start
        return Page([])

    @abstractmethod
    def page(self, source: Source, start: Attributes | None, /) -> Page:
        """Return a page of a source. A finding comes after all findings that are reached through it."""

    @abstractmethod
    def remove(self, found: Found, /) -> None:
        """Remove an item, or the part of it that is about the person. One that is gone is no error."""

    def item(self, found: Found, /) -> Attributes | None:
        """Return an item as an export has it; None if it is gone by now. `lines` needs it."""
        raise TypeError(f"{type(self).__name__} has no item of {found.kind}")

    def lines(self, found: Found, folder: ExportFolder, /) -> Sequence[Line]:
        """Return the lines of an export about a finding, and copy its objects to the folder."""
        if found.kind in self.objects:
            copied = folder.copy(found.key, self.suffixes.get(found.kind, ""))
            return [{"kind": found.kind, "file": copied}] if copied is not None else []
        item = self.item(found)
        return [{"kind": found.kind, "item": item}] if item is not None else []

    def export(self, page: Sequence[Found], folder: ExportFolder, /) -> Sequence[Line]:
        """Return the lines of a page."""
        return [line for found in page for line in self.lines(found, folder)]

    def finish(self) -> None:
        """Remove what an erasure removes last, but the exports of the person."""
        return
