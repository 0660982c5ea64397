"""The inbox read back: conversations of a number, and the messages of one of them, newest first, page by page."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from shared.api.cursors import Listing
from shared.api.opaque_ids import NotOurs, Seal, seal_of
from shared.aws.dynamodb import Attributes, Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import digest
from whatsapp import store
from whatsapp.api.views import Conversations, Messages, conversation_view, message_view
from whatsapp.store.items import Conversation, Media, Message, Phone

# Messages stand between the conversations in the inbox's index. What one call reads is bounded, then comes a cursor.
ENTRIES_PER_CALL = 2_000
ENTRIES_PER_QUERY = 400


class NotFound(Exception):
    """Not there, or another company's: the caller is not told which."""


class PhoneRequired(Exception):
    """The company has several numbers, so the call must say which one it means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is read from, and what seals its addresses and cursors (`shared.api.opaque_ids.seal_of`)."""

    table: Table
    bucket: Bucket
    seal_secret: JsonSecret

    @property
    def seal(self) -> Seal:
        """What makes keys and cursors. Raises SecretUnreadable."""
        return seal_of(self.seal_secret)


class _Query(BaseModel):
    # Strict about names: a filter with a typing error must not answer as if it had not been there.
    model_config = ConfigDict(extra="forbid", defer_build=True, hide_input_in_errors=True)

    limit: int = Field(default=50, ge=1, le=100)
    cursor: str | None = None


class ConversationsQuery(_Query):
    """Which conversations. `phone`: Meta's id of the number, or its digits; may be left out where there is but one."""

    # A `+` that nobody escaped arrives as a blank.
    phone: str | None = Field(default=None, pattern=r"^[+ ]?[0-9]{5,20}$")
    archived: Literal["true", "false"] | None = None  # none: both


class MessagesQuery(_Query):
    """Which messages of a conversation."""


@dataclass(frozen=True, slots=True)
class Page[R]:
    """Part of a listing. With a cursor there may be more behind it, however short this part is; without, it is over."""

    result: R
    cursor: str | None


def conversations(source: Source, company: str, query: ConversationsQuery) -> Page[Conversations]:
    """
    Conversations of one number of *company*. One that gets a message while a caller pages moves to the front.

    Raises PhoneRequired, NotFound and InvalidCursor.
    """
    phone = _phone(source.table, company, query.phone)
    parts = ("conversations", phone.phone, query.archived or "")
    listing = Listing(company, store.heads.INBOX_INDEX, parts)
    seal = source.seal
    start = listing.position(seal, query.cursor) if query.cursor is not None else None
    heads, last = _heads(source.table, phone, query, start)
    views = [
        conversation_view(head, phone.phone, key=seal.seal(head.pk, bound_to=_address(company)))
        for head in heads
    ]
    return Page(Conversations(conversations=views), listing.cursor(seal, last) if last else None)


def messages(source: Source, company: str, key: str, query: MessagesQuery) -> Page[Messages]:
    """Messages of the conversation that `conversations` gave *key* to. Raises NotFound and InvalidCursor."""
    seal = source.seal
    head = _conversation(source.table, seal, company, key)
    listing = Listing(company, store.messages.TIMELINE_INDEX, ("messages", head.pk))
    start = listing.position(seal, query.cursor) if query.cursor is not None else None
    found, last = store.messages.page(source.table, head.pk, limit=query.limit, start=start)
    shown = [message for message in found if message.company == company]
    records = _records_of_missing_files(source.table, company, shown)
    views = [message_view(source.bucket, m, records.get(m.media_id or "")) for m in shown]
    return Page(Messages(messages=views), listing.cursor(seal, last) if last else None)


def _phone(table: Table, company: str, given: str | None) -> Phone:
    """The company's number that is meant: the one with this id or these digits, or its only one."""
    entries = store.phones.of_company(table, company)
    if given is not None:
        digits = given.lstrip("+ ")
        by_id = [entry for entry in entries if entry["phone"] == digits]
        entries = by_id or [entry for entry in entries if entry["displayPhone"] == digits]
    if len(entries) > 1:
        raise PhoneRequired("phone: the company has several numbers; give the id of one")
    phone = store.phones.get(table, entries[0]["phone"]) if entries else None
    if phone is None or phone.company != company:
        raise NotFound("phone: the company has no such number")
    return phone


def _heads(
    table: Table, phone: Phone, query: ConversationsQuery, start: Attributes | None
) -> tuple[list[Conversation], Attributes | None]:
    """Heads from *start* on, and where to go on; fewer than the limit where many messages stand between them."""
    found: list[Conversation] = []
    for _ in range(ENTRIES_PER_CALL // ENTRIES_PER_QUERY):
        heads, start = store.heads.page(
            table, phone.phone_arn, limit=ENTRIES_PER_QUERY, start=start
        )
        wanted = [
            head
            for head in heads
            if query.archived is None or bool(head.archived) == (query.archived == "true")
        ]
        room = query.limit - len(found)
        found += wanted[:room]
        if len(wanted) > room:
            # Not where the index stopped reading: the heads that this page had no room for come next.
            return found, store.heads.position_of(found[-1])
        if start is None or len(found) == query.limit:
            break
    return found, start


def _conversation(table: Table, seal: Seal, company: str, key: str) -> Conversation:
    """The company's conversation with this address. Raises NotFound."""
    try:
        head = store.heads.get(table, seal.open(key, bound_to=_address(company)))
    except NotOurs:
        head = None
    if head is None or head.company != company:
        raise NotFound("key: the company has no such conversation")
    return head


def _address(company: str) -> str:
    return digest("conversation", company)


def _records_of_missing_files(
    table: Table, company: str, shown: Iterable[Message]
) -> dict[str, Media]:
    """What is known about files that messages announce and do not have, by media id."""
    missing = [m.media_id for m in shown if m.media_id and not m.s3_key and not m.erased]
    records = store.media.known(table, missing) if missing else {}
    return {name: record for name, record in records.items() if record.company == company}
