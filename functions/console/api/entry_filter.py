"""Compares entries of the inbox one by one with the filters and search terms of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from console.reading_rights import is_readable
from shared.identity.contacts.words import searched

if TYPE_CHECKING:
    from collections.abc import Iterable

    from console.api.inputs import InboxQuery
    from console.search.terms import Term
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Attributes
    from shared.inbox.items import Context, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """The conditions that are compared entry by entry. *readable*: the contexts that the caller may read."""

    caller: Caller
    readable: frozenset[Context]
    query: InboxQuery
    terms: tuple[Term, ...]
    now: str

    def fits(self, entry: Entry) -> bool:
        """Whether the query asks for the entry, which is in the query's list."""
        return self._fits_filters(entry) and self._fits_terms(entry)

    def fits_person(self, entry: Entry) -> bool:
        """Whether the query asks for the entry of a person who has its terms."""
        unread, assignee = self.query.unread, self.query.assignee
        return (
            unread in {None, "true" if entry.unread_count else "false"}
            and assignee in {None, entry.assignee}
            and self._fits_filters(entry)
        )

    def _fits_filters(self, entry: Entry) -> bool:
        query = self.query
        return (
            query.context in {None, entry.context}
            and query.channel in {None, entry.channel}
            and query.address in {None, entry.address}
            and query.status in {None, "all", entry.state(self.now)}
            and (query.label is None or query.label in entry.labels)
            and (query.unassigned is None or entry.assignee is None)
            and (query.waiting is None or entry.waiting_since is not None)
            and self._is_due(entry)
        )

    def _is_due(self, entry: Entry) -> bool:
        due_from = {None: "", "at_risk": entry.at_risk_at, "overdue": entry.due_at}[self.query.due]
        return due_from is not None and due_from <= self.now

    def _fits_terms(self, entry: Entry) -> bool:
        if not self.terms:
            return True
        texts = (entry.contact, entry.handle, entry.subject, entry.preview)
        text = searched("\n".join(one for one in texts if one))
        return all(term.fits(text, entry.handle) for term in self.terms)


@dataclass(frozen=True, slots=True)
class Compared:
    """
    The fitting entries of a page, the number of compared ones that the caller may read, and the last of these.

    *last*: the last compared entry. *is_end*: none follows. *of_people*: how many were read as people's.
    """

    entries: list[Entry]
    looked_at: int
    looked_back_to: Entry | None
    last: Entry | None
    is_end: bool
    of_people: int = 0

    @property
    def after(self) -> Attributes | None:
        """The position of the entries after these, for a cursor; None at the end."""
        return {"activity": self.last.activity} if self.last and not self.is_end else None


def compared(stored: Iterable[Entry], wanted: EntryFilter, limit: int, most: int) -> Compared:
    """Return the first *limit* fitting entries of a list; of it *most* are compared."""
    found: list[Entry] = []
    last: Entry | None = None
    oldest: Entry | None = None
    looked_at = 0
    for count, entry in enumerate(stored):
        if len(found) == limit or count == most:
            return Compared(found, looked_at, oldest, last, is_end=False)
        last = entry
        if is_readable(wanted.caller, wanted.readable, entry):
            oldest, looked_at = entry, looked_at + 1
            if wanted.fits(entry):
                found.append(entry)
    return Compared(found, looked_at, oldest, last, is_end=True)
