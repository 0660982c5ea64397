"""
Open conversations of some projects, newest first.

The list of a project is in the order of hashes: only who has read all of it knows the newest. So some thousand entries
are read at a time and put in order. A project with more of them open is listed in such chunks, each newest first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conversations.store import open_list

if TYPE_CHECKING:
    from conversations.lifecycle import Status
    from conversations.store.items.routes import Open
    from shared.aws.dynamodb import Attributes, Table

CHUNK = 1_000
CHUNKS_PER_CALL = 4
AFTER_ALL = "~"  # comes after all that ids of projects and conversations are made of

# A project and a `ref`: the order in which entries are read.
type Place = tuple[str, str]
type Entry = tuple[str, Open]


@dataclass(frozen=True, slots=True)
class _Position:
    """
    Where a page begins: behind *start*, in a chunk that ends with *end*, behind the entry of this age in it.

    The end is remembered, so that what is opened or closed while somebody pages moves nothing into another chunk.
    """

    start: Place | None = None
    end: Place | None = None
    before: tuple[str, str] | None = None

    @classmethod
    def read(cls, content: Attributes) -> _Position:
        parts = {name: (str(first), str(second)) for name, (first, second) in content.items()}
        return cls(**parts)

    def content(self) -> Attributes:
        parts = {"start": self.start, "end": self.end, "before": self.before}
        return {name: list(part) for name, part in parts.items() if part is not None}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries: of these projects, in order of their ids; None stands for any status."""

    company: str
    projects: tuple[str, ...]
    status: Status | None
    limit: int


def newest_first(
    log: Table, wanted: Wanted, start: Attributes | None
) -> tuple[list[Entry], Attributes | None]:
    """One page, with the project of each entry; and where to go on."""
    at = _Position.read(start) if start else _Position()
    shown: list[Entry] = []
    for _ in range(CHUNKS_PER_CALL):
        chunk, end = _chunk(log, wanted, at)
        fitting = [
            entry
            for entry in chunk
            if wanted.status in {None, entry[1].conversation_status}
            and (at.before is None or _age(entry) < at.before)
        ]
        fitting.sort(key=_age, reverse=True)
        room = wanted.limit - len(shown)
        shown += fitting[:room]
        if len(fitting) > room:
            return shown, replace(at, end=end, before=_age(shown[-1])).content()
        if end == (AFTER_ALL, ""):
            return shown, None
        at = _Position(start=end)
        if len(shown) == wanted.limit:
            break
    return shown, at.content()


def _chunk(log: Table, wanted: Wanted, at: _Position) -> tuple[list[Entry], Place]:
    """The entries of a chunk and its end: the one that is remembered, or a thousand entries on."""
    found: list[Entry] = []
    first, after = at.start or ("", "")
    for project in wanted.projects:
        if project < first:
            continue
        key = (
            open_list.key_of(wanted.company, project, after) if project == first and after else None
        )
        while True:
            room = CHUNK - len(found) if at.end is None else CHUNK
            entries, key = open_list.page(log, wanted.company, project, room, key)
            for opening in entries:
                if at.end is not None and (project, opening.ref) > at.end:
                    return found, at.end
                found.append((project, opening))
            if at.end is None and len(found) >= CHUNK:
                return found, (project, open_list.ref_in(key) if key else AFTER_ALL)
            if key is None:
                break
    return found, (AFTER_ALL, "")


def _age(entry: Entry) -> tuple[str, str]:
    return (entry[1].since, entry[1].ref)
