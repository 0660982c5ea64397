"""Mail that is parked or held: without a mailbox or a usable sender, unreadable, too large."""

from __future__ import annotations

import json

import pytest

from tests.simulation.email_threads.system import COMPANY, MAILBOX, System, mail


@pytest.mark.parametrize("enabled", [None, False])
def test_mail_without_an_enabled_mailbox_is_parked_and_stored_by_a_replay(
    system: System, *, enabled: bool | None
) -> None:
    address = "sales@shop.example"
    if enabled is not None:
        system.register(address, enabled=enabled)
    system.deliver(mail("a@x", to=address), name="1", address=address)
    system.drain()
    (parked,) = system.parked()
    assert (parked["reason"], "status" in parked) == ("unknown_mailbox", False)
    assert not system.threads()

    system.register(address)
    status, body = system.call(
        "POST", f"/email-threads/parked/{parked['event_id']}/replay", {}, scopes="operator"
    )
    assert status == 202, body
    system.drain()

    (thread,) = system.threads()
    assert thread["mailbox"] == address
    (parked,) = system.parked()
    assert "resolved_at" in parked


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (mail("b@x", to="typo@shop.example"), "unknown_mailbox"),
        (mail("a@x", "Another text."), "message_id_reused"),
    ],
)
def test_a_company_sees_the_parked_mail_of_its_domain(
    system: System, raw: bytes, reason: str
) -> None:
    system.deliver(mail("a@x"), name="1")
    system.drain()
    system.deliver(raw, name="2")
    system.drain()

    _, body = system.call("GET", "/email-threads/parked")
    assert [event["reason"] for event in body["result"]["events"]] == [reason]


@pytest.mark.parametrize("raw", [b"", b"\x00\xff\x00", b"Subject: no sender\n\nHello"])
def test_what_is_no_mail_is_parked_as_unreadable(system: System, raw: bytes) -> None:
    system.deliver(raw, name="1", address=MAILBOX)
    system.drain()

    (parked,) = system.parked()
    assert parked["reason"] == "unreadable"
    assert parked["company_id"] == COMPANY
    assert json.loads(parked["body"])["key"] == f"raw/{MAILBOX}/1"


@pytest.mark.parametrize("sender", ["<>", "no-address", "Ann <ann at orchard>"])
def test_a_mail_without_a_usable_sender_is_held(system: System, sender: str) -> None:
    system.deliver(mail("a@x", sender=sender), name="1")
    system.drain()

    (stored,) = system.mails()
    assert (stored["kind"], stored["hold_reason"]) == ("held", "no_sender")
    assert "participant" not in system.threads()[0]


def test_of_a_mail_over_ten_megabytes_only_the_first_bytes_are_read(system: System) -> None:
    key = system.store(mail("a@x", "word " * 80_000), name="1")
    system.notify(key, sizes={key: 30_000_000})
    system.drain()

    (stored,) = system.mails()
    assert stored["body"] == "[too_large]"
    assert (stored["kind"], stored["hold_reason"]) == ("held", "too_large")


def test_a_bomb_of_parts_is_held_with_its_headers(system: System) -> None:
    more = 'Content-Type: multipart/mixed; boundary="b"'
    body = "--b\n\nx\n" * 2_000 + "--b--"
    system.deliver(mail("a@x", body, more=more), name="1")
    system.drain()

    (stored,) = system.mails()
    assert stored["hold_reason"] == "too_many_parts"
    assert system.threads()[0]["metadata"]["tags"] == {"held"}
