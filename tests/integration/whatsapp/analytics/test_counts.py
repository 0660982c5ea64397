"""Counts of hours and days over moto: exact even if events arrive late or statuses change."""

from __future__ import annotations

import pytest

from shared.privacy.inventory import Found
from tests.integration.whatsapp.analytics.counting import (
    GLOBEX_PHONE,
    GLOBEX_WABA,
    WABA,
    CountsHarness,
    counts_harness_for,
    ms,
)
from tests.integration.whatsapp.conftest import PHONE, Harness, a_phone, text
from whatsapp import store
from whatsapp.jobs.rollup import CountResult
from whatsapp.privacy import erasure
from whatsapp.privacy.contents.stored_data import Listing
from whatsapp.privacy.subjects import Contact
from whatsapp.store.items import Message, Phone


@pytest.fixture
def counts_harness(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> CountsHarness:
    return counts_harness_for(harness, monkeypatch)


def test_a_day_shows_its_messages_by_status_and_the_received_ones(
    counts_harness: CountsHarness,
) -> None:
    at = "2026-01-01T11:00:00.000Z"
    counts_harness.sent(1, at, "sent", template="hello", price_category="marketing")
    counts_harness.sent(2, at, "delivered", template="hello", price_category="marketing")
    counts_harness.sent(
        3, "2026-01-01T10:59:59.999Z", "read", template="bye", price_category="utility"
    )
    counts_harness.sent(4, at, "failed", campaign_id="spring")
    counts_harness.received(5, at, ad_source="ad-7", reply_of="hello")
    counts_harness.received(6, "2026-01-01T09:00:00.001Z")

    counts_harness.run("2026-01-01T12:30:00Z")

    day = counts_harness.day()
    del day["countedAt"]
    assert day == {
        "pk": f"ANALYTICS#{WABA}#2026-01-01",
        "itemType": "ANALYTICS",
        "company": "acme",
        "wabaMetaId": WABA,
        "date": "2026-01-01",
        "messagesSent": 4,
        "messagesDelivered": 2,
        "messagesRead": 1,
        "messagesFailed": 1,
        "messagesReceived": 2,
        "messagesReplied": 1,
        "templatesUsed": {"hello": 2, "bye": 1},
        "billable": {"marketing": 2, "utility": 1},
        "adSources": {"ad-7": 1},
        "replies": {"hello": 1},
        "phones": {PHONE: 4},
    }
    assert counts_harness.hour("2026010111")["counts"] == {
        "sent": 3, "delivered": 1, "failed": 1, "received": 1, "replied": 1,
    }  # fmt: skip
    assert counts_harness.hour("2026010110")["counts"] == {"sent": 1, "delivered": 1, "read": 1}
    assert counts_harness.hour("2026010111", of="spring")["counts"] == {"sent": 1, "failed": 1}
    assert counts_harness.hour("2026010112") == {}


def test_messages_from_webhooks_are_counted(counts_harness: CountsHarness) -> None:
    echo = {"id": "wamid.e", "from": "15550783881", "to": "447700900101", "timestamp": "1767268740",
            "type": "text", "text": {"body": "Ready at five."}}  # fmt: skip
    status = {"id": "wamid.e", "status": "read", "timestamp": "1767268760", "recipient_id": "4477",
              "pricing": {"billable": True, "category": "service"}}  # fmt: skip
    counts_harness.now = ms("2026-01-01T12:00:00Z")
    counts_harness.harness.take({"field": "smb_message_echoes", "message_echoes": [echo]})
    counts_harness.harness.take({"statuses": [status]}, {"statuses": [status]})
    counts_harness.harness.take({"messages": [text("wamid.1"), text("wamid.2")]})

    counts_harness.run()

    counts = {"sent": 1, "delivered": 1, "read": 1, "received": 2}
    assert counts_harness.hour("2026010111")["counts"] == counts
    assert counts_harness.day()["billable"] == {"service": 1}


def test_a_status_change_updates_the_counts_of_the_hour_in_which_the_message_was_sent(
    counts_harness: CountsHarness,
) -> None:
    message = counts_harness.sent(1, "2026-01-01T11:59:59.999Z")
    counts_harness.run()
    counts_harness.move(message, "delivered")
    counts_harness.run("2026-01-01T13:05:00Z")
    assert counts_harness.hour("2026010111")["counts"] == {"sent": 1, "delivered": 1}

    counts_harness.move(message, "failed")
    counts_harness.run("2026-01-01T19:05:00Z")

    assert counts_harness.hour("2026010111")["counts"] == {"sent": 1, "failed": 1}
    facts = counts_harness.day()
    assert (facts["messagesSent"], facts["messagesDelivered"], facts["messagesFailed"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("at", "hour", "day"),
    [
        ("2026-01-01T10:59:59.999Z", "2026010110", "2026-01-01"),
        ("2026-01-01T11:00:00.000Z", "2026010111", "2026-01-01"),
        ("2025-12-31T23:59:59.999Z", "2025123123", "2025-12-31"),
        ("2026-01-01T00:00:00.000Z", "2026010100", "2026-01-01"),
    ],
)
def test_a_message_counts_in_one_hour_and_one_day(
    counts_harness: CountsHarness, at: str, hour: str, day: str
) -> None:
    counts_harness.sent(1, at)
    counts_harness.received(2, at)

    counts_harness.run("2026-01-01T12:30:00Z")

    assert counts_harness.counted().keys() == {f"HOUR#{WABA}#{hour}", f"ANALYTICS#{WABA}#{day}"}
    assert counts_harness.hour(hour)["counts"] == {"sent": 1, "received": 1}


def test_an_erased_message_still_counts(counts_harness: CountsHarness) -> None:
    table = counts_harness.harness.resources.table
    at = "2026-01-01T11:00:00.000Z"
    key = counts_harness.sent(1, at, "read", campaign_id="spring")
    listing = Listing(
        table=table,
        bucket=counts_harness.harness.resources.bucket,
        company="acme",
        contact=Contact(keys=[], links=[], aliases=[], heads=[], ids=[], hashes=[]),
        until=at,
    )
    for _ in range(2):  # as after a crash
        erasure.remove(listing, Found(kind=Message.item_type, key=key))
    counts_harness.run()

    assert counts_harness.harness.item(key)["erased"] is True
    assert counts_harness.hour("2026010111")["counts"] == {"sent": 1, "delivered": 1, "read": 1}


def test_a_campaign_of_another_company_with_the_same_id_never_overwrites_the_first(
    counts_harness: CountsHarness,
) -> None:
    at = "2026-01-01T11:00:00.000Z"
    counts_harness.sent(1, at, campaign_id="spring")
    counts_harness.run()
    counts_harness.sent(2, at, campaign_id="spring", company="globex", phone=GLOBEX_PHONE)
    counts_harness.sent(3, at, campaign_id="spring", company="globex", phone=GLOBEX_PHONE)
    counts_harness.run("2026-01-01T13:05:00Z")

    spring = counts_harness.hour("2026010111", of="spring")
    assert (spring["company"], spring["counts"]) == ("acme", {"sent": 1})
    assert counts_harness.day(waba=GLOBEX_WABA)["messagesSent"] == 2


def test_an_item_lists_a_hundred_templates_and_sums_the_rest(counts_harness: CountsHarness) -> None:
    for number in range(101):
        counts_harness.sent(number, "2026-01-01T11:00:00.000Z", template=f"t{number:03d}")
    counts_harness.sent(200, "2026-01-01T10:00:00.000Z", template="late")

    counts_harness.run()

    names = counts_harness.hour("2026010111")["templates"]
    assert (len(names), names["__other"], "t100" in names) == (101, 1, False)
    used = counts_harness.day()["templatesUsed"]
    assert (len(used), used["__other"], sum(used.values())) == (101, 2, 102)


@pytest.mark.long
def test_a_message_that_is_read_a_week_later_counts_in_its_hour(
    counts_harness: CountsHarness,
) -> None:
    message = counts_harness.sent(1, "2026-01-01T12:00:00.000Z", "delivered")
    counts_harness.run("2026-01-01T13:05:00Z")
    counts_harness.now = ms("2026-01-09T11:00:00Z")
    counts_harness.move(message, "read")
    counts_harness.run("2026-01-09T12:05:00Z")

    assert counts_harness.day()["messagesRead"] == 1
    counts_harness.now = ms("2026-01-09T12:30:00Z")
    counts_harness.move(message, "failed")
    assert counts_harness.run("2026-01-09T13:05:00Z") == CountResult(hours=2)


def test_the_messages_of_a_number_that_moved_to_another_account_are_counted_there(
    counts_harness: CountsHarness,
) -> None:
    counts_harness.sent(1, "2026-01-01T12:00:00.000Z")
    counts_harness.run("2026-01-01T12:30:00Z")
    store.phones.register(counts_harness.harness.resources.table, of_second_account())
    store.phones.register(counts_harness.harness.resources.table, a_phone(waba_meta_id="777"))
    counts_harness.run("2026-01-01T13:30:00Z")

    assert counts_harness.day(waba="777")["messagesSent"] == 1
    assert counts_harness.day()["messagesSent"] == 0


def of_second_account() -> Phone:
    """A number that stays in the first account."""
    return a_phone(pk=Phone.key("1065"), phone="1065", phone_arn="arn:x/1065")
