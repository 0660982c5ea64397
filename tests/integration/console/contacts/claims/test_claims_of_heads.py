"""Which identifiers the heads of each context prove to be their customers'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.store import conversations, states
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.identifiers import REQUEST_PREFIX
from conversations.store.lists.inbox_heads import shown as shown_conversation
from events.conversations import sample_data
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.items import Head
from shared.policy.consent.withdrawals import Withdrawal
from tests.integration.conversations.harness import ANN, Harness, _behind, harness
from whatsapp.store.conversations.inbox_heads import shown
from whatsapp.store.items import Conversation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.policy.consent.withdrawals import Change

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


def test_a_whatsapp_customer_with_a_hidden_number_is_proven_by_the_user_id_of_the_account() -> None:
    user_id, account = "US.13491208655302741918", "102290129340398"
    known = claim(IdentifierKind.USER_ID, f"{account}:{user_id}", Proof.PROVIDER)
    for later in ({}, {"sender_phone": "447700900101"}, {"sender_user_id": "US.2"}):
        assert head_of(user_id, waba_meta_id=account, **later).claims == (known,)


@pytest.mark.parametrize(
    ("contact", "facts"),
    [
        ("US.13491208655302741918", {"sender_phone": "447700900101"}),
        ("120363041234567890", {}),  # a group
        ("447700900101", {"group_name": "Choir"}),
    ],
)
def test_a_whatsapp_conversation_whose_key_is_no_first_owners_number_proves_nothing(
    contact: str, facts: dict[str, Any]
) -> None:
    assert head_of(contact, **facts).claims == ()


def test_a_later_owner_of_a_whatsapp_number_is_named_by_the_second_of_the_change() -> None:
    later = (claim(PHONE, "+447700900101~20260101120000", Proof.PROVIDER),)

    assert head_of("447700900101-20260101120000").claims == later
    other = {"447700900101-20260101120000"}
    assert head_of("447700900101", owner_ids=other).claims == later


def claims_of(
    harness: Harness, ref: str, changes: Sequence[Change] = (), **facts: Any
) -> tuple[Claim, ...]:
    """The claims of a conversation whose item has other *facts*; *changes*: of the owner of the number."""
    state = states.read(harness.resources.log, ref)
    assert state is not None
    item = conversations.read(harness.resources.table, state.primary_channel, state.conversation_id)
    assert item is not None
    return shown_conversation(ref, item.model_copy(update=facts), state, changes).claims


def test_the_request_of_a_company_proves_number_and_address_that_of_the_channel_first(
    harness: Harness,
) -> None:
    tel, mail = claim(PHONE, ANN, Proof.COMPANY), claim(EMAIL, MAIL, Proof.COMPANY)
    by_mail = harness.begin("req-2", channel=ChannelMethod.EMAIL, customer=MAIL)

    assert claims_of(harness, harness.begin()) == (tel, mail)
    assert claims_of(harness, by_mail, recipient_tel=ANN) == (mail, tel)


BEFORE, LATER = "2020-01-01T12:00:00.000Z", "2099-01-01T12:00:00.000Z"
BEN, ACCOUNT = "US.90000000000000000001", "102290129340398"


def change(at: str, user_id: str | None = None, former: str | None = None) -> list[Change]:
    return Withdrawal.of(at, "wamid.1", user_id, former).changes


def test_a_number_names_its_owner_at_the_time_of_the_conversation(harness: Harness) -> None:
    tel, mail = claim(PHONE, ANN, Proof.COMPANY), claim(EMAIL, MAIL, Proof.COMPANY)
    next_one = claim(PHONE, f"{ANN}~20200101120000", Proof.COMPANY)
    ref = harness.begin()

    assert claims_of(harness, ref, change(LATER)) == (tel, mail)
    assert claims_of(harness, ref, change(BEFORE, BEN)) == (next_one, mail)


def test_a_request_after_a_notice_alone_does_not_say_whom_the_number_names(
    harness: Harness,
) -> None:
    next_one = claim(PHONE, f"{ANN}~20200101120000", Proof.COMPANY)
    mail = claim(EMAIL, MAIL, Proof.COMPANY)

    assert claims_of(harness, harness.begin(), change(BEFORE)) == (mail,)
    answered = harness.begin("req-2", last_inbound_at=AT)
    assert claims_of(harness, answered, change(BEFORE)) == (next_one, mail)


def test_a_later_owner_with_a_user_id_is_named_by_it_whenever_they_wrote(harness: Harness) -> None:
    facts: dict[str, Any] = {"customer_user_id": BEN, "customer_account": ACCOUNT}
    ref = harness.begin(f"{REQUEST_PREFIX}1", began_at=AT, **facts)
    ben = (claim(IdentifierKind.USER_ID, f"{ACCOUNT}:{BEN}", Proof.PROVIDER),)

    for at in (BEFORE, LATER):
        assert claims_of(harness, ref, change(at, BEN), recipient_email=None) == ben
    first = claims_of(harness, ref, change(BEFORE, "US.1", BEN), recipient_email=None)
    assert first == (claim(PHONE, ANN, Proof.PROVIDER),)
    assert claims_of(harness, ref, recipient_tel=None, recipient_email=None) == ben


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
