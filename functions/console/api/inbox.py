"""
Reads the inbox: conversations of all contexts that the caller may read, newest first.

Status, unread and assignee are partitions of the indexes, so their pages are full. The other filters and the search
compare entry by entry: one call compares at most ENTRIES_PER_CALL, about 1 MB or 130 read units, and then returns a
cursor that goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from console.api.entry_filter import Compared, EntryFilter, compared
from console.api.views import Inbox, InboxRow, activity_of, row
from console.reading_rights import readable
from console.search.contacts import ContactSearch
from console.search.terms import terms_of
from console.store import searches
from shared.api.auth import RateLimited, Scope, without_project
from shared.api.cursors import Listing, Page
from shared.api.opaque_ids import Seal, seal_of
from shared.inbox.items import ASSIGNEE_INDEX, LIST_INDEX, Context, Entry, Status
from shared.inbox.lists import entry_lists
from shared.inbox.references import key_of
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from console.api.inputs import InboxQuery, StatusFilter
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.secrets import JsonSecret
    from shared.aws.tables.merged_lists import MergedList

ENTRIES_PER_CALL = 2_000
ENTRIES_PER_COUNT = 300
MOST_COUNTED = 99
MOST_PEOPLE = 10  # whose conversations stand before all others that a search finds
PEOPLE, OTHERS = "people", "others"  # the parts of a search, as cursors name them
READ_UNITS_PER_1000 = 50  # compared entries of the usual size (tests/cost/console/inbox.py)
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


_NOTHING = Compared([], 0, None, None, is_end=True)


def conversations(deps: InboxDependencies, caller: Caller, query: InboxQuery) -> Page[Inbox]:
    """
    Return conversations of the caller's company, newest activity first; a search has conversations of people whom it
    finds, then all others; those that wait, the longest waiting first. New messages move a conversation to the front
    during paging.

    Raises InvalidCursor, and RateLimited for a search above the caller's rate.
    """
    if query.q and (wait := searches.wait_of(deps.live, caller)):
        raise RateLimited(wait, searches.PER_MINUTE.most, "searches of one caller are limited to")
    contexts = _contexts(caller, query)
    named = query.model_dump(exclude={"limit", "cursor"})
    access = (*sorted(contexts), *sorted(caller.projects))
    listing = Listing(
        caller.company, _index(query), ("inbox", *(str(v or "") for v in named.values()), *access)
    )
    seal = deps.seal
    position = listing.position(seal, query.cursor) if query.cursor else {}
    read = _longest_waiting if query.waiting else _newest
    found, after = read(deps, caller, query, position) if contexts else (_NOTHING, None)
    oldest, now = found.looked_back_to, clock.to_text(clock.now_ms())
    result = Inbox(
        conversations=[row_of(seal, entry, now) for entry in found.entries],
        looked_at=found.looked_at + found.of_people,
        looked_back_to=activity_of(oldest) if oldest else None,
        read_units=-(-found.looked_at * READ_UNITS_PER_1000 // 1_000) + found.of_people,
    )
    return Page(result, listing.cursor(seal, after) if after else None)


def _newest(
    deps: InboxDependencies, caller: Caller, query: InboxQuery, position: Attributes
) -> tuple[Compared, Attributes | None]:
    """
    Return entries after a position, people's entries first, then the newest others; and the position after them, None
    at the end.
    """
    part = position.get("of", OTHERS if position else PEOPLE)
    before = position.get("activity") or None
    wanted = _wanted(caller, query)
    people = _of_people(deps, wanted)
    shown = _after(people.values(), before)[: query.limit + 1] if part == PEOPLE else []
    if len(shown) > query.limit:
        page = replace(_NOTHING, entries=shown[:-1], of_people=len(people))
        return page, {"of": PEOPLE, "activity": shown[-2].activity}
    left, start = query.limit - len(shown), before if part == OTHERS else None
    found = _others(deps, wanted, start, left, people)
    page = replace(found, entries=[*shown, *found.entries], of_people=len(people))
    last = found.last.activity if found.last else ""
    return page, None if found.is_end else {"of": OTHERS, "activity": last}


def _longest_waiting(
    deps: InboxDependencies, caller: Caller, query: InboxQuery, position: Attributes
) -> tuple[Compared, Attributes | None]:
    """
    Return those whose customers wait, the longest waiting first, among the next ENTRIES_PER_CALL; and the position
    after them, which is among the same entries until all of these are listed.
    """
    before, after = position.get("activity"), position.get("waiting", "")
    found = page_before(deps, caller, query, before, ENTRIES_PER_CALL)
    waiting = sorted(found.entries, key=_waiting)
    left = [entry for entry in waiting if _waiting(entry) > after]
    page = replace(found, entries=left[: query.limit])
    if len(left) > query.limit:
        same = {"activity": before} if before else {}
        return page, same | {"waiting": _waiting(left[query.limit - 1])}
    return page, found.after


def _waiting(entry: Entry) -> str:
    """Return the place of an entry among those that wait, which no other one has."""
    return f"{entry.waiting_since}#{entry.pk}"


def counted(deps: InboxDependencies, caller: Caller, query: InboxQuery) -> tuple[int, bool]:
    """
    Return how many conversations of the caller's company fit, and whether there are no more.

    Compares at most ENTRIES_PER_COUNT of the newest ones: about 15 read units.
    """
    if not _contexts(caller, query):
        return 0, True
    wanted = _wanted(caller, query)
    stored = entry_lists.entries(deps.table, _listed(deps, caller, query), limit=MOST_COUNTED + 1)
    found = compared(stored, wanted, MOST_COUNTED, ENTRIES_PER_COUNT)
    return len(found.entries), found.is_end


def _index(query: InboxQuery) -> str:
    return LIST_INDEX if query.assignee is None else ASSIGNEE_INDEX


def page_before(
    deps: InboxDependencies, caller: Caller, query: InboxQuery, before: str | None, limit: int
) -> Compared:
    """
    Return up to *limit* fitting entries before a position, an `activity`; ENTRIES_PER_CALL are compared.

    The entries of people whom a search finds are on the first page, beyond its limit.
    """
    if not _contexts(caller, query):
        return _NOTHING
    wanted = _wanted(caller, query)
    people = _of_people(deps, wanted)
    found = _others(deps, wanted, before, limit, people)
    if before is not None:
        return found
    return replace(found, entries=[*people.values(), *found.entries], of_people=len(people))


def _others(
    deps: InboxDependencies,
    wanted: EntryFilter,
    before: str | None,
    limit: int,
    people: Mapping[str, Entry],
) -> Compared:
    """Return up to *limit* fitting entries before a position, without people's entries."""
    query = wanted.query
    listed = _listed(deps, wanted.caller, query)
    # One more than a page: whether there is another page.
    stored = entry_lists.entries(deps.table, listed, limit=query.limit + 1, before=before)
    others = (entry for entry in stored if entry.pk not in people)
    return compared(others, wanted, limit, ENTRIES_PER_CALL)


def _contexts(caller: Caller, query: InboxQuery) -> frozenset[Context]:
    return readable(caller) & ({query.context} if query.context else set(Context))


def _listed(deps: InboxDependencies, caller: Caller, query: InboxQuery) -> MergedList[Entry]:
    # A search that names no status is for a person or a text, in whichever status.
    statuses = _STATUSES["all" if query.q and query.status is None else query.status]
    unread = [True, False] if query.unread is None else [query.unread == "true"]
    if query.assignee is not None:
        return entry_lists.of_assignee(caller.company, query.assignee, statuses, unread)
    return entry_lists.of_company(deps.table, caller.company, statuses, unread)


def _of_people(deps: InboxDependencies, wanted: EntryFilter) -> dict[str, Entry]:
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


def _wanted(caller: Caller, query: InboxQuery) -> EntryFilter:
    return EntryFilter(
        caller=caller,
        readable=readable(caller),
        query=query,
        terms=terms_of(query.q or ""),
        now=clock.to_text(clock.now_ms()),
    )


def row_of(seal: Seal, entry: Entry, now: str) -> InboxRow:
    """Return the row of an entry at the time *now*."""
    key = key_of(entry.context, entry.company_id, entry.reference, lambda: seal)
    return row(entry, key=key, now=now)
