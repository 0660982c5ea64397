"""Which thread a mail belongs to, and whether its sender may join it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from email_threads.store import threads
from email_threads.store.items import Alias, Status
from email_threads.threading import ids
from email_threads.threading.evidence import reply_tokens
from shared.runtime import clock
from shared.runtime.failures import Permanent
from tests.integration.email_threads.inbox import COMPANY, MAILBOX, NOW, SECRETS, opened

if TYPE_CHECKING:
    from tests.integration.email_threads.inbox import Inbox

DAY_MS = clock.DAY_SECONDS * 1_000


def test_the_thread_of_a_first_mail_is_named_by_its_message_id(inbox: Inbox) -> None:
    first = inbox.receive("a@x")

    assert first.conversation_id == ids.conversation_id(COMPANY, "a@x")
    assert len(first.conversation_id) == 16
    thread = inbox.thread(first.conversation_id)
    assert (thread.status, thread.last_seq, thread.email_count) == (Status.ACTIVE, 0, 1)
    assert thread.original_message_id == "<a@x>"
    assert thread.participants == {"ann@orchard.example", MAILBOX}
    assert thread.updated_at == thread.last_updated_at == clock.to_text(NOW)
    assert thread.ttl == NOW // 1_000 + 30 * clock.DAY_SECONDS


def test_a_reply_joins_the_thread_of_its_parent(inbox: Inbox) -> None:
    first = inbox.receive("a@x")
    reply = inbox.receive("b@x", in_reply_to="a@x", references="a@x")
    later = inbox.receive("c@x", in_reply_to="b@x", references="a@x b@x", subject="RE: Re: Chairs")

    assert {first.conversation_id} == {reply.conversation_id, later.conversation_id}
    assert [first.n, reply.n, later.n] == [1, 2, 3]
    thread = inbox.thread(first.conversation_id)
    assert thread.thread_references == ["a@x", "b@x", "c@x"]
    assert [entry.message_id for entry in thread.email_history] == ["a@x", "b@x", "c@x"]
    assert (thread.last_seq, thread.email_count, thread.last_inbound_n) == (2, 3, 3)


def test_a_reply_that_names_only_its_parent_joins_too(inbox: Inbox) -> None:
    first = inbox.receive("a@x")
    inbox.receive("b@x", in_reply_to="a@x")

    assert inbox.receive("c@x", in_reply_to="b@x").conversation_id == first.conversation_id


def test_a_reply_that_comes_before_its_original_has_the_same_thread(inbox: Inbox) -> None:
    reply = inbox.receive("b@x", in_reply_to="a@x", references="a@x")
    original = inbox.receive("a@x")

    assert reply.conversation_id == original.conversation_id == ids.conversation_id(COMPANY, "a@x")
    assert inbox.thread(reply.conversation_id).original_message_id == "<a@x>"


@pytest.mark.long
@settings(max_examples=6)
@given(order=st.permutations(range(5)))
def test_any_order_of_arrival_gives_the_same_thread_and_mails(
    order: list[int],
) -> None:
    mails: list[dict[str, Any]] = [
        {"message_id": "a@x"},
        {"message_id": "b@x", "in_reply_to": "a@x", "references": "a@x"},
        {"message_id": "c@x", "in_reply_to": "b@x", "references": "a@x b@x", "sender": "bob@orchard.example"},
        {"message_id": "d@x", "in_reply_to": "b@x", "references": "a@x b@x"},
        {"message_id": "e@x", "in_reply_to": "d@x", "references": "a@x b@x d@x"},
    ]  # fmt: skip
    with opened() as inbox:
        stored = [inbox.receive(**mails[number]) for number in order]

        (conversation_id,) = {one.conversation_id for one in stored}
        assert conversation_id == ids.conversation_id(COMPANY, "a@x")
        found = {mail.message_id for mail in inbox.mails(conversation_id)}
        assert found == {f"{name}@x" for name in "abcde"}
        # Whose mail opens the thread is its participant; mails of others have weak evidence.
        first = mails[order[0]].get("sender", "ann@orchard.example")
        assert inbox.thread(conversation_id).participants == {MAILBOX, first}
        assert {mail.sender for mail in inbox.mails(conversation_id) if mail.counts} == {first}


def test_a_mail_that_is_delivered_again_is_stored_once(inbox: Inbox) -> None:
    first = inbox.receive("a@x")
    before = inbox.items()

    again = inbox.receive("a@x")

    assert (again.conversation_id, again.n, again.is_duplicate) == (first.conversation_id, 1, True)
    assert inbox.items() == before


def test_another_mail_with_a_stored_id_is_refused(inbox: Inbox) -> None:
    inbox.receive("a@x")

    with pytest.raises(Permanent, match="message_id_reused"):
        inbox.receive("a@x", body="Something else.")


def test_two_companies_that_got_one_mail_have_two_threads(inbox: Inbox) -> None:
    one = inbox.receive("a@x")
    other = inbox.receive("a@x", company="other")

    assert one.conversation_id != other.conversation_id
    assert inbox.thread(other.conversation_id).company_id == "other"


@pytest.mark.parametrize(
    ("sender", "evidence"),
    [
        ("eve@elsewhere.example", {}),
        ("bob@orchard.example", {"verified": False}),
        ("ann@orchard.example", {"dmarc": "fail", "sender": "eve@elsewhere.example"}),
    ],
    ids=["a stranger", "an unverified colleague", "a stranger that fails"],
)
def test_a_sender_who_knows_an_id_does_not_join_by_it(
    inbox: Inbox, sender: str, evidence: dict[str, Any]
) -> None:
    thread = inbox.receive("a@x")
    before = inbox.thread(thread.conversation_id)

    given: dict[str, Any] = {"sender": sender, **evidence}
    other = inbox.receive("evil@y", in_reply_to="a@x", references="a@x", **given)

    assert other.conversation_id != thread.conversation_id
    after = inbox.thread(thread.conversation_id)
    assert after.model_copy(update={"join_requests": before.join_requests}) == before
    opened = inbox.thread(other.conversation_id)
    assert opened.metadata.client_info.related == thread.conversation_id


def test_a_refused_mail_claims_no_unknown_id_not_even_when_it_is_delivered_again(
    inbox: Inbox,
) -> None:
    inbox.receive("a@x")
    for _ in range(2):
        inbox.receive("evil@y", sender="eve@elsewhere.example", references="a@x next@x")

    assert threads.aliases(inbox.table, [ids.email_id(COMPANY, "next@x")]) == {}


def test_a_mail_that_failed_the_checks_claims_no_id_that_it_names_and_no_sender(
    inbox: Inbox,
) -> None:
    forged = inbox.receive("evil@y", references="a@x", dmarc="fail")
    real = inbox.receive("a@x")
    inbox.receive("evil@y", references="a@x", dmarc="fail")

    assert forged.conversation_id != real.conversation_id
    thread = inbox.thread(forged.conversation_id)
    assert thread.participant is None
    assert thread.participants == {MAILBOX}
    assert len(inbox.mails(real.conversation_id)) == 1


def test_a_verified_colleague_of_a_participant_joins_for_review(inbox: Inbox) -> None:
    thread = inbox.receive("a@x")
    other = inbox.receive("b@x", sender="bob@orchard.example", in_reply_to="a@x")

    assert other.conversation_id == thread.conversation_id
    assert [mail.needs_review for mail in inbox.mails(thread.conversation_id)] == [False, True]
    (row,) = [
        item
        for item in inbox.items()
        if "#participant#" in item["conversation_id"]["S"] and "participant" in item
    ]
    assert row["participant"]["S"] == "bob@orchard.example"
    assert "status" not in row


def test_users_of_a_public_provider_are_no_colleagues(inbox: Inbox) -> None:
    thread = inbox.receive("a@x", sender="ann@gmail.com")

    other = inbox.receive("b@x", sender="eve@gmail.com", in_reply_to="a@x")

    assert other.conversation_id != thread.conversation_id


def test_an_unverified_participant_joins_for_review_and_a_failed_one_as_held(inbox: Inbox) -> None:
    thread = inbox.receive("a@x")
    inbox.receive("b@x", in_reply_to="a@x", verified=False)
    inbox.receive("c@x", in_reply_to="a@x", dmarc="fail")

    mails = inbox.mails(thread.conversation_id)
    assert [mail.kind for mail in mails] == ["mail", "mail", "held"]
    assert [mail.needs_review for mail in mails] == [False, True, True]
    assert [mail.evidence_reason for mail in mails] == [None, *["not_authenticated"] * 2]
    assert inbox.thread(thread.conversation_id).last_inbound_n == 1


def test_an_attacker_who_takes_the_id_of_an_expected_mail_does_not_enter_its_thread(
    inbox: Inbox,
) -> None:
    reply = inbox.receive("b@x", in_reply_to="a@x", references="a@x")

    taken = inbox.receive("a@x", sender="eve@elsewhere.example")

    assert taken.conversation_id == ids.conversation_id(COMPANY, "a@x#2")
    assert inbox.thread(reply.conversation_id).email_count == 1


@pytest.mark.parametrize("secret", SECRETS)
def test_a_reply_token_leads_to_its_thread_for_review(inbox: Inbox, secret: bytes) -> None:
    thread = inbox.receive("a@x").conversation_id
    to = reply_tokens.address(MAILBOX, COMPANY, thread, secret)

    reply = inbox.receive("b@y", sender="cora@private.example", to=to)

    assert reply.conversation_id == thread
    assert inbox.mails(thread)[-1].needs_review


@pytest.mark.parametrize(
    ("changed", "other"),
    [
        ({"secret": b"guessed"}, {}),
        ({"company_id": "other"}, {}),
        ({"mailbox": "sales@shop.example"}, {}),
        ({}, {"verified": False}),
    ],
    ids=["another secret", "another company", "another mailbox", "an unverified sender"],
)
def test_a_token_without_proof_opens_nothing(
    inbox: Inbox, changed: dict[str, Any], other: dict[str, Any]
) -> None:
    thread = inbox.receive("a@x").conversation_id
    facts = {"mailbox": MAILBOX, "company_id": COMPANY, "secret": SECRETS[0], **changed}
    to = reply_tokens.address(conversation_id=thread, **facts)

    stored = inbox.receive("b@y", sender="cora@private.example", to=to, **other)

    assert stored.conversation_id != thread


def test_without_reply_headers_a_reply_prefix_finds_the_senders_only_recent_thread(
    inbox: Inbox,
) -> None:
    first = inbox.receive("a@x", subject="Twelve chairs")

    assert (
        inbox.receive("b@x", subject="AW: Twelve chairs").conversation_id == first.conversation_id
    )
    others: list[dict[str, Any]] = [
        {"subject": "Twelve chairs"},
        {"subject": "Re: Other"},
        {"subject": "Re: Twelve chairs", "sender": "bob@orchard.example"},
        {"subject": "Re: Twelve chairs", "references": "unknown@x"},
    ]
    for number, changed in enumerate(others):
        assert inbox.receive(f"c{number}@x", **changed).conversation_id != first.conversation_id


def test_of_two_threads_with_the_same_subject_none_is_guessed(inbox: Inbox) -> None:
    found = {inbox.receive(f"{name}@x", subject="Chairs").conversation_id for name in "ab"}

    assert inbox.receive("c@x", subject="Re: Chairs").conversation_id not in found


def test_a_reply_to_an_expired_thread_opens_a_new_one_that_names_it(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = inbox.receive("a@x")
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 31 * DAY_MS)

    new = inbox.receive("b@x", in_reply_to="a@x", references="a@x")

    assert new.conversation_id == ids.conversation_id(COMPANY, "b@x")
    assert inbox.thread(new.conversation_id).metadata.client_info.continues == old.conversation_id


def test_the_id_of_an_expired_thread_is_not_used_again(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = inbox.receive("b@x", in_reply_to="a@x", references="a@x")
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 91 * DAY_MS)

    # All aliases are gone; the expired head still lies there, as DynamoDB deletes it later.
    late = inbox.receive("c@x", in_reply_to="a@x", references="a@x")

    assert late.conversation_id != reply.conversation_id
    assert late.conversation_id == ids.conversation_id(COMPANY, "c@x")


def test_a_merged_thread_leads_to_the_one_that_it_became(inbox: Inbox) -> None:
    loser, winner = inbox.receive("a@x"), inbox.receive("b@x")
    inbox.table.update(
        {"conversation_id": loser.conversation_id}, put={"merged_into": winner.conversation_id}
    )

    assert inbox.receive("c@x", in_reply_to="a@x").conversation_id == winner.conversation_id


@pytest.mark.parametrize(
    ("more", "status"),
    [("List-Id: <a.b>", "archived"), ("Auto-Submitted: auto-replied", "archived"), ("", "active")],
)
def test_a_thread_that_begins_with_automatic_mail_is_archived(
    inbox: Inbox, more: str, status: str
) -> None:
    assert inbox.thread(inbox.receive("a@x", more=more).conversation_id).status == status


def test_a_mail_of_the_customer_reopens_a_thread_and_an_automatic_reply_does_not(
    inbox: Inbox,
) -> None:
    key = {"conversation_id": inbox.receive("a@x").conversation_id}
    inbox.table.update(key, put={"status": "completed"})

    inbox.receive("b@x", in_reply_to="a@x", more="Auto-Submitted: auto-replied")
    assert inbox.thread(key["conversation_id"]).status == "completed"
    inbox.receive("c@x", in_reply_to="a@x")
    assert inbox.thread(key["conversation_id"]).status == "active"


def test_aliases_hold_hashes_of_message_ids_only(inbox: Inbox) -> None:
    inbox.receive("a@x", references="z@x")

    found = threads.aliases(inbox.table, [ids.email_id(COMPANY, name) for name in ("a@x", "z@x")])
    assert {alias.kind.value for alias in found.values()} == {"mail", "phantom"}
    assert not any("@x" in alias.model_dump_json() for alias in found.values())
    assert Alias.pattern == "mid#{email_id}"
