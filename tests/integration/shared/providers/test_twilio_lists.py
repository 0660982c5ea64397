"""Messages that Twilio lists: evidence of a send in doubt, and the messages of a period."""

from __future__ import annotations

from typing import Any

import pytest
import urllib3

from local.sandbox import Sandbox
from shared.providers.outcomes import InDoubt
from shared.providers.twilio.messages import Page, Twilio, body_hash
from shared.runtime import clock
from tests.integration.shared.providers.test_twilio import Answering, answering, sms, twilio
from tests.integration.shared.providers.twilio_account import (
    ACCOUNT,
    CREDENTIALS,
    CUSTOMER,
    SMS_NUMBER,
)

__all__ = ["answering", "twilio"]  # fixtures


def seconds(sandbox: Sandbox) -> int:
    return int(sandbox.clock.now()) * clock.SECOND_MS


def test_a_send_in_doubt_is_found_by_the_hash_of_its_text(
    twilio: Twilio,
    sandbox: Sandbox,
) -> None:
    since = seconds(sandbox)
    sandbox.faults.add(kind="lost_answer")
    with pytest.raises(InDoubt):
        twilio.send(CREDENTIALS, sms("Your appointment is at 10."))
    twilio.send(CREDENTIALS, sms("Your appointment is at 10.", to="+447700900199"))
    twilio.send(CREDENTIALS, sms("Another text"))

    listed = twilio.sent_to(CREDENTIALS, CUSTOMER, since)

    found = [m for m in listed if m.body_hash == body_hash("Your appointment is at 10.")]
    answer: Any = sandbox.sent[0].answer
    assert [message.sid for message in found] == [answer["sid"]]
    assert len(listed) == 2
    assert "appointment" not in repr(listed)


def test_a_message_that_was_sent_before_is_no_evidence(twilio: Twilio, sandbox: Sandbox) -> None:
    twilio.send(CREDENTIALS, sms("Hello"))
    sandbox.clock.advance(60)
    since = seconds(sandbox)
    twilio.send(CREDENTIALS, sms("Hello again"))

    assert [m.body for m in twilio.sent_to(CREDENTIALS, CUSTOMER, since + 999)] == ["Hello again"]


def write(sandbox: Sandbox, **text: Any) -> str:
    """A customer writes, without a webhook call."""
    incoming = {"sender": CUSTOMER, "to": SMS_NUMBER, "webhooks": 0} | text
    with urllib3.PoolManager(retries=False) as pool:
        answer = pool.request("POST", f"{sandbox.url}/_texts", json=incoming)
    return str(answer.json()["message_sid"])


def test_a_customers_message_is_no_evidence_of_a_send(
    twilio: Twilio,
    sandbox: Sandbox,
) -> None:
    write(sandbox, sender=SMS_NUMBER, to=SMS_NUMBER, body="Hello")

    assert twilio.sent_to(CREDENTIALS, SMS_NUMBER, 0) == []


def test_messages_of_a_period_are_listed_and_none_before_or_after_it(
    twilio: Twilio,
    sandbox: Sandbox,
) -> None:
    write(sandbox, body="too old")
    sandbox.clock.advance(3_600)
    since = seconds(sandbox)
    missed = write(sandbox, body="Grüße 😀")
    sent = twilio.send(CREDENTIALS, sms())
    until = seconds(sandbox)  # the sandbox's clock goes on: a second may begin between two messages
    sandbox.clock.advance(3_600)
    write(sandbox, body="too new")

    ours, listed = twilio.between(CREDENTIALS, since, until + 1_000).messages

    assert (ours.sid, ours.is_inbound, listed.is_inbound) == (sent.provider_id, False, True)
    assert ours.callback_fields()["MessageStatus"] == ours.status
    assert (listed.sid, listed.body, listed.sender) == (missed, "Grüße 😀", CUSTOMER)
    assert (listed.recipient, listed.account_sid) == (SMS_NUMBER, ACCOUNT)
    assert since <= listed.created_at_ms <= until


def test_a_listed_message_with_files_has_the_form_of_its_webhook(
    twilio: Twilio,
    sandbox: Sandbox,
) -> None:
    sid = write(sandbox, media=["https://example.com/1.jpg", "https://example.com/2.jpg"])
    [listed] = twilio.between(CREDENTIALS, 0, seconds(sandbox)).messages

    files = twilio.media_of(CREDENTIALS, sid)
    fields = listed.webhook_fields(files)

    assert (listed.media_count, fields["NumMedia"]) == (2, "2")
    assert fields["MediaUrl0"].startswith(
        f"{sandbox.url}/2010-04-01/Accounts/{ACCOUNT}/Messages/{sid}/Media/ME"
    )
    assert not fields["MediaUrl0"].endswith(".json")
    assert fields["MediaContentType1"] == "image/jpeg"


def test_a_list_of_many_pages_is_read_to_its_end(
    twilio: Twilio,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shared.providers.twilio.messages._PAGE_SIZE", 2)
    for number in range(5):
        twilio.send(CREDENTIALS, sms(f"{number}"))

    found = twilio.sent_to(CREDENTIALS, CUSTOMER, 0)

    assert [message.body for message in found] == ["4", "3", "2", "1", "0"]


def test_an_endless_list_proves_nothing(
    twilio: Twilio,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shared.providers.twilio.messages._PAGE_SIZE", 1)
    monkeypatch.setattr("shared.providers.twilio.messages._MOST_PAGES", 2)
    for number in range(3):
        twilio.send(CREDENTIALS, sms(f"{number}"))

    with pytest.raises(InDoubt) as raised:
        twilio.sent_to(CREDENTIALS, CUSTOMER, 0)

    assert raised.value.code == "twilio_list_too_long"


@pytest.mark.parametrize(
    "listing",
    [{}, {"messages": None}, {"messages": "none"}, {"messages": [7]}, {"media_list": [{"uri": 7}]}],
)
def test_a_list_of_another_shape_is_empty(answering: Answering, listing: Any) -> None:
    client = answering(200, listing)

    assert client.sent_to(CREDENTIALS, CUSTOMER, 0) == []
    assert client.media_of(CREDENTIALS, "SM1") == []


def test_a_message_without_a_date_proves_nothing(answering: Answering) -> None:
    client = answering(200, {"messages": [{"sid": "SM1", "body": "Hi", "date_created": None}]})

    with pytest.raises(InDoubt) as raised:
        client.sent_to(CREDENTIALS, CUSTOMER, 0)

    assert raised.value.code == "twilio_no_date"


def test_the_next_page_is_requested_from_twilio_only(answering: Answering) -> None:
    client = answering(200, {"messages": [], "next_page_uri": "https://evil.example/"})

    assert client.between(CREDENTIALS, 0, 0) == Page([], None)
