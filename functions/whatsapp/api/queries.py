"""Read access to the inbox: conversations of a number, and messages of a conversation, newest first, paginated."""

from collections.abc import Iterable
from dataclasses import dataclass

from shared.api.cursors import Listing, Page
from shared.api.opaque_ids import NotOurs, Seal, seal_of
from shared.aws.dynamodb import Attributes, Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import digest
from whatsapp import store
from whatsapp.api import versions
from whatsapp.api.inputs import ConversationsQuery, MessagesQuery
from whatsapp.api.views import Conversations, Messages, conversation_view, message_view
from whatsapp.store.items import Conversation, Edit, Media, Message, Phone

# Messages share the inbox's index with conversations. One call reads a bounded number of entries, then returns a
# cursor.
ENTRIES_PER_CALL = 2_000
ENTRIES_PER_QUERY = 400


class NotFound(Exception):
    """Missing, or another company's: the response does not distinguish them."""


class PhoneRequired(Exception):
    """The company has several numbers, so the call must name one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiDependencies:
    """Table and bucket, and the secret that seals addresses and cursors (`shared.api.opaque_ids.seal_of`)."""

    table: Table
    bucket: Bucket
    seal_secret: JsonSecret

    @property
    def seal(self) -> Seal:
        """The seal of keys and cursors. Raises SecretUnreadable."""
        return seal_of(self.seal_secret)


def conversations(
    deps: ApiDependencies, company: str, query: ConversationsQuery
) -> Page[Conversations]:
    """
    Return conversations of one number of *company*. New messages move a conversation to the front during paging.

    Raises PhoneRequired, NotFound and InvalidCursor.
    """
    phone = _phone(deps.table, company, query.phone)
    parts = ("conversations", phone.phone, query.archived or "")
    listing = Listing(company, store.heads.INBOX_INDEX, parts)
    seal = deps.seal
    start = listing.position(seal, query.cursor) if query.cursor is not None else None
    heads, last = _heads(deps.table, phone, query, start)
    views = [
        conversation_view(
            head, phone.phone, key=seal.seal(head.pk, bound_to=conversation_address(company))
        )
        for head in store.heads.read_whole(deps.table, heads)
    ]
    return Page(Conversations(conversations=views), listing.cursor(seal, last) if last else None)


def messages(deps: ApiDependencies, company: str, key: str, query: MessagesQuery) -> Page[Messages]:
    """
    Return the messages of a conversation, by its *key* from `conversations`, and those of the earlier conversations
    that are linked to it. Raises NotFound and InvalidCursor.
    """
    seal = deps.seal
    head = _conversation(deps.table, seal, company, key)
    pks = (head.pk, *sorted(head.linked_conversations))
    listing = Listing(company, store.messages.TIMELINE_INDEX, ("messages", *pks))
    start = listing.position(seal, query.cursor) if query.cursor is not None else None
    last: Attributes | None
    if len(pks) > 1:
        positions = start or store.timelines.first_positions(pks)
        stored, next_positions = store.timelines.page(deps.table, positions, limit=query.limit)
        last = next_positions or None
    else:
        stored, last = store.messages.page(deps.table, head.pk, limit=query.limit, start=start)
    shown = [message for message in stored if message.company == company]
    edits = versions.edits_of(deps.table, company, shown)
    files = _records_of_files(deps.table, company, shown, edits.values())
    views = [
        message_view(
            deps.bucket,
            message,
            files.get(message.media_id or ""),
            versions.version_views(deps.bucket, message, edits[message.pk], files)
            if message.pk in edits
            else None,
        )
        for message in shown
    ]
    return Page(Messages(messages=views), listing.cursor(seal, last) if last else None)


def _phone(table: Table, company: str, requested_phone: str | None) -> Phone:
    """Return the requested number of the company: by id or digits, or its only one."""
    entries = store.phones.of_company(table, company)
    if requested_phone is not None:
        digits = requested_phone.lstrip("+ ")
        by_id = [entry for entry in entries if entry["phone"] == digits]
        entries = by_id or [entry for entry in entries if entry["displayPhone"] == digits]
    if len(entries) > 1:
        raise PhoneRequired("phone: is required if the company has several numbers")
    phone = store.phones.get(table, entries[0]["phone"]) if entries else None
    if phone is None or phone.company != company:
        raise NotFound("phone: number not found")
    return phone


def _heads(
    table: Table, phone: Phone, query: ConversationsQuery, start: Attributes | None
) -> tuple[list[Conversation], Attributes | None]:
    """Return heads from *start* and the next start key; fewer than the limit if many messages are in between."""
    selected: list[Conversation] = []
    for _ in range(ENTRIES_PER_CALL // ENTRIES_PER_QUERY):
        heads, start = store.heads.page(
            table, phone.phone_arn, limit=ENTRIES_PER_QUERY, start=start
        )
        matching = [
            head
            for head in heads
            if query.archived is None or bool(head.archived) == (query.archived == "true")
        ]
        room = query.limit - len(selected)
        selected += matching[:room]
        if len(matching) > room:
            # Not the position where the index read stopped: heads that did not fit come next.
            return selected, store.heads.position_of(selected[-1])
        if start is None or len(selected) == query.limit:
            break
    return selected, start


def _conversation(table: Table, seal: Seal, company: str, key: str) -> Conversation:
    """Return the company's conversation with this address. Raises NotFound."""
    try:
        head = store.heads.get(table, seal.open(key, bound_to=conversation_address(company)))
    except NotOurs:
        head = None
    if head is not None and head.company == company and head.linked_to:
        head = store.heads.get(table, head.linked_to)  # the conversation that continues it
    if head is None or head.company != company:
        raise NotFound("key: conversation not found")
    return head


def conversation_address(company: str) -> str:
    """Return what the keys of a company's conversations are bound to (`shared.api.opaque_ids`)."""
    return digest("conversation", company)


def _records_of_files(
    table: Table, company: str, shown: Iterable[Message], edits: Iterable[Edit]
) -> dict[str, Media]:
    """Return the records of announced files that messages do not have yet, and of all versions, by media id."""
    needed = [m.media_id for m in shown if m.media_id and not m.s3_key and not m.erased]
    needed += [media_id for record in edits for media_id in versions.media_ids_of(record)]
    records = store.media.records_by_id(table, needed) if needed else {}
    return {name: record for name, record in records.items() if record.company == company}
