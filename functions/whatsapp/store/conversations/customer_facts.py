"""Facts about the customer in a conversation's head: ids, windows, permissions and choices."""

from contextlib import suppress

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.conversations.head_writes import MAX_ROUNDS, forward, update_if
from whatsapp.store.items import Conversation, Phone, pk
from whatsapp.store.items.item import PARTITION_KEY

_of = Conversation.attr


def note_identity_change(table: Table, conversation_pk: str, changed_at: str) -> None:
    """Record when the customer's identity (their phone's key) last changed; the time only moves forward."""
    is_known = Attr(PARTITION_KEY).exists()
    facts = Conversation.named(identity_changed_at=changed_at)
    moves_forward = forward("identity_changed_at", changed_at)
    update_if(table, conversation_pk, facts, is_known & moves_forward)


def note_new_ids(
    table: Table, conversation_pk: str, k: str, phone: str | None, user_id: str | None
) -> None:
    """
    Set the customer's new number and user id from a notice with the order key *k*, unless the customer has written
    since: what the business sent, or wrote in its own app, proves no number. Safe to repeat.

    A customer whose new number is unknown has none: the previous one is another person's. Raises Transient after many
    concurrent writes.
    """
    ids = Conversation.named(sender_phone=phone, sender_user_id=user_id)
    for _ in range(MAX_ROUNDS):
        item = table.get(pk(conversation_pk))
        head = Conversation.read(item) if item else None
        if head is not None and head.linked_to is not None:
            conversation_pk = head.linked_to
            continue
        if head is None or any(counted > k for counted in head.recent_keys):
            return
        unchanged: ConditionBase = _of("linked_to").not_exists()
        seen = _of("recent_keys")
        unchanged &= seen.eq(head.recent_keys) if head.recent_keys else seen.not_exists()
        gone = [name for name, value in ids.items() if value is None]
        try:
            table.update(pk(conversation_pk), put=ids, drop=gone, when=unchanged)
        except ConditionFailed:
            continue
        return
    raise Transient("head_contended")


def note_owner(table: Table, conversation_pk: str, owner_ids: set[str]) -> None:
    """Store the ids that name the customer in place of the number in the key; none if that number names them."""
    ids = Conversation.named(owner_ids=owner_ids) if owner_ids else {}
    gone = [] if owner_ids else [Conversation.name_of("owner_ids")]
    with suppress(ConditionFailed):  # The head was erased.
        table.update(pk(conversation_pk), put=ids, drop=gone, when=Attr(PARTITION_KEY).exists())


def open_window(table: Table, conversation_pk: str, at: str, company: str, phone: str) -> None:
    """Start the window for free-form answers at *at*, if later than its current start: the customer called."""
    facts = Conversation.named(last_inbound_at=at) | _unlisted(company, phone)
    update_if(table, conversation_pk, facts, forward("last_inbound_at", at))


def note_call_permission(table: Table, conversation_pk: str, until: str) -> None:
    """Store the time until which the customer allows calls, according to their newest answer."""
    facts = Conversation.named(call_permission_until=until)
    update_if(table, conversation_pk, facts, Attr(PARTITION_KEY).exists())


def note_blocked(table: Table, conversation_pk: str, *, is_blocked: bool) -> None:
    """Store whether the business has blocked the customer, on an existing head only. Safe to repeat."""
    facts = Conversation.named(blocked=is_blocked)
    update_if(table, conversation_pk, facts, Attr(PARTITION_KEY).exists())


def note_marketing_choice(
    table: Table, conversation_pk: str, at: str, company: str, phone: str, *, is_out: bool
) -> None:
    """
    Store the customer's newest marketing choice; of two in the same second, opt-out wins. Safe to repeat.

    A conversation without messages gets a head that no listing shows, as in `open_window`.
    """
    stored_at = _of("marketing_opt_out_at")
    newer = stored_at.not_exists() | (stored_at.lte(at) if is_out else stored_at.lt(at))
    choice = Conversation.named(marketing_opt_out=is_out, marketing_opt_out_at=at)
    update_if(table, conversation_pk, choice | _unlisted(company, phone), newer)


def note_marketing_cap(
    table: Table, conversation_pk: str, at: str, company: str, phone: str
) -> None:
    """
    Record when the provider last refused marketing to the customer because they get enough of it; the time only moves
    forward. Safe to repeat.

    A conversation without messages gets a head that no listing shows, as in `open_window`.
    """
    facts = Conversation.named(marketing_capped_at=at) | _unlisted(company, phone)
    update_if(table, conversation_pk, facts, forward("marketing_capped_at", at))


def note_saved_name(
    table: Table, conversation_pk: str, at: str, phone: Phone, name: str | None
) -> None:
    """
    Store the name that the business's address book has for the customer at the time *at*; None: it has none. The time
    only moves forward. Safe to repeat.

    A conversation without messages gets a head that no listing shows, as in `open_window`.
    """
    facts = Conversation.named(saved_name=name, saved_name_at=at)
    gone = [field for field, value in facts.items() if value is None]
    unlisted = _unlisted(str(phone.company), phone.phone)
    with suppress(ConditionFailed):
        table.update(
            pk(conversation_pk),
            put=facts | unlisted,
            drop=gone,
            when=forward("saved_name_at", at),
        )


def _unlisted(company: str, phone: str) -> Attributes:
    """Return the attributes of a head without messages; the first message does not change them."""
    return Conversation.named(company=company, phone=phone) | {"itemType": Conversation.item_type}
