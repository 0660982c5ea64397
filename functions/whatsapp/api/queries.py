"""Read access to the inbox: numbers, conversations, and a conversation's messages, notes and changes; newest first."""

from collections.abc import Iterable
from dataclasses import dataclass

from shared.api.auth import Caller, Scope
from shared.api.cursors import Listing, Page
from shared.api.errors import Newer
from shared.api.opaque_ids import NotOurs, Seal, seal_of
from shared.aws.dynamodb import Attributes, Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.inbox.references import whatsapp_address
from whatsapp import store
from whatsapp.api import versions
from whatsapp.api.call_views import call_view
from whatsapp.api.inputs import ChangesQuery, MessagesQuery, NotesQuery
from whatsapp.api.message_views import ConversationMessages, message_view
from whatsapp.api.views import (
    Changes,
    ChangeView,
    Notes,
    NoteView,
    Numbers,
    number_view,
)
from whatsapp.store import ordering
from whatsapp.store.items import Conversation, Edit, Media, Message, Phone
from whatsapp.store.items.conversations.groups import Call

_NEWEST = 20  # messages that are looked at for an answer
_OF_A_NOTE = {"by", "text"}


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


def numbers(table: Table, company: str) -> Page[Numbers]:
    """Return the numbers of *company*."""
    phones = store.phones.records_of_company(table, company)
    return Page(Numbers(numbers=[number_view(phone) for phone in phones]))


def messages(
    deps: ApiDependencies, caller: Caller, key: str, query: MessagesQuery
) -> Page[ConversationMessages]:
    """
    Return the messages of a conversation, by its *key* from `conversations`, and of the earlier conversations that are
    linked to it. Raises NotFound and InvalidCursor.
    """
    return messages_of(deps, caller, head_of(deps, caller.company, key), query)


def messages_of(
    deps: ApiDependencies, caller: Caller, head: Conversation, query: MessagesQuery
) -> Page[ConversationMessages]:
    """Return the messages of a conversation, and the calls between them if the caller may read calls."""
    seal, company = deps.seal, caller.company
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
    own = [entry for entry in stored if entry.company == company]
    shown = [entry for entry in own if isinstance(entry, Message) and not entry.deleted_at]
    edits = versions.edits_of(deps.table, company, shown)
    files = _records_of_files(deps.table, company, shown, edits.values())
    phone = _number_of_recordings(deps.table, shown)
    views = [
        message_view(
            deps.bucket,
            message,
            files.get(message.media_id or ""),
            versions.version_views(deps.bucket, message, edits[message.pk], files)
            if message.pk in edits
            else None,
            phone=phone,
        )
        for message in shown
    ]
    for message, view in zip(shown, views, strict=True):
        view.action_id = None if message.erased else message.action_id
    page = ConversationMessages(messages=views)
    if Scope.WHATSAPP_CALLS in caller.scopes:
        page.calls = [
            call_view(entry) for entry in own if isinstance(entry, Call) and not entry.erased
        ]
    return Page(page, listing.cursor(seal, last) if last else None)


def _number_of_recordings(table: Table, shown: Iterable[Message]) -> Phone | None:
    """Return the number of these messages if one of them is a recording; it may have a transcriber."""
    recording = next((one for one in shown if one.is_recording), None)
    return store.phones.get(table, recording.phone) if recording else None


def notes(deps: ApiDependencies, company: str, key: str, query: NotesQuery) -> Page[Notes]:
    """Return the internal notes of a conversation. Raises NotFound and InvalidCursor."""
    return notes_of(deps, company, head_of(deps, company, key), query)


def notes_of(
    deps: ApiDependencies, company: str, head: Conversation, query: NotesQuery
) -> Page[Notes]:
    """Return the internal notes of a conversation. Raises InvalidCursor."""
    seal = deps.seal
    listing = Listing(company, store.messages.TIMELINE_INDEX, ("notes", head.pk))
    start = listing.position(seal, query.cursor) if query.cursor is not None else None
    stored, last = store.notes.page(deps.table, head.pk, limit=query.limit, start=start)
    views = [
        NoteView(id=note.note_id, at=note.received_at, **note.model_dump(include=_OF_A_NOTE))
        for note in stored
        if note.company == company
    ]
    return Page(Notes(notes=views), listing.cursor(seal, last) if last else None)


def changes(deps: ApiDependencies, company: str, key: str, query: ChangesQuery) -> Page[Changes]:
    """Return the changes of a conversation by agents. Raises NotFound."""
    return Page(changes_of(deps.table, head_of(deps, company, key), query))


def changes_of(table: Table, head: Conversation, query: ChangesQuery) -> Changes:
    """Return the changes of a conversation by agents."""
    below = query.before or head.revision + 1
    found = store.agent_changes.page(table, head, limit=query.limit, below=below)
    views = [ChangeView(**one.model_dump(include=set(ChangeView.model_fields))) for one in found]
    return Changes(changes=views)


def answer_after(table: Table, head: Conversation, position: str, *, besides: str) -> Newer | None:
    """
    Return the newest answer after a position whose author is not *besides*; None if there is none.

    The head decides without a read if no answer came after the position. An answer that the list of messages does not
    show yet counts as another author's.
    """
    seen_to = ordering.time_of(position)
    last_answer_at = head.last_outbound_at or ""
    if head.last_key is None or last_answer_at < ordering.moment_of(seen_to):
        return None
    entries, _ = store.messages.page(table, head.pk, limit=_NEWEST, start=None)
    answers = [one for one in entries if isinstance(one, Message) and one.direction == "OUTBOUND"]
    for answer in answers:
        if answer.received_at > seen_to and answer.sent_by != besides:
            return Newer(position=head.last_key, id=answer.message_id, by=answer.sent_by)
    is_listed = any(ordering.moment_of(one.received_at) >= last_answer_at for one in answers)
    return None if is_listed else Newer(position=head.last_key, id="", by=None)


def conversation_of(deps: ApiDependencies, company: str, key: str) -> tuple[Conversation, Phone]:
    """Return the company's conversation with this address, and its number, which must be in use. Raises NotFound."""
    head = head_of(deps, company, key)
    phone = store.phones.get(deps.table, head.phone or "")
    if phone is None or phone.company != company or not phone.in_use:
        raise NotFound("key: the number of the conversation is not in use")
    return head, phone


def phone_of(table: Table, company: str, requested_phone: str | None) -> Phone:
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


def head_of(deps: ApiDependencies, company: str, key: str) -> Conversation:
    """Return the company's conversation with this address (strongly consistent read). Raises NotFound."""
    try:
        address = deps.seal.open(key, bound_to=conversation_address(company))
        head = store.heads.get(deps.table, address)
    except NotOurs:
        head = None
    if head is not None and head.company == company and head.linked_to:
        head = store.heads.get(deps.table, head.linked_to)  # the conversation that continues it
    if head is None or head.company != company:
        raise NotFound("key: conversation not found")
    return head


def conversation_address(company: str) -> str:
    """Return the address to which the keys of a company's conversations are bound (`shared.api.opaque_ids`)."""
    return whatsapp_address(company)


def _records_of_files(
    table: Table, company: str, shown: Iterable[Message], edits: Iterable[Edit]
) -> dict[str, Media]:
    """Return the records of announced files that messages do not have yet, and of all versions, by media id."""
    needed = [m.media_id for m in shown if m.media_id and not m.s3_key and not m.erased]
    needed += [media_id for record in edits for media_id in versions.media_ids_of(record)]
    records = store.media.records_by_id(table, needed) if needed else {}
    return {name: record for name, record in records.items() if record.company == company}
