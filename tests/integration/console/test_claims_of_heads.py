"""Which identifiers the heads of each context prove to be their customers'."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.store import conversations, states
from conversations.store.inbox_heads import shown as shown_conversation
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.identifiers import REQUEST_PREFIX
from events.conversations import sample_data
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.items import Head
from tests.integration.conversations.harness import ANN, Harness, _behind, harness
from whatsapp.store.conversations.inbox_heads import shown
from whatsapp.store.items import Conversation

PHONE, EMAIL = IdentifierKind.PHONE, IdentifierKind.EMAIL
AT = "2026-01-01T12:00:00.000Z"
MAIL = sample_data.CANDIDATE_EMAIL

__all__ = ["_behind", "harness"]  # fixtures


def claim(kind: IdentifierKind, text: str, proof: Proof) -> Claim:
    return Claim(identifier(kind, text), proof)


def head_of(contact: str, **facts: Any) -> Head:
    found = shown(
        Conversation(
            pk=Conversation.key("106540352242922", contact),
            inbox_pk="INBOX#1",
            company="acme",
            phone="106540352242922",
            received_at=AT,
            **facts,
        )
    )
    assert found is not None
    return found


def test_a_whatsapp_customer_is_proven_by_the_number_of_the_conversations_key() -> None:
    assert head_of("447700900101").claims == (claim(PHONE, "+447700900101", Proof.PROVIDER),)


def test_a_whatsapp_customer_with_another_number_stays_the_same_person() -> None:
    assert head_of("447700900101", sender_phone="447700900109") == head_of(
        "447700900101", sender_phone="447700900101"
    ).model_copy(update={"handle": "447700900109"})


@pytest.mark.parametrize(
    ("contact", "facts"),
    [
        ("447700900101-20260101120000", {"sender_phone": "447700900101"}),  # a later owner
        ("US.13491208655302741918", {"sender_phone": "447700900101"}),
        ("120363041234567890", {}),  # a group
        ("447700900101", {"group_name": "Choir"}),
    ],
)
def test_a_whatsapp_conversation_whose_key_is_no_first_owners_number_proves_nothing(
    contact: str, facts: dict[str, Any]
) -> None:
    assert head_of(contact, **facts).claims == ()


def claims_of(harness: Harness, ref: str, **facts: Any) -> tuple[Claim, ...]:
    """The claims of a conversation whose item has other *facts*."""
    state = states.read(harness.resources.log, ref)
    assert state is not None
    item = conversations.read(harness.resources.table, state.primary_channel, state.conversation_id)
    assert item is not None
    return shown_conversation(ref, item.model_copy(update=facts), state).claims


def test_the_request_of_a_company_proves_number_and_address_that_of_the_channel_first(
    harness: Harness,
) -> None:
    tel, mail = claim(PHONE, ANN, Proof.COMPANY), claim(EMAIL, MAIL, Proof.COMPANY)
    by_mail = harness.begin("req-2", channel=ChannelMethod.EMAIL, customer=MAIL)

    assert claims_of(harness, harness.begin()) == (tel, mail)
    assert claims_of(harness, by_mail, recipient_tel=ANN) == (mail, tel)


def test_a_number_that_another_person_has_had_since_names_no_customer(harness: Harness) -> None:
    ref = harness.begin(number_withdrawn_at=AT)

    assert claims_of(harness, ref) == (claim(EMAIL, MAIL, Proof.COMPANY),)


def test_a_conversation_that_the_customer_began_is_proven_by_the_network(harness: Harness) -> None:
    ref = harness.begin(f"{REQUEST_PREFIX}1")

    assert claims_of(harness, ref, recipient_email=None) == (claim(PHONE, ANN, Proof.PROVIDER),)


@pytest.mark.parametrize(
    ("proven_at", "proven"), [(None, ()), (AT, (claim(EMAIL, MAIL, Proof.PROVIDER),))]
)
def test_a_mail_that_begins_a_conversation_proves_its_author_only_if_it_is_authenticated(
    harness: Harness, proven_at: str | None, proven: tuple[Claim, ...]
) -> None:
    name, channel = f"{REQUEST_PREFIX}1", ChannelMethod.EMAIL
    ref = harness.begin(name, channel=channel, customer=MAIL, email_proven_at=proven_at)

    assert claims_of(harness, ref) == proven
