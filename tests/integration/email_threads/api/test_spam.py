"""Spam: a thread is marked, its sender is blocked at its mailbox, and both are undone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import refused, result, subjects_of, thread_of
from tests.integration.email_threads.drafting import changes_of, shown
from tests.simulation.email_threads import people
from tests.simulation.email_threads.system import (
    ANN,
    ASSISTED,
    BOB,
    MAILBOX,
    MODEL,
    System,
    mail,
)

BOX = "/email-mailboxes"


def marked(system: System) -> str:
    """The path of a thread that a person has marked as spam."""
    path = thread_of(system, mail("a@x", "Buy now", subject="Offer"))
    result(system.call("POST", f"{path}/spam"))
    return path


def blocked(system: System, address: str = MAILBOX) -> list[str]:
    shown_box = result(system.call("GET", f"{BOX}/{address}"))
    return list(shown_box.get("blocked_senders", []))


def test_a_marked_thread_is_archived_and_its_sender_is_blocked(system: System) -> None:
    path = marked(system)

    thread = shown(system, path)
    assert (thread["status"], thread["tags"]) == ("archived", ["spam"])
    assert blocked(system) == [ANN]
    assert ("key-1", "spam", None) in changes_of(system, path)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"in_reply_to": "a@x"},
        {"subject": "Re: Offer"},
        {"sender": f"Ann <{ANN.upper()}>"},
        {"sender": "ann+1@orchard.example"},
    ],
    ids=["a new mail", "an answer", "the subject", "another spelling", "a label"],
)
def test_further_mail_of_the_sender_is_left_out(system: System, more: dict[str, Any]) -> None:
    marked(system)
    path = thread_of(system, mail("b@x", **more))

    thread = shown(system, path)
    assert thread["status"] == "archived"
    assert subjects_of(system) == []
    newest = result(system.call("GET", f"{path}/emails"))["mails"][0]
    assert (newest["kind"], newest["hold_reason"]) == ("held", "blocked_sender")
    assert newest["may_be_admitted"] is True
    assert "spam" in thread["tags"]


def test_others_and_other_mailboxes_are_not_blocked(system: System) -> None:
    marked(system)
    thread_of(system, mail("b@x", sender=BOB, subject="Tables"))
    desk.receive(system, "c@x", subject="Lamps")

    assert sorted(subjects_of(system)) == ["Lamps", "Tables"]


def test_a_mark_is_undone(system: System) -> None:
    path = marked(system)
    result(system.call("POST", f"{path}/not-spam"))

    thread = shown(system, path)
    assert (thread["status"], thread["tags"]) == ("active", [])
    assert blocked(system) == []
    thread_of(system, mail("b@x", in_reply_to="a@x"))
    assert shown(system, path)["email_count"] == 2
    assert ("key-1", "not_spam", None) in changes_of(system, path)


@pytest.mark.parametrize(
    ("entry", "is_undone"),
    [(ANN, True), ("ann+7@orchard.example", True), ("@orchard.example", False)],
)
def test_an_undone_mark_lets_the_sender_in_or_says_that_the_domain_is_blocked(
    system: System, entry: str, *, is_undone: bool
) -> None:
    system.register(MAILBOX, blocked_senders={entry})
    path = thread_of(system, mail("a@x", sender="ann+7@orchard.example"))

    answer = system.call("POST", f"{path}/not-spam")

    if is_undone:
        assert (result(answer)["status"], blocked(system)) == ("active", [])
        thread_of(system, mail("b@x", sender="ann+7@orchard.example", in_reply_to="a@x"))
        assert result(system.call("GET", f"{path}/emails"))["mails"][0]["kind"] == "mail"
    else:
        assert refused(answer)[:2] == (409, "domain_blocked")
        assert (shown(system, path)["tags"], blocked(system)) == (["spam"], [entry])


def test_no_model_reads_a_blocked_mail(system: System) -> None:
    system.register(
        ASSISTED, automation="email_threads", ai=MODEL, blocked_senders={"@orchard.example"}
    )
    desk.receive(system, "a@x")

    assert desk.asked(system) == 0
    assert system.threads()[0]["status"] == "archived"


@pytest.mark.parametrize("entry", ["@orchard.example", "@ORCHARD.example", ANN, ANN.upper()])
def test_senders_are_blocked_in_the_settings(system: System, entry: str) -> None:
    given = {"automation": "none", "blocked_senders": [entry]}
    result(system.call("PUT", f"{BOX}/{MAILBOX}", given))
    thread_of(system, mail("a@x"))
    assert subjects_of(system) == []

    result(system.call("PUT", f"{BOX}/{MAILBOX}", {"automation": "none", "display_name": "Shop"}))
    assert blocked(system) == [entry.lower()]
    result(system.call("PUT", f"{BOX}/{MAILBOX}", given | {"blocked_senders": []}))
    assert blocked(system) == []


@pytest.mark.parametrize(
    ("entries", "field"),
    [
        (["orchard.example"], "blocked_senders.0"),
        (["@"], "blocked_senders.0"),
        (["@a\r\nb.example"], "blocked_senders.0"),
        ([1], "blocked_senders.0"),
        ([f"a{n}@x.example" for n in range(201)], "blocked_senders"),
    ],
)
def test_a_sender_that_is_none_is_refused(system: System, entries: list[Any], field: str) -> None:
    given = {"automation": "none", "blocked_senders": entries}
    assert refused(system.call("PUT", f"{BOX}/{MAILBOX}", given)) == (400, "invalid_input", [field])


def test_a_mailbox_has_a_bounded_number_of_blocked_senders(system: System) -> None:
    system.register(MAILBOX, blocked_senders={f"a{n}@x.example" for n in range(200)})
    path = thread_of(system, mail("a@x"))

    assert refused(system.call("POST", f"{path}/spam"))[:2] == (409, "mailbox_refused")
    assert shown(system, path)["status"] == "active"


def test_an_erasure_removes_the_person_from_the_blocked_senders(system: System) -> None:
    marked(system)
    people.finished(system, "erase", ANN)

    assert blocked(system) == []


def test_an_admitted_mail_of_a_blocked_sender_counts(system: System) -> None:
    marked(system)
    path = thread_of(system, mail("b@x", "Is it red?"))
    result(system.call("POST", f"{path}/emails/1/admit"))
    system.drain()

    thread = shown(system, path)
    assert (thread["status"], thread["withheld_mails"]) == ("active", [])
