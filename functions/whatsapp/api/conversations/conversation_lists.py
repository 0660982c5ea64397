"""Lists conversations. Filters by number, assignee, archived, status and unread give full pages; a label may not."""

from dataclasses import dataclass

from shared.api.cursors import Listing, Page
from shared.api.opaque_ids import Seal
from shared.aws.tables.merged_lists import MergedList
from shared.runtime import clock
from whatsapp import store
from whatsapp.api.inputs import ConversationsQuery
from whatsapp.api.queries import ApiDependencies, conversation_address, phone_of
from whatsapp.api.views import Conversations, conversation_view
from whatsapp.store.conversations.lists.conversation_lists import START, Position
from whatsapp.store.items import Conversation
from whatsapp.store.items.conversations.conversations import ARCHIVED, Folder

# A label, the status of archived conversations, and the number of an assignee's conversations are compared entry by
# entry. One call compares a bounded number, then returns a cursor.
ENTRIES_PER_CALL = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filter:
    """The conditions that are compared entry by entry; None: everything fits."""

    phone: str | None
    status: str | None
    label: str | None
    now: str

    def fits(self, head: Conversation) -> bool:
        return (
            self.phone in {None, head.phone}
            and self.status in {None, head.state(self.now)}
            and (self.label is None or self.label in (head.labels or ()))
        )


def conversations(
    deps: ApiDependencies, company: str, query: ConversationsQuery
) -> Page[Conversations]:
    """
    Return conversations of one number, or of an assignee, newest first. New messages move a conversation to the front
    during paging.

    Raises PhoneRequired, NotFound and InvalidCursor.
    """
    is_of_all = query.assignee is not None and query.phone is None
    phone = None if is_of_all else phone_of(deps.table, company, query.phone)
    folders, unread = _folders(query), _unread(query)
    if query.assignee is not None:
        listed = store.conversation_lists.of_assignee(company, query.assignee, folders, unread)
    elif phone is not None:
        listed = store.conversation_lists.of_number(phone.phone, folders, unread)
    named = query.model_dump(include={"archived", "unread", "assignee", "status", "label"})
    parts = ("conversations", phone.phone if phone else "", *(str(v or "") for v in named.values()))
    listing = Listing(company, listed.index or "", parts)
    seal, now = deps.seal, clock.to_text(clock.now_ms())
    start = _position(listing, seal, query.cursor)
    wanted = _Filter(
        phone=phone.phone if phone else None, status=query.status, label=query.label, now=now
    )
    heads, last = _page(deps, listed, wanted, query.limit, start)
    views = [
        conversation_view(
            head, key=seal.seal(head.pk, bound_to=conversation_address(company)), now=now
        )
        for head in heads
        if head.company == company
    ]
    ended = {"receivedAt": last.received_at, "shown": list(last.shown)} if last else None
    return Page(Conversations(conversations=views), listing.cursor(seal, ended) if ended else None)


def _folders(query: ConversationsQuery) -> list[Folder]:
    """Return the folders that can hold conversations of the query."""
    status: dict[str | None, tuple[Folder, ...]] = {
        None: ("open", "resolved", "snoozed"),
        "open": ("open", "snoozed"),  # A snooze that is over is open, and still in its folder.
        "resolved": ("resolved",),
        "snoozed": ("snoozed",),
    }
    if query.archived == "true":
        return [ARCHIVED]
    return [*status[query.status], *(() if query.archived == "false" else (ARCHIVED,))]


def _unread(query: ConversationsQuery) -> list[bool]:
    return [True, False] if query.unread is None else [query.unread == "true"]


def _position(listing: Listing, seal: Seal, cursor: str | None) -> Position:
    if cursor is None:
        return START
    content = listing.position(seal, cursor)
    return Position(content["receivedAt"], tuple(content["shown"]))


def _page(
    deps: ApiDependencies,
    listed: MergedList[Conversation],
    wanted: _Filter,
    limit: int,
    start: Position,
) -> tuple[list[Conversation], Position | None]:
    """Return a page of fitting conversations and where it ended; None if there is no further entry."""
    found: list[Conversation] = []
    position = start
    # One more than a page: whether there is another page.
    entries = store.conversation_lists.entries(deps.table, listed, limit=limit + 1, start=start)
    for compared, head in enumerate(entries):
        if len(found) == limit or compared == ENTRIES_PER_CALL:
            return found, position
        position = position.after(head)
        if wanted.fits(head):
            found.append(head)
    return found, None
