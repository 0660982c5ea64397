"""Ended conversations of some projects: one project after the other, newest first within each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store.items.routes import Ended
from conversations.store.lists import open_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table

# Project id and entry.
type Entry = tuple[str, Ended]


def page(
    log: Table, company: str, projects: Sequence[str], limit: int, start: Attributes | None
) -> tuple[list[Entry], Attributes | None]:
    """Return up to *limit* entries of one of the *projects*, which are in order, and the position of the next page."""
    first, after = (str(start["project"]), str(start["after"])) if start else ("", "")
    for number, project in enumerate(projects):
        if project < first:
            continue
        entries, last = open_list.ended_page(
            log, company, project, limit, after if project == first else ""
        )
        found = [(project, one) for one in entries]
        if last is not None:
            return found, {"project": project, "after": last}
        if found:
            following = projects[number + 1 : number + 2]
            return found, {"project": following[0], "after": ""} if following else None
    return [], None


def not_open(log: Table, company: str, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries of conversations that are not open again."""
    refs = [(project, one.ref) for project, one in entries]
    is_open = open_list.open_among(log, company, refs)
    return [entry for entry in entries if entry[1].ref not in is_open]


def position_of(entry: Entry) -> Attributes:
    """Return the position after an entry."""
    project, ended = entry
    return {"project": project, "after": Ended.sk(ended.since, ended.ref)}
