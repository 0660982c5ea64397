"""Which message starts a sequence: the first of a customer, or opening the chat, once per customer and number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.whatsapp.actions.analytics.welcomes import (
    GRACE,
    HELLO,
    LATER,
    OPENS_THE_CHAT,
    Welcomes,
)
from tests.integration.whatsapp.actions.conftest import ADA, WABA
from tests.integration.whatsapp.conftest import PHONE, text
from whatsapp.store.items.sending.sequences import Timer
from whatsapp.store.sending import sequences, timers

if TYPE_CHECKING:
    import pytest

MINUTE_MS = 60_000


def test_the_first_message_of_a_customer_starts_the_sequence(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, LATER)
    welcomes.write()
    run = welcomes.run()

    assert {name: run[name] for name in run if name not in {"runId", "pk", "ttl"}} == {
        "itemType": "SEQUENCE_RUN",
        "company": "acme",
        "phone": PHONE,
        "account": WABA,
        "sequenceName": "welcome",
        "conversation": f"CONV#{PHONE}#{GRACE}",
        "startedAt": "2026-01-01T12:00:00.000Z",
        "dueAt": "2026-01-01T12:00:00.000Z",
        "state": "running",
        "step": 0,
        "tries": 0,
    }
    assert GRACE not in run["pk"]
    welcomes.runs.drain()
    assert welcomes.sent() == ["Hello!"]


def test_only_one_sequence_is_started_whatever_follows(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    welcomes.set_up(
        HELLO | {"text": "You opened the chat"}, name="opened", trigger="request_welcome"
    )
    first = welcomes.write(identity="wamid.first")
    welcomes.actions.harness.take({"messages": [first]})
    welcomes.write()
    welcomes.write(**OPENS_THE_CHAT)
    welcomes.runs.drain()

    assert len(welcomes.keys("SEQUENCE_RUN")) == 1
    assert welcomes.sent() == ["Hello!"]


def test_opening_the_chat_starts_the_sequence_for_that(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    welcomes.set_up(
        HELLO | {"text": "You opened the chat"}, name="opened", trigger="request_welcome"
    )
    welcomes.write(**OPENS_THE_CHAT)
    welcomes.write()
    welcomes.runs.drain()

    assert welcomes.sent() == ["You opened the chat"]


def test_a_known_customer_who_opens_the_chat_is_welcomed_once(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, trigger="request_welcome")
    for _ in range(2):
        welcomes.write(ADA, **OPENS_THE_CHAT)
        welcomes.runs.drain()

    assert welcomes.sent() == ["Hello!"]


def test_opening_the_chat_is_a_first_message_without_a_sequence_of_its_own(
    welcomes: Welcomes,
) -> None:
    welcomes.set_up(HELLO)
    welcomes.write(**OPENS_THE_CHAT)
    welcomes.runs.drain()

    assert welcomes.sent() == ["Hello!"]


def test_a_customer_who_wrote_before_the_sequence_existed_is_not_new(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    welcomes.write(ADA)

    assert welcomes.keys("SEQUENCE_RUN") == []


def test_a_customer_of_the_imported_history_is_not_new(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    old = text("wamid.old", at=welcomes.runs.now // 1_000 - 86_400, sender=GRACE)
    thread = {"id": GRACE, "messages": [old]}
    history = {"field": "history", "history": [{"metadata": {"phase": 0}, "threads": [thread]}]}
    welcomes.actions.harness.take(history)
    welcomes.write()

    assert welcomes.actions.item("MSG#wamid.old")["origin"] == "history"
    assert welcomes.keys("SEQUENCE_RUN") == []


def test_a_customer_who_only_got_messages_so_far_is_new(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    template = {"templateName": "bike_ready", "bodyParams": ["Grace"]}
    welcomes.actions.run("send_template", {"phoneNumberId": PHONE, "to": f"+{GRACE}"} | template)
    welcomes.write()
    welcomes.runs.drain()

    assert welcomes.sent()[-1] == "Hello!"
    assert welcomes.run()["state"] == "completed"


def test_groups_notices_and_old_messages_start_nothing(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    welcomes.write(group_id="120363041234567890")
    notice: dict[str, Any] = {
        "type": "system",
        "text": None,
        "system": {"type": "other", "body": "changed"},
    }
    welcomes.write("447700900556", **notice)
    a_day_ago = text("wamid.late", at=welcomes.runs.now // 1_000 - 90_000, sender="447700900557")
    welcomes.actions.harness.take({"messages": [a_day_ago]})

    assert welcomes.keys("SEQUENCE_RUN") == []


def test_an_account_without_a_sequence_starts_and_stores_nothing(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, enabled=False)
    welcomes.write()

    assert welcomes.keys("SEQUENCE_RUN") == []
    assert "sequenceRun" not in welcomes.actions.item(f"CONV#{PHONE}#{GRACE}")


def test_a_number_that_still_names_a_disabled_sequence_starts_nothing(welcomes: Welcomes) -> None:
    """As after a call that died between its writes, and in the minute in which workers know the number."""
    welcomes.set_up(HELLO)
    table = welcomes.actions.harness.resources.table
    sequence = sequences.get(table, WABA, "welcome")
    assert sequence is not None
    for broken in ({"enabled": False}, {"company": "globex"}):
        sequences.put(table, sequence.model_copy(update=broken))
        welcomes.write(f"44770090058{len(broken)}")

    assert welcomes.keys("SEQUENCE_RUN") == []


def test_each_number_of_an_account_welcomes_its_own_customers(welcomes: Welcomes) -> None:
    welcomes.actions.register_eum(waba_meta_id=WABA)
    numbers = welcomes.set_up(HELLO).result["phoneNumberIds"]

    assert len(numbers) == 2
    for number in numbers:
        assert welcomes.actions.item(f"PHONE#{number}")["welcomeSequences"] == {
            "first_message": "welcome"
        }


def test_more_customers_than_fit_into_one_timer_are_all_found(
    welcomes: Welcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Timer, "most", 10)
    welcomes.set_up(LATER)
    table = welcomes.actions.harness.resources.table
    due = welcomes.runs.now + 5 * MINUTE_MS
    for number in range(Timer.most * 2 + 1):
        timers.note(table, f"{PHONE}#run-{number:03d}", due)
        timers.note(table, f"{PHONE}#run-{number:03d}", due)

    items = [welcomes.actions.item(key) for key in welcomes.keys("TIMER")]
    assert sorted(len(item["runs"]) for item in items) == [1, 10, 10]
    read = [
        timers.entries(table, f"2026-01-01T12:0{minute}", n) for minute in (4, 5) for n in range(3)
    ]
    assert sum(len(entries) for entries, _ in read) == 21


def test_an_entry_that_is_written_after_its_minute_moves_to_a_later_one(
    welcomes: Welcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schedule may have read the minute already."""
    table = welcomes.actions.harness.resources.table
    include, delays = timers._include, [5 * MINUTE_MS, 0]

    def slow(*given: object) -> None:
        include(*given)  # type: ignore[arg-type] # the same arguments
        welcomes.runs.now += delays.pop(0)

    monkeypatch.setattr(timers, "_include", slow)
    timers.note(table, f"{PHONE}#run", welcomes.runs.now)

    assert welcomes.keys("TIMER") == ["TIMER#202601011201#0", "TIMER#202601011206#0"]
