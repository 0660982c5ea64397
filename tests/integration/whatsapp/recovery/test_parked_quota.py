"""The quota of parked events per company and day, and the events above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from shared.aws.dynamodb import Table
from shared.events.recovery import parked_events, quota
from shared.events.recovery.port import Filter
from shared.runtime import clock
from tests.integration.whatsapp.conftest import NOW, Harness, a_phone, text
from whatsapp import store
from whatsapp.recovery.parked_events import InboxParkedEvents
from whatsapp.store.items import Phone, WebhookEvent, pk

if TYPE_CHECKING:
    from shared.events.recovery.port import Recovery

OTHER, UNKNOWN = "106540352242933", "106540352242944"
DAY_MS = clock.DAY_SECONDS * clock.SECOND_MS


@pytest.fixture(autouse=True)
def two_a_day(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small quota, and a number of another company."""
    monkeypatch.setattr(quota, "EVENTS_PER_DAY", 2)
    register(harness, OTHER, company="other", waba_meta_id="2")


def register(harness: Harness, phone: str, **changes: Any) -> None:
    arn = f"arn:parley:whatsapp:::phone-number-id/{phone}"
    facts = {"pk": Phone.key(phone), "phone": phone, "phone_arn": arn} | changes
    store.phones.register(harness.resources.table, a_phone(**facts))
    store.phones.forget()


def to_unknown(harness: Harness, *identities: str) -> None:
    """Park messages to a number that is not registered."""
    values = {"metadata": {"phone_number_id": UNKNOWN}}
    harness.take({"messages": [text(identity) for identity in identities]} | values)


def refused_of(harness: Harness, phone: str, *identities: str) -> None:
    """Park statuses of a company's number."""
    status = {
        "recipient_id": "447700900101",
        "timestamp": str(NOW // 1_000),
        "status": "tele#ported",
    }
    values = {"metadata": {"phone_number_id": phone}}
    statuses = [status | {"id": identity} for identity in identities]
    account = "2" if phone == OTHER else "102290129340398"
    harness.take({"statuses": statuses} | values, waba=account)


def listed(harness: Harness, company: str | None = None) -> int:
    resources = harness.resources
    store = InboxParkedEvents(resources.table, resources.bucket, resources.queue)
    found, _ = parked_events.listed(store, Filter(company=company), limit=100)
    return len(found)


def over_quota(harness: Harness) -> list[str]:
    return list(harness.resources.bucket.all_keys_under("parked/over-quota/"))


def replay_all_parked(
    recovery: Recovery[WebhookEvent], company: str | None = None
) -> list[str | None]:
    found = parked_events.replay_over_quota(recovery.parked, company)
    return [refused for _, refused in found]


def test_an_event_over_the_quota_is_not_listed_but_stored_whole_and_replayed(
    harness: Harness, recovery: Recovery[WebhookEvent], counted: list[str]
) -> None:
    to_unknown(harness, "wamid.1", "wamid.2", "wamid.3")

    assert (listed(harness), len(over_quota(harness))) == (2, 1)
    assert counted.count("ParkedOverQuota") == 1
    assert "447700900101" not in over_quota(harness)[0]
    harness.outbox.entries.clear()
    register(harness, UNKNOWN)
    assert replay_all_parked(recovery) == [None]
    for entry in harness.outbox.entries:
        harness.handle(entry.body)

    assert harness.item("MSG#wamid.3")["textBody"] == "hello"
    assert over_quota(harness) == []
    assert replay_all_parked(recovery) == []


def test_an_event_that_is_replayed_and_parked_again_is_not_lost(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    to_unknown(harness, "wamid.1", "wamid.2", "wamid.3")
    harness.outbox.entries.clear()
    sent = harness.resources.queue.send

    def handled_at_once(entries: list[Any]) -> int:
        taken = sent(entries)
        with pytest.MonkeyPatch.context() as later:
            later.setattr(clock, "now_ms", lambda: NOW + 1)
            harness.handle(entries[0].body)
        return taken

    harness.outbox.send = handled_at_once  # type: ignore[method-assign] # the worker is faster than the command

    replay_all_parked(recovery)

    assert len(over_quota(harness)) == 1


def test_events_of_one_company_do_not_count_against_the_quota_of_another(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    refused_of(harness, "106540352242922", "s.1", "s.2", "s.3", "s.4")
    refused_of(harness, OTHER, "s.5", "s.6", "s.7")
    to_unknown(harness, "wamid.1")

    assert (listed(harness, "acme"), listed(harness, "other"), listed(harness)) == (2, 2, 5)
    assert len(over_quota(harness)) == 3
    assert replay_all_parked(recovery, "other") == [None]
    assert len(over_quota(harness)) == 2


def test_each_day_has_its_own_quota(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    to_unknown(harness, "wamid.1", "wamid.2", "wamid.3")
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + DAY_MS)

    to_unknown(harness, "wamid.4", "wamid.5", "wamid.6")

    assert (listed(harness), len(over_quota(harness))) == (4, 2)


def test_an_event_that_is_parked_twice_is_counted_once(harness: Harness) -> None:
    for _ in range(5):
        to_unknown(harness, "wamid.1")
    to_unknown(harness, "wamid.2")

    assert (listed(harness), over_quota(harness)) == (2, [])


def test_replays_are_listed_above_the_quota(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    to_unknown(harness, "wamid.1", "wamid.2", "wamid.3")
    harness.outbox.entries.clear()
    register(harness, UNKNOWN, enabled=False)

    parked_events.replay_all(recovery.parked, Filter(), limit=10, report=lambda _: None)
    for entry in harness.outbox.entries:
        harness.handle(entry.body)

    # The two replayed events, and the two that replaced them.
    assert (listed(harness), len(over_quota(harness))) == (4, 1)


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerError"])
def test_an_event_is_parked_even_if_its_count_fails(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, code: str, counted: list[str]
) -> None:
    real = Table.update

    def update(self: Table, key: dict[str, Any], **more: Any) -> Any:
        if key["pk"].startswith("PARKED_QUOTA#"):
            raise ClientError({"Error": {"Code": code, "Message": ""}}, "UpdateItem")
        return real(self, key, **more)

    monkeypatch.setattr(Table, "update", update)
    to_unknown(harness, "wamid.1", "wamid.2", "wamid.3")

    assert (listed(harness), over_quota(harness)) == (3, [])
    assert counted.count("ParkedUncounted") == 3


def test_a_damaged_event_is_refused_and_stays(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    to_unknown(harness, "wamid.1", "wamid.2", "wamid.3")
    (key,) = over_quota(harness)
    harness.resources.bucket.put(key, b"{}")

    assert replay_all_parked(recovery) == ["damaged"]
    assert over_quota(harness) == [key]


def test_the_counter_has_its_type_and_a_ttl(harness: Harness) -> None:
    to_unknown(harness, "wamid.1")

    item = harness.resources.table.get(pk("PARKED_QUOTA#company#"))
    assert item is not None
    assert (item["itemType"], item["count_86400"]) == ("PARKED_QUOTA", 1)
    assert item["ttl"] == NOW // 1_000 + 2 * clock.DAY_SECONDS
