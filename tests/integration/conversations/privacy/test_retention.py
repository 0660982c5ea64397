"""
A conversation is kept for its project's `retention_days` after its last turn; extending it costs most turns nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.configuration.resources import Run
from conversations.lifecycle import retention
from conversations.lifecycle.records.commands import Lengthen
from conversations.recovery import exhausted_retries
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import MARKER_DAYS
from tests.integration.conversations.steps import (
    DAY_MS,
    direct_resources,
    enqueue,
    start_conversation,
    status_of,
    take_over,
)
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

YEAR, HALF = 365, 183


def day(system: System) -> int:
    """Today, in days since 1970."""
    return system.clock.ms // DAY_MS


def until(system: System, row: dict[str, Any]) -> int:
    """How many days from now an item expires."""
    return int(row["ttl"]) // 86_400 - day(system)


def rows(system: System, *begins: str) -> list[dict[str, Any]]:
    return [
        row for key, row in sorted(system.rows().items()) if f"{key[1]} {key[2]}".startswith(begins)
    ]


def write(system: System, name: str, after_days: int) -> None:
    """The candidate writes so many days later and gets an answer."""
    system.clock.ms += after_days * DAY_MS
    system.text(name, "Which shift is it?")
    system.drain()


def lifetimes(system: System, ref: str) -> set[int]:
    """In how many days the item, state, route and log of a conversation expire."""
    item = system.conversation(ref)
    of_log = [f"CONV#{ref} {kind}#" for kind in ("MSG", "EVT", "NOTE")]
    found = rows(system, *of_log, "ROUTE#", "OPEN#", "ENDED#")
    return {until(system, row) for row in (item, system.state(ref), *found)}


def test_all_items_of_a_conversation_live_a_year_by_default(system: System) -> None:
    ref = start_conversation(system)

    assert lifetimes(system, ref) == {YEAR}


def test_a_project_may_set_its_retention_days(system: System) -> None:
    system.change(retention_days=30)

    assert lifetimes(system, start_conversation(system)) == {30}


def test_a_turn_in_the_first_half_extends_nothing(system: System) -> None:
    ref = start_conversation(system)

    write(system, "a", after_days=HALF - 3)

    assert lifetimes(system, ref) == {YEAR - HALF + 3}


def test_a_turn_in_the_second_half_extends_all_items(system: System) -> None:
    ref = start_conversation(system)
    system.call_admin_api("POST /conversations/{ref}/notes", {"text": "Prefers nights"}, ref=ref)
    write(system, "a", after_days=10)

    write(system, "b", after_days=HALF)

    assert lifetimes(system, ref) == {YEAR}
    assert len(system.log(ref)) == 5


def test_a_message_without_an_answer_extends_nothing(system: System) -> None:
    ref = start_conversation(system)
    system.clock.ms += 300 * DAY_MS
    take_over(system, ref)

    system.text("a", "Which shift is it?")
    system.drain()

    assert until(system, system.conversation(ref)) == YEAR - 300


def test_marks_of_events_keep_their_own_expiry(system: System) -> None:
    start_conversation(system)

    write(system, "a", after_days=300)

    lives = {until(system, row) for row in rows(system, "IN#", "ACTION#")}
    assert lives <= {MARKER_DAYS, MARKER_DAYS - 300}


def test_an_alias_lives_as_long_as_its_conversation(system: System) -> None:
    ref = start_conversation(system, "whatsapp")

    for name, days in (("a", 0), ("b", 300)):
        system.clock.ms += days * DAY_MS
        user = "whatsapp:GB.20417733968512046377"
        system.whatsapp(name, "Which shift is it?", ExternalUserId=user)
        system.drain()

    assert {until(system, row) for row in rows(system, "ALIAS#")} == {YEAR}
    assert until(system, system.conversation(ref)) == YEAR


def test_only_the_turn_that_extends_retention_writes_more(system: System) -> None:
    start_conversation(system)
    write(system, "a", after_days=1)
    plain = _units(system, "b", 1)

    moving = _units(system, "c", HALF)

    assert moving - plain <= 1  # the route; the log is another record's


def test_an_item_without_an_expiry_gets_one(system: System) -> None:
    ref = start_conversation(system)
    item = {name: value for name, value in system.conversation(ref).items() if name != "ttl"}
    system.write("conversations", item)

    write(system, "a", after_days=1)

    assert until(system, system.conversation(ref)) == YEAR


@pytest.mark.long
def test_an_extension_of_retention_is_finished_after_a_crash_at_any_call(system: System) -> None:
    ref = start_conversation(system)
    system.clock.ms += HALF * DAY_MS
    system.text("a", "Which shift is it?")
    system.run_intake()
    start = system.snapshot()
    system.interceptor.rewind()
    system.drain()
    calls = list(system.interceptor.calls)
    assert lifetimes(system, ref) == {YEAR}

    for number in range(1, len(calls) + 1):
        system.restore(start)
        system.interceptor.die_at = (number, When.AFTER)
        system.settle()
        assert lifetimes(system, ref) <= {YEAR, YEAR - 1}, calls[number - 1]


def test_a_long_log_is_extended_by_several_records_in_turn(system: System) -> None:
    ref = start_conversation(system)
    write(system, "a", after_days=1)
    command = Lengthen(ref=ref, ttl=int(system.state(ref)["ttl"]) + 1_000)

    left = iter([60_000, 1_000])
    run = Run("owner", system.clock.ms, 1, False, lambda: next(left))
    retention.lengthen(direct_resources(system), command, ChannelMethod.SMS, run)
    moved = [row for row in rows(system, f"CONV#{ref} ") if row.get("ttl") == command.ttl]
    assert len(moved) == 2
    system.drain()

    kinds = rows(system, f"CONV#{ref} MSG#", f"CONV#{ref} EVT#")
    assert len(kinds) > 2
    assert {row["ttl"] for row in kinds} == {command.ttl}


def test_an_item_erased_during_an_extension_is_not_written_again(system: System) -> None:
    ref = start_conversation(system)
    (message,) = system.log(ref)
    command = Lengthen(ref=ref, ttl=int(message["ttl"]) + 1_000)
    system.remove("log", message["pk"], message["sk"])

    enqueue(system, command, ref, "lengthen")

    assert system.log(ref) == []


def _units(system: System, name: str, after_days: int) -> float:
    """The write units of the answer to a message."""
    system.clock.ms += after_days * DAY_MS
    system.text(name, "Which shift is it?")
    system.run_intake()
    deps = next(module.deps for queue, module in system.workers.items() if "replies" in queue)
    tables = (deps.resources.log, deps.resources.table)
    for table in tables:
        table.forget_consumption()
    spent: list[float] = []
    system.drain(lambda: spent.append(sum(table.consumed_write_units for table in tables)))
    return spent[0]


def test_a_failed_extension_of_the_log_fails_no_conversation(system: System) -> None:
    ref = start_conversation(system)
    system.write("conversations", system.conversation(ref) | {"conversation_status": "processing"})
    command = Lengthen(ref=ref, ttl=1)

    exhausted_retries.of_record(direct_resources(system), command.model_dump_json(), "throttled")

    assert status_of(system, ref)[0] == "processing"
