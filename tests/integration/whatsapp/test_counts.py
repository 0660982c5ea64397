"""Counts of hours and days over moto: exact whatever comes late, moves meanwhile, or is counted twice at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest

from shared import clock
from tests.integration.whatsapp.conftest import PHONE, Desk, a_phone, text
from whatsapp import store
from whatsapp.items import Message, Phone, pk
from whatsapp.rollup import Counted, count_due, due_hours

WABA = "102290129340398"
GLOBEX_PHONE, GLOBEX_WABA = "306540352242944", "302290129340398"
MINUTE = 60_000


def ms(text: str) -> int:
    return clock.from_text(text)


@dataclass
class Office:
    """The table, a clock that moves by a millisecond whenever somebody looks, and runs of the schedule."""

    desk: Desk
    now: int = ms("2026-01-01T12:30:20Z")
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)

    def tick(self) -> int:
        self.now += 1
        return self.now

    def run(
        self, at: str | None = None, remaining_ms: Callable[[], int] = lambda: 60_000
    ) -> Counted:
        """The run of a minute; without *at* of the next one that counts the last two hours."""
        step = 5 * MINUTE
        self.now = ms(at) if at else (self.now // step + 1) * step
        self.reads.clear()
        self.writes.clear()
        return count_due(self.desk.here.table, self.now // MINUTE * MINUTE, remaining_ms)

    def sent(self, number: int, at: str, status: str = "sent", **more: Any) -> str:
        facts = {"direction": "OUTBOUND", "received_at": at, "sent_at": at, "to": "447700900101"}
        return self._stored(number, {**facts, "delivery_status": status, "status_rank": 1, **more})

    def received(self, number: int, at: str, **more: Any) -> str:
        return self._stored(number, {"direction": "INBOUND", "received_at": at, **more})

    def _stored(self, number: int, facts: dict[str, Any]) -> str:
        message = Message(
            pk=Message.key(f"wamid.{number}"),
            **{
                "company": "acme", "phone": PHONE, "from_": "1", "from_pk": "1", "type": "text",
                "conversation_pk": "CONV#1#2", "inbox_pk": "arn", "payload_hash": "x", **facts,
            },
        )  # fmt: skip
        assert store.messages.add(self.desk.here.table, message) is None
        return message.pk

    def move(self, message_pk: str, status: str) -> None:
        self.desk.here.table.update(pk(message_pk), put=Message.named(delivery_status=status))

    def hour(self, name: str, of: str = WABA) -> dict[str, Any]:
        return self.desk.item(f"HOUR#{of}#{name}")

    def day(self, date: str = "2026-01-01", waba: str = WABA) -> dict[str, Any]:
        return self.desk.item(f"ANALYTICS#{waba}#{date}")

    def counted(self) -> dict[str, dict[str, Any]]:
        """All counts, without when they were made."""
        keys = [key for key in self.desk.keys() if key.startswith(("HOUR#", "ANALYTICS#"))]
        items = {key: self.desk.item(key) for key in keys}
        return {
            key: {n: v for n, v in item.items() if n != "countedAt"} for key, item in items.items()
        }

    def _note(self, model: Any, params: dict[str, Any], **_: Any) -> None:
        reads = {"GetItem", "BatchGetItem", "Query"}
        (self.reads if model.name in reads else self.writes).append(model.name)


@pytest.fixture
def office(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Office:
    office = Office(desk)
    monkeypatch.setattr(clock, "now_ms", office.tick)
    store.phones.register(desk.here.table, of_globex())
    desk.here.table._client.meta.events.register("before-call.dynamodb", office._note)
    return office


def of_globex() -> Phone:
    return a_phone(
        pk=Phone.key(GLOBEX_PHONE),
        company="globex",
        phone=GLOBEX_PHONE,
        waba_meta_id=GLOBEX_WABA,
        phone_arn=f"arn:parley:whatsapp:::phone-number-id/{GLOBEX_PHONE}",
    )


def test_a_day_shows_how_far_its_messages_came_and_what_was_received(office: Office) -> None:
    at = "2026-01-01T11:00:00.000Z"
    office.sent(1, at, "sent", template="hello", price_category="marketing")
    office.sent(2, at, "delivered", template="hello", price_category="marketing")
    office.sent(3, "2026-01-01T10:59:59.999Z", "read", template="bye", price_category="utility")
    office.sent(4, at, "failed", campaign_id="spring")
    office.received(5, at, ad_source="ad-7", reply_of="hello")
    office.received(6, "2026-01-01T09:00:00.001Z")

    office.run("2026-01-01T12:30:00Z")

    day = office.day()
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
    assert office.hour("2026010111")["counts"] == {
        "sent": 3, "delivered": 1, "failed": 1, "received": 1, "replied": 1,
    }  # fmt: skip
    assert office.hour("2026010110")["counts"] == {"sent": 1, "delivered": 1, "read": 1}
    assert office.hour("2026010111", of="spring")["counts"] == {"sent": 1, "failed": 1}
    assert office.hour("2026010112") == {}


def test_webhooks_end_in_the_counts(office: Office) -> None:
    echo = {"id": "wamid.e", "from": "15550783881", "to": "447700900101", "timestamp": "1767268740",
            "type": "text", "text": {"body": "Ready at five."}}  # fmt: skip
    status = {"id": "wamid.e", "status": "read", "timestamp": "1767268760", "recipient_id": "4477",
              "pricing": {"billable": True, "category": "service"}}  # fmt: skip
    office.now = ms("2026-01-01T12:00:00Z")
    office.desk.take({"field": "smb_message_echoes", "message_echoes": [echo]})
    office.desk.take({"statuses": [status]}, {"statuses": [status]})
    office.desk.take({"messages": [text("wamid.1"), text("wamid.2")]})

    office.run()

    counts = {"sent": 1, "delivered": 1, "read": 1, "received": 2}
    assert office.hour("2026010111")["counts"] == counts
    assert office.day()["billable"] == {"service": 1}


def test_a_status_that_moves_moves_the_counts_of_the_hour_in_which_the_message_was_sent(
    office: Office,
) -> None:
    message = office.sent(1, "2026-01-01T11:59:59.999Z")
    office.run()
    office.move(message, "delivered")
    office.run()
    assert office.hour("2026010111")["counts"] == {"sent": 1, "delivered": 1}

    office.move(message, "failed")
    office.run()

    assert office.hour("2026010111")["counts"] == {"sent": 1, "failed": 1}
    facts = office.day()
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
    office: Office, at: str, hour: str, day: str
) -> None:
    office.sent(1, at)
    office.received(2, at)

    office.run("2026-01-01T12:30:00Z")

    assert office.counted().keys() == {f"HOUR#{WABA}#{hour}", f"ANALYTICS#{WABA}#{day}"}
    assert office.hour(hour)["counts"] == {"sent": 1, "received": 1}


def test_companies_have_counts_of_their_own(office: Office) -> None:
    at = "2026-01-01T11:00:00.000Z"
    office.sent(1, at)
    office.sent(2, at, company="globex", phone=GLOBEX_PHONE)
    office.received(3, at, company="globex", phone=GLOBEX_PHONE)
    office.sent(4, at, company="globex")  # its number is acme's: nobody's
    office.sent(5, at, phone="999")

    office.run()

    assert office.day()["messagesSent"] == 1
    globex = office.day(waba=GLOBEX_WABA)
    assert (globex["company"], globex["messagesSent"], globex["messagesReceived"]) == (
        "globex",
        1,
        1,
    )


def test_a_campaign_of_another_company_with_the_same_id_never_overwrites_the_first(
    office: Office,
) -> None:
    at = "2026-01-01T11:00:00.000Z"
    office.sent(1, at, campaign_id="spring")
    office.run()
    office.sent(2, at, campaign_id="spring", company="globex", phone=GLOBEX_PHONE)
    office.sent(3, at, campaign_id="spring", company="globex", phone=GLOBEX_PHONE)
    office.run()

    spring = office.hour("2026010111", of="spring")
    assert (spring["company"], spring["counts"]) == ("acme", {"sent": 1})
    assert office.day(waba=GLOBEX_WABA)["messagesSent"] == 2


def test_an_item_names_a_hundred_templates_and_the_rest_together(office: Office) -> None:
    for number in range(101):
        office.sent(number, "2026-01-01T11:00:00.000Z", template=f"t{number:03d}")
    office.sent(200, "2026-01-01T10:00:00.000Z", template="late")

    office.run()

    names = office.hour("2026010111")["templates"]
    assert (len(names), names["__other"], "t100" in names) == (101, 1, False)
    used = office.day()["templatesUsed"]
    assert (len(used), used["__other"], sum(used.values())) == (101, 2, 102)


def test_the_first_run_of_a_day_finds_what_was_read_more_than_a_week_later(office: Office) -> None:
    message = office.sent(1, "2026-01-01T12:00:00.000Z", "delivered")
    office.run("2026-01-01T12:35:00Z")
    office.move(message, "read")

    assert office.run("2026-01-09T11:58:00Z") == Counted(hours=193, written=2, left=0)
    # The hour, its day, that the day has the hour; and that eight days were counted.
    assert office.writes == ["PutItem", "PutItem", "UpdateItem", "PutItem"]
    assert office.day()["messagesRead"] == 1

    office.move(message, "failed")
    assert office.run("2026-01-09T11:59:00Z") == Counted()


@pytest.mark.parametrize(
    ("minute", "swept_on", "hours", "oldest"),
    [
        ("2026-01-01T12:05:00Z", "2026-01-01", 3, "2026010110"),
        ("2026-01-01T12:06:59Z", "2026-01-01", 0, None),
        ("2026-01-01T12:30:59Z", "2026-01-01", 49, "2025123012"),
        ("2026-01-01T00:00:00Z", "2026-01-01", 3, "2025123122"),
        ("2026-01-01T00:01:00Z", "2025-12-31", 193, "2025122400"),
        ("2025-12-31T23:59:00Z", "2026-01-01", 0, None),
        ("2026-01-01T12:06:00Z", None, 0, None),
    ],
)
def test_new_hours_are_counted_often_and_old_ones_rarely(
    minute: str, swept_on: str | None, hours: int, oldest: str | None
) -> None:
    due = due_hours(ms(minute), swept_on)

    assert len(due) == hours
    assert (due[-1] if due else None) == oldest


def test_a_minute_in_which_nothing_is_due_costs_one_read(office: Office) -> None:
    office.run("2026-01-01T12:30:00Z")
    office.run("2026-01-01T12:31:00Z")

    assert (office.reads, office.writes) == (["GetItem"], [])


def test_a_stack_on_which_nothing_comes_writes_nothing(office: Office) -> None:
    office.run("2026-01-01T12:30:00Z")
    assert office.writes == ["PutItem"]
    office.run("2026-01-01T12:35:00Z")
    # How far it got, the numbers; for each of 3 hours four statuses, what was received, and the stored hours.
    assert (office.reads, office.writes) == (
        ["GetItem", "GetItem", *(["Query"] * 5 + ["BatchGetItem"]) * 3],
        [],
    )
    assert office.counted() == {}


def test_hours_in_which_nothing_changed_are_not_written_again(office: Office) -> None:
    office.sent(1, "2026-01-01T12:00:00.000Z", campaign_id="spring")
    office.run("2026-01-01T12:30:00Z")
    before = office.hour("2026010112")

    assert office.run("2026-01-01T13:30:00Z").written == 0

    assert office.writes == []
    assert office.hour("2026010112") == before
    assert before["summed"] is True


def test_without_numbers_there_is_nothing_to_count(office: Office) -> None:
    table = office.desk.here.table
    table.delete(pk("CONFIG#PHONES"))

    assert office.run() == Counted()
    assert office.writes == []


def test_a_number_that_moved_to_another_account_takes_its_messages_along(office: Office) -> None:
    office.sent(1, "2026-01-01T12:00:00.000Z")
    office.run("2026-01-01T12:30:00Z")
    store.phones.register(office.desk.here.table, of_second_account())
    store.phones.register(office.desk.here.table, a_phone(waba_meta_id="777"))
    office.run("2026-01-01T13:30:00Z")

    assert office.day(waba="777")["messagesSent"] == 1
    assert office.day()["messagesSent"] == 0


def of_second_account() -> Phone:
    """A number that keeps the first account alive."""
    return a_phone(pk=Phone.key("1065"), phone="1065", phone_arn="arn:x/1065")


def meanwhile(action: Callable[[], object], *, at_call: int) -> Callable[[], int]:
    """A clock of the run that lets something else happen in the middle of it."""
    calls = iter(range(1, 10_000))

    def remaining_ms() -> int:
        if next(calls) == at_call:
            action()
        return 60_000

    return remaining_ms


def test_a_slower_count_that_began_before_does_not_overwrite_a_newer_one(office: Office) -> None:
    message = office.sent(1, "2026-01-01T12:00:00.000Z")

    def newer() -> None:
        office.move(message, "read")
        office.sent(2, "2026-01-01T12:00:00.000Z", "read")
        office.run("2026-01-01T12:30:00Z")
        assert office.hour("2026010112")["counts"] == {"sent": 2, "delivered": 2, "read": 2}

    # The second time it asks for its time, the older run has read the statuses of this hour.
    office.run("2026-01-01T12:30:00Z", meanwhile(newer, at_call=2))

    assert office.hour("2026010112")["counts"] == {"sent": 2, "delivered": 2, "read": 2}
    assert office.day()["messagesRead"] == 2


@pytest.mark.parametrize("at_call", range(1, 14))
def test_two_counts_at_once_end_like_one(office: Office, at_call: int) -> None:
    for number in range(6):
        at = f"2026-01-01T{10 + number % 3}:00:0{number}.000Z"
        office.sent(number, at, campaign_id="spring")

    office.run("2026-01-01T12:35:00Z", meanwhile(office.run, at_call=at_call))
    office.run()

    counts = [office.hour(f"20260101{hour}")["counts"] for hour in (10, 11, 12)]
    assert counts == [{"sent": 2}] * 3
    assert office.day()["messagesSent"] == 6
    assert office.hour("2026010112", of="spring")["counts"] == {"sent": 2}


def test_a_status_that_moves_while_it_is_counted_is_counted_once_and_right_the_next_time(
    office: Office,
) -> None:
    message = office.sent(1, "2026-01-01T12:00:00.000Z")
    second = office.sent(2, "2026-01-01T12:00:00.000Z", "delivered")
    moved = {"Query": 0}

    def move_between_queries(model: Any, **_: Any) -> None:
        if model.name == "Query":
            moved["Query"] += 1
            if moved["Query"] == 2:  # `sent` is read, `delivered` is not
                office.move(message, "delivered")
            if moved["Query"] == 4:
                office.move(second, "failed")

    office.desk.here.table._client.meta.events.register(
        "before-call.dynamodb", move_between_queries
    )
    office.run("2026-01-01T12:35:00Z")

    counts = office.hour("2026010112")["counts"]
    assert counts == {"sent": 2, "delivered": 1, "failed": 1}


def little_time(*, moments: int) -> Callable[[], int]:
    """The time of a run that is enough for the beginning and so many moments of messages."""
    calls = iter(range(10_000))
    return lambda: 60_000 if next(calls) <= moments else 0


@pytest.mark.parametrize("moments", [1, 2, 3, 5])
def test_an_hour_that_is_too_long_for_one_run_goes_on_in_the_next_and_is_never_set_half(
    office: Office, monkeypatch: pytest.MonkeyPatch, moments: int
) -> None:
    monkeypatch.setattr(store.counts, "ENTRIES_PER_QUERY", 2)
    monkeypatch.setattr(store.counts, "PART_CHARACTERS", 40)
    for number in range(12):
        status = ("sent", "delivered", "read", "failed")[number % 4]
        at = f"2026-01-01T12:00:0{number // 2}.000Z"  # two in each moment
        office.sent(number, at, status, template=f"t{number % 3}", campaign_id="spring")
        office.received(100 + number, at, ad_source="ad-7")
    expected = {
        "counts": {"sent": 12, "delivered": 6, "read": 3, "failed": 3, "received": 12},
        "templates": {"t0": 4, "t1": 4, "t2": 4},
    }

    runs = 0
    while office.hour("2026010112") == {}:
        # No minute that is due: only what is left over.
        office.run(
            "2026-01-01T12:36:00Z" if runs else "2026-01-01T12:35:00Z", little_time(moments=moments)
        )
        runs += 1
        assert runs < 20

    assert runs > 1
    hour = office.hour("2026010112")
    assert {name: hour[name] for name in expected} == expected
    assert office.hour("2026010112", of="spring")["counts"]["sent"] == 12


def test_sums_that_are_gone_are_counted_from_the_beginning(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        office.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    assert office.run("2026-01-01T12:35:00Z", little_time(moments=3)).left == 3
    (kept,) = [key for key in office.desk.keys() if key.startswith("COUNTING#")]
    office.desk.here.table.delete(pk(kept))
    office.run("2026-01-01T12:36:00Z")

    assert office.hour("2026010112")["counts"] == {"sent": 6}


def test_what_was_left_is_forgotten_once_it_is_done(office: Office) -> None:
    for number in range(6):
        office.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    office.run("2026-01-01T12:35:00Z", little_time(moments=3))
    state = office.desk.item("COUNTING")
    assert (state["hour"], state["position"], state["hours"]) == (
        "2026010112",
        "2026-01-01T12:00:03.000Z",
        ["2026010111", "2026010110"],
    )

    assert office.run("2026-01-01T12:36:00Z") == Counted(hours=3, written=2, left=0)

    state = office.desk.item("COUNTING")
    assert state.keys() == {"pk", "itemType", "version", "sweptOn", "partialParts"}
    assert office.run("2026-01-01T12:37:00Z") == Counted()


def test_a_run_whose_progress_is_older_than_the_stored_one_does_not_note_it(office: Office) -> None:
    for number in range(6):
        office.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    table = office.desk.here.table
    before = store.counts.progress(table)
    office.run("2026-01-01T12:35:00Z")

    assert store.counts.save_progress(table, before) is False
    assert office.desk.item("COUNTING")["version"] == 1


def test_hundreds_of_messages_of_two_days_add_up(office: Office) -> None:
    """Ten an hour, a quarter at each status."""
    statuses = ("sent", "delivered", "read", "failed")
    with boto3.resource("dynamodb").Table(office.desk.here.table.name).batch_writer() as batch:
        for number in range(480):
            at = clock.to_text(ms("2025-12-31T00:00:00Z") + number * 6 * MINUTE + number % 7)
            batch.put_item(
                Item={
                    "pk": f"MSG#{number}", "itemType": "MESSAGE", "company": "acme", "phone": PHONE,
                    "deliveryStatus": statuses[number % 4], "sentAt": at,
                }
            )  # fmt: skip

    office.run("2026-01-02T00:00:00Z")
    office.run("2026-01-02T00:30:00Z")

    totals = ("messagesSent", "messagesDelivered", "messagesRead", "messagesFailed")
    assert [office.day("2025-12-31")[name] for name in totals] == [240, 120, 60, 60]
    assert [office.day("2026-01-01")[name] for name in totals] == [240, 120, 60, 60]
    assert office.hour("2026010100")["counts"]["sent"] == 10
