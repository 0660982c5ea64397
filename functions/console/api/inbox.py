"""
Reads the inbox: conversations of all contexts that the caller may read, newest first.

Status, unread and assignee are partitions of the indexes, so their pages are full. The other filters and the search
compare entry by entry: one call compares at most ENTRIES_PER_CALL, about 1 MB or 130 read units, and then returns a
cursor that goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from console.api.contact_search import ContactSearch
from console.api.reading_rights import is_readable, readable
from console.api.search_terms import Term, terms_of
from console.api.views import Inbox, InboxRow, activity_of, row
from console.store import searches
from shared.api.auth import RateLimited, Scope, without_project
from shared.api.cursors import Listing, Page
from shared.api.opaque_ids import Seal, seal_of
from shared.identity.contacts.words import folded
from shared.inbox import lists
from shared.inbox.items import Context, Entry, Status
from shared.inbox.references import key_of
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from console.api.inputs import InboxQuery, StatusFilter
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table
    from shared.aws.secrets import JsonSecret
    from shared.aws.tables.merged_lists import MergedList

ENTRIES_PER_CALL = 2_000
ENTRIES_PER_COUNT = 300
MOST_COUNTED = 99
MOST_PEOPLE = 10  # whose conversations stand before all others that a search finds
PEOPLE, OTHERS = "people", "others"  # the parts of a search, as cursors name them
READ_UNITS_PER_1000 = 50  # compared entries of the usual size (tests/cost/inbox.py)
_STATUSES: dict[StatusFilter | None, tuple[Status, ...]] = {
    None: ("open", "snoozed", "resolved"),
    "all": ("open", "snoozed", "resolved", "archived"),
    "open": ("open", "snoozed"),  # A snooze that is over is open, and still in its partition.
    "snoozed": ("snoozed",),
    "resolved": ("resolved",),
    "archived": ("archived",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxDependencies:
    """
    The tables of the inbox and of contacts, the live table, which counts searches, and the secret that seals addresses
    and cursors.
    """

    table: Table
    contacts: Table
    live: Table
    seal_secret: JsonSecret

    @property
    def seal(self) -> Seal:
        """The seal of keys and cursors. Raises SecretUnreadable."""
        return seal_of(self.seal_secret)

    def people(self, caller: Caller) -> ContactSearch:
        """Return the contacts of the caller's company."""
        return ContactSearch(self.table, self.contacts, caller)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filter:
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
            and self._is_due(entry)
        )

    def _is_due(self, entry: Entry) -> bool:
        due_from = {None: "", "at_risk": entry.at_risk_at, "overdue": entry.due_at}[self.query.due]
        return due_from is not None and due_from <= self.now

    def _fits_terms(self, entry: Entry) -> bool:
        if not self.terms:
            return True
        texts = (entry.contact, entry.handle, entry.subject, entry.preview)
        text = folded("\n".join(one for one in texts if one))
        return all(term.fits(text, entry.handle) for term in self.terms)


@dataclass(frozen=True, slots=True)
class _Found:
    """
    The fitting entries of a page, the number of compared ones that the caller may read, and the last of these.

    *last*: the last compared entry. *is_end*: none follows.
    """

    entries: list[Entry]
    looked_at: int
    looked_back_to: Entry | None
    last: Entry | None
    is_end: bool


_NOTHING = _Found([], 0, None, None, is_end=True)


def conversations(deps: InboxDependencies, caller: Caller, query: InboxQuery) -> Page[Inbox]:
    """
    Return conversations of the caller's company, newest activity first; of a search those of the people whom it finds,
    then all others. New messages move a conversation to the front during paging.

    Raises InvalidCursor, and RateLimited for a search above the caller's rate.
    """
    if query.q and (wait := searches.wait_of(deps.live, caller)):
        raise RateLimited(wait, searches.PER_MINUTE.most, "searches of one caller are limited to")
    contexts = _contexts(caller, query)
    listed = _listed(deps, caller, query)
    named = query.model_dump(exclude={"limit", "cursor"})
    access = (*sorted(contexts), *sorted(caller.projects))
    listing = Listing(
        caller.company, listed.index, ("inbox", *(str(v or "") for v in named.values()), *access)
    )
    seal, now = deps.seal, clock.to_text(clock.now_ms())
    at = listing.position(seal, query.cursor) if query.cursor else {}
    part = at.get("of", OTHERS if query.cursor else PEOPLE)
    before = at.get("activity") or None
    wanted = _wanted(caller, query, now)
    people = _of_people(deps, wanted) if contexts else {}
    shown = _after(people.values(), before)[: query.limit + 1] if part == PEOPLE else []
    if len(shown) > query.limit:
        page = _inbox(seal, now, shown[:-1], _NOTHING, len(people))
        return Page(page, listing.cursor(seal, {"of": PEOPLE, "activity": shown[-2].activity}))
    left = query.limit - len(shown)
    # One more than a page: whether there is another page.
    start = before if part == OTHERS else None
    stored = lists.entries(deps.table, listed, limit=left + 1, before=start)
    others = (entry for entry in stored if entry.pk not in people)
    found = _page(others, wanted, left, ENTRIES_PER_CALL) if contexts else _NOTHING
    result = _inbox(seal, now, [*shown, *found.entries], found, len(people))
    if found.is_end:
        return Page(result)
    last = found.last.activity if found.last else ""
    return Page(result, listing.cursor(seal, {"of": OTHERS, "activity": last}))


def counted(deps: InboxDependencies, caller: Caller, query: InboxQuery) -> tuple[int, bool]:
    """
    Return how many conversations of the caller's company fit, and whether there are no more.

    Compares at most ENTRIES_PER_COUNT of the newest ones: about 15 read units.
    """
    if not _contexts(caller, query):
        return 0, True
    wanted = _wanted(caller, query, clock.to_text(clock.now_ms()))
    stored = lists.entries(deps.table, _listed(deps, caller, query), limit=MOST_COUNTED + 1)
    found = _page(stored, wanted, MOST_COUNTED, ENTRIES_PER_COUNT)
    return len(found.entries), found.is_end


def _contexts(caller: Caller, query: InboxQuery) -> frozenset[Context]:
    return readable(caller) & ({query.context} if query.context else set(Context))


def _listed(deps: InboxDependencies, caller: Caller, query: InboxQuery) -> MergedList[Entry]:
    # A search that names no status is for a person or a text, in whichever status.
    statuses = _STATUSES["all" if query.q and query.status is None else query.status]
    unread = [True, False] if query.unread is None else [query.unread == "true"]
    if query.assignee is not None:
        return lists.of_assignee(caller.company, query.assignee, statuses, unread)
    return lists.of_company(deps.table, caller.company, statuses, unread)


def _of_people(deps: InboxDependencies, wanted: _Filter) -> dict[str, Entry]:
    """
    Return the newest conversations of the people whom a search finds by key, newest first.

    None for a key that is bound to projects, as for GET /contacts: its reads would show by their number whether others
    of the company have a person.
    """
    if not wanted.terms or without_project([Scope.CONTACTS_READ], wanted.caller.projects):
        return {}
    found = deps.people(wanted.caller).first(wanted.terms, MOST_PEOPLE)
    entries = (entry for one in found for entry in one.entries if wanted.fits_person(entry))
    newest = sorted(entries, key=lambda entry: entry.activity, reverse=True)
    return {entry.pk: entry for entry in newest}


def _after(entries: Iterable[Entry], before: str | None) -> list[Entry]:
    return [entry for entry in entries if before is None or entry.activity < before]


def _inbox(seal: Seal, now: str, entries: Sequence[Entry], found: _Found, of_people: int) -> Inbox:
    """Return the view of a page. *of_people*: how many conversations were read as people's."""
    oldest = found.looked_back_to
    return Inbox(
        conversations=[row_of(seal, entry, now) for entry in entries],
        looked_at=found.looked_at + of_people,
        looked_back_to=activity_of(oldest) if oldest else None,
        read_units=-(-found.looked_at * READ_UNITS_PER_1000 // 1_000) + of_people,
    )


def _wanted(caller: Caller, query: InboxQuery, now: str) -> _Filter:
    return _Filter(
        caller=caller,
        readable=readable(caller),
        query=query,
        terms=terms_of(query.q or ""),
        now=now,
    )


def row_of(seal: Seal, entry: Entry, now: str) -> InboxRow:
    """Return the row of an entry at the time *now*."""
    key = key_of(entry.context, entry.company_id, entry.reference, lambda: seal)
    return row(entry, key=key, now=now)


def _page(stored: Iterable[Entry], wanted: _Filter, limit: int, most: int) -> _Found:
    found: list[Entry] = []
    last: Entry | None = None
    oldest: Entry | None = None
    looked_at = 0
    for compared, entry in enumerate(stored):
        if len(found) == limit or compared == most:
            return _Found(found, looked_at, oldest, last, is_end=False)
        last = entry
        if is_readable(wanted.caller, wanted.readable, entry):
            oldest, looked_at = entry, looked_at + 1
            if wanted.fits(entry):
                found.append(entry)
    return _Found(found, looked_at, oldest, last, is_end=True)
