"""Signatures: of a mailbox, of a person, and of a person for a mailbox, with variables."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.drafting import asked, composed, send, text_of
from tests.simulation.email_threads.system import AUTOMATED, MAILBOX, System

PATH = "/email-threads/signature"


def sent_with(system: System, **own: Any) -> str:
    """The signature of an answer by a person with these settings."""
    if own:
        assert result(system.call("POST", PATH, own))["registered"] is bool(own.keys() - {"name"})
    send(system, composed(system, asked(system), body_text="Yes."))
    return text_of(system.sent()[-1]).partition("Yes.")[2].strip()


@pytest.mark.parametrize(
    ("own", "below"),
    [
        ({}, "-- \nThe shop\nsupport@shop.example"),
        ({"name": "Zoe"}, "-- \nZoe\nThe shop\nsupport@shop.example"),
        ({"name": "Zoe", "text": "{name}, {mailbox_name}"}, "-- \nZoe, The shop"),
        ({"text": "Regards,\n{name}"}, "-- \nRegards,"),
        ({"text": "Z.", "by_mailbox": {MAILBOX: "At {mailbox}"}}, "-- \nAt support@shop.example"),
        ({"text": "Z.", "by_mailbox": {AUTOMATED: "At {mailbox}"}}, "-- \nZ."),
    ],
)
def test_a_mail_has_the_signature_of_its_author_for_its_mailbox(
    system: System, own: dict[str, Any], below: str
) -> None:
    template = "{name}\n{mailbox_name}\n{mailbox}"
    system.register(MAILBOX, signature=template, display_name="The shop")

    assert sent_with(system, **own) == below


def test_braces_that_are_no_variables_stay_in_signatures_of_earlier_versions(
    system: System,
) -> None:
    system.register(MAILBOX, signature="{The} {shop} {0}")

    assert sent_with(system) == "-- \n{The} {shop} {0}"


def test_a_mail_without_any_signature_has_none(system: System) -> None:
    assert sent_with(system) == ""


def test_a_person_reads_and_replaces_their_own_signature(system: System) -> None:
    assert result(system.call("GET", PATH)) == {"by_mailbox": {}}
    given = {"name": "Zoe", "text": "Z.", "by_mailbox": {MAILBOX: "S."}}
    result(system.call("POST", PATH, given))
    assert result(system.call("GET", PATH)) == given
    assert result(system.call("GET", PATH, company="globex")) == {"by_mailbox": {}}

    result(system.call("POST", PATH, {}))
    assert result(system.call("GET", PATH)) == {"by_mailbox": {}}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"text": "{nmae}"}, "text"),
        ({"text": "a\x00b"}, "text"),
        ({"text": " "}, "text"),
        ({"text": "x" * 1_001}, "text"),
        ({"name": "Zoe\r\nBcc: eve@evil.example"}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"by_mailbox": {f"a{n}@x.example": "x" for n in range(21)}}, "by_mailbox"),
    ],
)
def test_a_bad_signature_is_refused_by_its_field(
    system: System, given: dict[str, Any], field: str
) -> None:
    assert refused(system.call("POST", PATH, given)) == (400, "invalid_input", [field])


def test_a_signature_of_a_mailbox_has_known_variables(system: System) -> None:
    given = {"automation": "none", "signature": "{agent}"}
    answer = system.call("PUT", f"/email-mailboxes/{MAILBOX}", given)
    assert refused(answer) == (400, "invalid_input", ["signature"])
