"""Who may join a thread: people whom a verified participant put in To or Cc; others wait until a person admits them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.store.items import Participant
from email_threads.store.items.threads.mail import Evidence
from email_threads.store.lists import participants
from email_threads.threading import ids
from email_threads.threading.evidence import reply_tokens
from tests.integration.email_threads.api.thread_calls import refused, result, subjects_of, thread_of
from tests.integration.email_threads.drafting import changes_of, composed, shown
from tests.integration.email_threads.inbox import COMPANY, MAILBOX, SECRETS
from tests.simulation.email_threads.system import ANN, BOB, System, mail

if TYPE_CHECKING:
    from tests.integration.email_threads.inbox import Inbox

ZOE = "zoe@quarry.example"


@pytest.mark.parametrize(
    "copied",
    [
        {"more": f"Cc: {BOB}"},
        {"to": f"{MAILBOX}, Bob <BOB@mill.example>"},
        {"more": f"Cc: zoe@quarry.example,\n =?utf-8?q?B=C3=B6b?= <{BOB}>"},
        {"more": "Cc: bob+chairs@mill.example"},
        {"more": f'CC: "Mill, Bob" <{BOB}>, undisclosed-recipients:;'},
        {"to": f"Shop <{MAILBOX}>,\n\tBob <{BOB}>", "more": "Cc:"},
    ],
    ids=["in Cc", "in To", "among others", "with a label", "by name", "folded"],
)
def test_a_person_whom_the_customer_named_joins_when_verified(
    inbox: Inbox, copied: dict[str, Any]
) -> None:
    thread = inbox.receive("a@x", **copied)
    joined = inbox.receive("b@x", sender=BOB, in_reply_to="a@x")

    assert joined.conversation_id == thread.conversation_id
    stored = inbox.mails(thread.conversation_id)[1]
    assert (stored.evidence, stored.joined_by, stored.is_by_participant) == (
        None,
        "reference",
        True,
    )
    assert stored.counts
    assert stored.automatic_refusal == "new_participant"
    head = inbox.thread(thread.conversation_id)
    assert BOB in head.participants
    assert head.last_inbound_n == 2
    again = inbox.receive("c@x", sender=BOB, in_reply_to="b@x")
    assert inbox.mails(again.conversation_id)[2].automatic_refusal is None


def test_a_colleague_whom_the_customer_named_counts_at_once(inbox: Inbox) -> None:
    thread = inbox.receive("a@x", more="Cc: carl@orchard.example")
    inbox.receive("b@x", sender="carl@orchard.example", in_reply_to="a@x")

    assert inbox.mails(thread.conversation_id)[1].counts


def test_a_named_person_may_name_the_next_one(inbox: Inbox) -> None:
    thread = inbox.receive("a@x", more=f"Cc: {BOB}")
    inbox.receive("b@x", sender=BOB, in_reply_to="a@x", more=f"Cc: {ZOE}")
    joined = inbox.receive("c@x", sender=ZOE, in_reply_to="b@x", references="a@x b@x")

    assert joined.conversation_id == thread.conversation_id
    assert joined.counts


def test_a_named_person_joins_by_any_mail_of_the_thread_that_names_them_also_after_many(
    inbox: Inbox,
) -> None:
    thread = inbox.receive("a@x", more=f"Cc: {BOB}")
    for n in range(30):
        inbox.receive(f"{n}@x", in_reply_to="a@x")
    references = " ".join(["a@x", *(f"{n}@x" for n in range(30))])
    joined = inbox.receive("b@x", sender=BOB, in_reply_to="29@x", references=references)

    assert joined.conversation_id == thread.conversation_id
    assert joined.counts


@pytest.mark.parametrize(
    ("first", "reply"),
    [
        ({}, {}),
        ({"more": f"Cc: {BOB}"}, {"verified": False}),
        ({"more": f"Cc: {BOB}"}, {"dmarc": "fail"}),
        ({"more": f"Cc: {BOB}", "verified": False}, {}),
        ({"more": f"Cc: other-{BOB}"}, {}),
        ({"more": f"Bcc: {BOB}\nX-Cc: {BOB}"}, {}),
    ],
    ids=[
        "not named",
        "named, but not proven",
        "named, but forged",
        "named by an unproven author",
        "another name",
        "in other fields",
    ],
)
def test_other_people_wait_in_a_thread_of_their_own(
    inbox: Inbox, first: dict[str, Any], reply: dict[str, Any]
) -> None:
    thread = inbox.receive("a@x", **first)
    before = inbox.thread(thread.conversation_id)
    other = inbox.receive("b@x", **{"sender": BOB, "in_reply_to": "a@x", **reply})

    assert other.conversation_id != thread.conversation_id
    head = inbox.thread(thread.conversation_id)
    is_forged = reply.get("dmarc") == "fail"
    assert head.join_requests == (set() if is_forged else {other.conversation_id})
    assert head.model_copy(update={"join_requests": set()}) == before


def test_a_name_that_a_stranger_wrote_admits_no_one(inbox: Inbox) -> None:
    thread = inbox.receive("a@x")
    inbox.receive("b@x", sender="carl@orchard.example", in_reply_to="a@x", more=f"Cc: {BOB}")
    assert inbox.mails(thread.conversation_id)[1].evidence is Evidence.WEAK

    assert (
        inbox.receive("c@x", sender=BOB, in_reply_to="b@x").conversation_id
        != thread.conversation_id
    )


@pytest.mark.parametrize(
    "service", ["tickets@mill.example", "no-reply@mill.example", "eu.support@mill.example"]
)
def test_a_service_that_the_customer_named_does_not_join(inbox: Inbox, service: str) -> None:
    thread = inbox.receive("a@x", more=f"Cc: {service}")
    other = inbox.receive("b@x", sender=service, in_reply_to="a@x")

    assert other.conversation_id != thread.conversation_id


def test_a_named_service_does_not_join_by_the_reply_address_alone(inbox: Inbox) -> None:
    """A registration at a service that the customer has put in Cc names no mail of the thread."""
    thread = inbox.receive("a@x", more=f"Cc: {BOB}")
    token = reply_tokens.address(MAILBOX, COMPANY, thread.conversation_id, SECRETS[0])
    inbox.receive("b@x", sender=BOB, to=token)

    assert inbox.mails(thread.conversation_id)[1].evidence is Evidence.WEAK


def test_a_person_who_is_being_erased_does_not_join(inbox: Inbox) -> None:
    thread = inbox.receive("a@x", more=f"Cc: {BOB}")
    hashed = ids.address_hash(BOB)
    participants.put(inbox.table, inbox.thread(thread.conversation_id), BOB, hashed)
    inbox.table.update(
        Participant.key(thread.conversation_id, hashed), put=Participant.named(erased=True)
    )

    assert (
        inbox.receive("b@x", sender=BOB, in_reply_to="a@x").conversation_id
        != thread.conversation_id
    )


def test_automatic_mail_of_strangers_is_no_request(inbox: Inbox) -> None:
    thread = inbox.receive("a@x")
    inbox.receive("b@x", sender=BOB, in_reply_to="a@x", more="Auto-Submitted: auto-replied")

    assert inbox.thread(thread.conversation_id).join_requests == set()


def test_the_requests_of_a_thread_are_few(inbox: Inbox) -> None:
    thread = inbox.receive("a@x")
    for n in range(12):
        inbox.receive(f"{n}@y", sender=f"bob{n}@mill{n}.example", in_reply_to="a@x")

    assert len(inbox.thread(thread.conversation_id).join_requests) == 10


def requested(system: System) -> tuple[str, str]:
    """The path of Ann's thread, and the id of the thread of Bob, who wants to join it."""
    path = thread_of(system, mail("a@x", subject="Chairs"))
    result(system.call("PATCH", path, {"status": "completed"}))
    other = thread_of(system, mail("b@x", "I pay for it.", sender=BOB, in_reply_to="a@x"))
    return path, other.rpartition("/")[2]


def test_people_see_who_wants_to_join(system: System) -> None:
    path, joining = requested(system)

    (request,) = shown(system, path)["join_requests"]
    assert request["conversation_id"] == joining
    assert (request["participant"], request["snippet"]) == (BOB, "I pay for it.")
    other = shown(system, f"/email-threads/{joining}")
    assert other["links"]["related"] == path.rpartition("/")[2]
    assert other["join_requests"] == []


def test_an_admitted_person_joins_with_their_mails_and_is_in_the_record(system: System) -> None:
    path, joining = requested(system)
    result(system.call("POST", f"{path}/join-requests/{joining}/admit"))
    system.drain()

    thread = shown(system, path)
    assert (thread["status"], thread["email_count"]) == ("active", 2)
    assert BOB in thread["participants"]
    assert thread["join_requests"] == []
    assert ("key-1", "admit_thread", joining) in changes_of(system, path)
    assert shown(system, composed(system, path, n=2))["to"] == [BOB]
    thread_of(system, mail("c@x", sender=BOB, in_reply_to="b@x"))
    assert shown(system, path)["email_count"] == 3


def test_a_declined_request_leaves_the_list_and_its_thread_stays(system: System) -> None:
    path, joining = requested(system)
    result(system.call("POST", f"{path}/join-requests/{joining}/decline"))
    system.drain()

    thread = shown(system, path)
    assert (thread["join_requests"], thread["email_count"]) == ([], 1)
    assert ("key-1", "decline_thread", joining) in changes_of(system, path)
    assert shown(system, f"/email-threads/{joining}")["status"] == "active"
    assert subjects_of(system, participant=BOB) == ["Chairs"]


def test_an_admission_twice_joins_once(system: System) -> None:
    path, joining = requested(system)
    for _ in range(2):
        result(system.call("POST", f"{path}/join-requests/{joining}/admit"))
        system.drain()

    assert shown(system, path)["email_count"] == 2
    made = [one for one in changes_of(system, path) if one[1] == "admit_thread"]
    assert made == [("key-1", "admit_thread", joining)]


@pytest.mark.parametrize("step", ["admit", "decline"])
def test_a_thread_that_asked_for_nothing_is_not_found(system: System, step: str) -> None:
    path, _ = requested(system)
    other = thread_of(system, mail("z@x", sender=ZOE)).rpartition("/")[2]
    for name in (other, path.rpartition("/")[2], "x", "0" * 16):
        answer = system.call("POST", f"{path}/join-requests/{name}/{step}")
        assert refused(answer)[:2] == (404, "not_found")


def test_only_a_person_who_may_approve_admits(system: System) -> None:
    path, joining = requested(system)
    answer = system.call(
        "POST", f"{path}/join-requests/{joining}/admit", scopes="email_threads:write"
    )
    assert answer[0] == 403
    assert ANN in shown(system, path)["participants"]
