"""
Open conversations of some projects, newest first.

A project's list is stored in the order of hashes, so finding the newest entries requires reading all of it. Entries are
read in chunks of 1,000 and sorted; a project with more open conversations is listed by chunk, each newest first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conversations.store.lists import open_list

if TYPE_CHECKING:
    from conversations.lifecycle.status import Status
    from conversations.store.items.routes import Open
    from shared.aws.dynamodb import Attributes, Table

CHUNK = 1_000
CHUNKS_PER_CALL = 4
AFTER_ALL = "~"  # sorts after every character of project ids and refs

# Project id and `ref`: the order in which entries are read.
type ProjectAndRef = tuple[str, str]
type Entry = tuple[str, Open]


@dataclass(frozen=True, slots=True)
class _Position:
    """
    Start of a page: after *start*, in the chunk that ends at *end*, after the entry of age *before* in it.

    The end is stored so that conversations opened or closed between two pages move no entry into another chunk.
    """

    start: ProjectAndRef | None = None
    end: ProjectAndRef | None = None
    before: tuple[str, str] | None = None

    @classmethod
    def read(cls, content: Attributes) -> _Position:
        parts = {name: (str(first), str(second)) for name, (first, second) in content.items()}
        return cls(**parts)

    def content(self) -> Attributes:
        parts = {"start": self.start, "end": self.end, "before": self.before}
        return {name: list(part) for name, part in parts.items() if part is not None}


@dataclass(frozen=True, slots=True)
class Filter:
    """Filter of the list: *projects* in order of their ids; *status* None matches any."""

    company: str
    projects: tuple[str, ...]
    status: Status | None
    limit: int


def newest_first(
    log: Table, criteria: Filter, start: Attributes | None
) -> tuple[list[Entry], Attributes | None]:
    """Return one page of entries with their project ids, and the position of the next page or None."""
    at = _Position.read(start) if start else _Position()
    shown: list[Entry] = []
    for _ in range(CHUNKS_PER_CALL):
        chunk, end = _chunk(log, criteria, at)
        fitting = [
            entry
            for entry in chunk
            if criteria.status in {None, entry[1].conversation_status}
            and (at.before is None or _age(entry) < at.before)
        ]
        fitting.sort(key=_age, reverse=True)
        room = criteria.limit - len(shown)
        shown += fitting[:room]
        if len(fitting) > room:
            return shown, replace(at, end=end, before=_age(shown[-1])).content()
        if end == (AFTER_ALL, ""):
            return shown, None
        at = _Position(start=end)
        if len(shown) == criteria.limit:
            break
    return shown, at.content()


def _chunk(log: Table, criteria: Filter, at: _Position) -> tuple[list[Entry], ProjectAndRef]:
    """Return the entries of a chunk and its end: the stored one, or the position after 1,000 entries."""
    entries_found: list[Entry] = []
    first, after = at.start or ("", "")
    for project in criteria.projects:
        if project < first:
            continue
        key = (
            open_list.key_of(criteria.company, project, after)
            if project == first and after
            else None
        )
        while True:
            room = CHUNK - len(entries_found) if at.end is None else CHUNK
            entries, key = open_list.page(log, criteria.company, project, room, key)
            for opening in entries:
                if at.end is not None and (project, opening.ref) > at.end:
                    return entries_found, at.end
                entries_found.append((project, opening))
            if at.end is None and len(entries_found) >= CHUNK:
                return entries_found, (project, open_list.ref_in(key) if key else AFTER_ALL)
            if key is None:
                break
    return entries_found, (AFTER_ALL, "")


def _age(entry: Entry) -> tuple[str, str]:
    return (entry[1].since, entry[1].ref)
