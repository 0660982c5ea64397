"""Reports about messages, as separate items: statuses, edits and reactions. Each may precede its message."""

from collections.abc import Iterable
from contextlib import suppress

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store import ordering
from whatsapp.store.items import Edit, Message, Reaction, Status, pk
from whatsapp.store.items.item import PARTITION_KEY

_MOST_REPORTS = 100
_PLAYED = "audio"  # the type of messages that customers play
_MOST_ROUNDS = 5


def add_status(table: Table, status: Status) -> Status | None:
    """
    Write a status once, as its own item: the full history, including statuses that arrive before their message.

    Return None, or the item that exists: providers repeat statuses for days.
    """
    try:
        table.put(status.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        return Status.read(refusal.existing) if refusal.existing else None
    return None


def add_report(table: Table, status_pk: str, key: str, word: str | None) -> bool:
    """
    Refer from a status to the object of another report; *word*: its entry of the history, if it has another word.

    False if the status was erased, or has a hundred of them, which no provider is known to send.
    """
    keys = Status.attr("further_s3_keys")
    has_room = keys.not_exists() | keys.size().lt(_MOST_REPORTS)
    try:
        table.update(
            pk(status_pk),
            add=Status.named(further_s3_keys={key}, **({"further_words": {word}} if word else {})),
            when=Attr(PARTITION_KEY).exists() & has_room,
        )
    except ConditionFailed:
        return False
    return True


def waiting_statuses(table: Table, message: Message, message_id: str) -> list[Status]:
    """
    Return the statuses of a new message with one recipient that were reported under an id, in no particular order.

    Each key costs a read unit, also if there is no status. Of words without a rank, the item has the first.
    """
    words = Status.words if message.type == _PLAYED else Status.words_of_unplayed
    keys = [pk(Status.of(message.phone, message_id, word)) for word in (*words, Status.other)]
    return [Status.read(item) for item in table.get_many(keys)]


def get_edit(table: Table, edit_pk: str) -> Edit | None:
    """Return the recorded changes of a message (strongly consistent read)."""
    item = table.get(pk(edit_pk))
    return Edit.read(item) if item else None


def get_edits(table: Table, edit_pks: Iterable[str]) -> list[Edit]:
    """Return the existing ones of up to 100 records of changes."""
    keys = [pk(edit_pk) for edit_pk in edit_pks]
    return [Edit.read(item) for item in table.get_many(keys)] if keys else []


def replace_edit(table: Table, edit: Edit) -> None:
    """
    Write *edit*, derived from the previous revision. Raises Transient after a concurrent write.

    A write whose response was lost counts as a concurrent write: the redelivery reads it and finds nothing to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | Edit.attr("revision").eq(edit.revision - 1)
    try:
        table.put(edit.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("edit_contended") from None


def list_author(table: Table, edit: Edit, subject: str, at: str, ttl: int | None) -> None:
    """List *edit* under a further author, as of the author's first change. Idempotent."""
    from whatsapp.store.items.conversations.edit_authors import EditAuthor  # noqa: PLC0415 - of rare changes

    tail = subject.removeprefix("subject#")
    listed = EditAuthor(
        pk=EditAuthor.key(*edit.pk.split("#", 2)[1:], tail),
        company=edit.company,
        ttl=ttl,
        edit_pk=edit.pk,
        customer_phone=subject,
        created_at=at,
    )
    with suppress(ConditionFailed):
        table.put(listed.attributes(), when=Attr(PARTITION_KEY).not_exists())


def add_reaction(table: Table, reaction: Reaction) -> Reaction | None:
    """
    Write a participant's reaction if it is their newest to this message, or the same one; of two with the same order
    the later call wins. Return it as stored; None if a newer one is stored. Raises Transient after concurrent writes.
    """
    # Usually the stored one is of an earlier second: then no repetition of an earlier one can come after this one.
    is_earlier = Reaction.attr("order").lt(ordering.second_in(reaction.order))
    unchanged: ConditionBase = Attr(PARTITION_KEY).not_exists() | is_earlier
    written = reaction
    for _ in range(_MOST_ROUNDS):
        try:
            table.put(written.attributes(), when=unchanged)
        except ConditionFailed as refusal:
            stored = Reaction.read(refusal.existing) if refusal.existing else None
        else:
            return written
        if stored is None:
            continue
        known = [*filter(None, [stored.event_id]), *(stored.earlier_ids or [])]
        if stored.event_id == reaction.event_id and stored.order <= reaction.order:
            return stored
        if stored.order > reaction.order or reaction.event_id in known:
            return None
        written = reaction.model_copy(update={"earlier_ids": known[: Reaction.most_earlier]})
        event_id = Reaction.attr("event_id")
        unchanged = Reaction.attr("order").eq(stored.order) & (
            event_id.eq(stored.event_id) if stored.event_id else event_id.not_exists()
        )
    raise Transient("reactions_contended")
