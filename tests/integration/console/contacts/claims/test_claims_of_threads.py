"""Which mails prove the address of a thread's participant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from email_threads.store.lists.inbox_heads import EmailHeads
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.identifiers import IdentifierKind, identifier
from tests.integration.console.feeds.test_email_feed import ANN, thread_of
from tests.integration.email_threads.inbox import Inbox, opened


@pytest.fixture
def mails() -> Iterator[Inbox]:
    with opened() as found:
        yield found


def claims_of_thread(mails: Inbox, message_id: str = "a@x") -> tuple[Claim, ...]:
    head = EmailHeads(mails.table).read(thread_of(message_id))
    assert head is not None
    return head.claims


PROVEN = (Claim(identifier(IdentifierKind.EMAIL, ANN), Proof.PROVIDER),)


@pytest.mark.parametrize(("facts", "proven"), [({}, PROVEN), ({"verified": False}, ())])
def test_a_mail_proves_its_author_only_if_it_is_authenticated(
    mails: Inbox, facts: dict[str, Any], proven: tuple[Claim, ...]
) -> None:
    mails.receive("a@x", **facts)

    assert claims_of_thread(mails) == proven


def test_a_later_mail_may_prove_the_participant_and_no_mail_undoes_it(mails: Inbox) -> None:
    mails.receive("a@x", verified=False)
    mails.receive("b@x", in_reply_to="a@x")
    assert claims_of_thread(mails) == PROVEN

    mails.receive("c@x", in_reply_to="b@x", verified=False)

    assert claims_of_thread(mails) == PROVEN


def test_the_mail_of_another_person_in_the_thread_proves_nothing(mails: Inbox) -> None:
    mails.receive("a@x", verified=False)
    mails.receive("b@x", sender="ben@orchard.example", in_reply_to="a@x")

    assert claims_of_thread(mails) == ()
