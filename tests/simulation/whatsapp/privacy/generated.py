"""Items about Ada of the classes that no event of her day stores, with the links that they have in production."""

from __future__ import annotations

from typing import Any, Final

from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from tests.upgrade.stored_items import filled_in
from whatsapp.privacy.subjects import hashes_of
from whatsapp.store.items import Conversation, Edit, Intent
from whatsapp.store.items.accounts.tenants import PaymentOrder, Refund
from whatsapp.store.items.contacts.contact_links import ContactLink, ContactLinkChange
from whatsapp.store.items.contacts.customers import AddressDefault, FlowToken
from whatsapp.store.items.conversations.edit_authors import EditAuthor
from whatsapp.store.items.conversations.groups import Group, GroupParticipant
from whatsapp.store.items.item import WhatsAppItem
from whatsapp.store.items.sending.sequences import SequenceRun

WORDS: Final = "canary-words of Ada"
GROUP: Final = "group-1"


def generated_items(at: str) -> list[dict[str, Any]]:
    """The items as they are stored; texts that a person writes have words of Ada."""
    key, phone = ADA.wa_id, COUNTER.phone
    head = Conversation.key(phone, key)
    return [
        made(AddressDefault, AddressDefault.key(key, COMPANY), addressId=f"{ADA.name} home"),
        made(
            FlowToken, FlowToken.of("token"), customerPhone=key, createdAt=at, answers={"a": WORDS}
        ),
        made(
            Group,
            Group.key(GROUP),
            wabaMetaId=COUNTER.waba,
            groupId=GROUP,
            participants=[key],
            admins=[key],
        ),
        made(
            EditAuthor,
            EditAuthor.key(phone, "wamid.never", "hash"),
            editPk=Edit.key(phone, "wamid.never"),
            customerPhone=hashes_of(key)[0],
            createdAt=at,
        ),
        made(GroupParticipant, GroupParticipant.key(GROUP, key), participant=key),
        made(
            ContactLink,
            ContactLink.key(phone, key),
            phone=phone,
            linked=key,
            primary=key,
            changes=1,
        ),
        made(ContactLinkChange, ContactLinkChange.of(phone, key, 1), linked=key, reason=WORDS),
        made(SequenceRun, SequenceRun.key("run-1"), conversation=head, startedAt=at),
        made(PaymentOrder, PaymentOrder.key("order-1"), customerPhone=key, createdAt=at),
        made(Refund, Refund.key("refund-1"), customerPhone=key, createdAt=at, reason=WORDS),
        made(
            Intent,
            Intent.key("action-1"),
            receivedAt=at,
            webhookEventType=Intent.list_of("action-1"),
            message={"conversationPk": head, "textBody": WORDS, "to": key},
        ),
    ]


def made(kind: type[WhatsAppItem], pk: str, **more: Any) -> dict[str, Any]:
    """An item of a class with every attribute that it may have."""
    given = {**filled_in(kind, 0), "ttl": 9_999_999_999, **more, "pk": pk, "company": COMPANY}
    return kind.read(given).attributes()
