"""
A conversation is kept for its project's `retention_days` after its last turn; extending it costs most turns nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.configuration.resources import Run
from conversations.lifecycle.commands import Lengthen
from conversations.privacy import retention
from conversations.recovery import exhausted_retries
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import MARKER_DAYS
from tests.integration.conversations.acts import (
    DAY_MS,
    aside,
    put,
    stands,
    start_conversation,
    take_over,
)
from tests.simulation.wire import When

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

YEAR, HALF = 365, 183


def day(world: World) -> int:
    """Today, in days since 1970."""
    return world.clock.ms // DAY_MS


def until(world: World, row: dict[str, Any]) -> int:
    """How many days from now an item expires."""
    return int(row["ttl"]) // 86_400 - day(world)


def rows(world: World, *begins: str) -> list[dict[str, Any]]:
    return [
        row for key, row in sorted(world.rows().items()) if f"{key[1]} {key[2]}".startswith(begins)
    ]


def write(world: World, name: str, after_days: int) -> None:
    """The candidate writes so many days later and gets an answer."""
    world.clock.ms += after_days * DAY_MS
    world.text(name, "Which shift is it?")
    world.work_off()


def lifetimes(world: World, ref: str) -> set[int]:
    """In how many days the item, state, route and log of a conversation expire."""
    item = world.conversation(ref)
    found = rows(world, f"CONV#{ref} MSG#", f"CONV#{ref} EVT#", "ROUTE#", "OPEN#")
    return {until(world, row) for row in (item, world.state(ref), *found)}


def test_all_items_of_a_conversation_live_a_year_by_default(world: World) -> None:
    ref = start_conversation(world)

    assert lifetimes(world, ref) == {YEAR}


def test_a_project_may_set_its_retention_days(world: World) -> None:
    world.change(retention_days=30)

    assert lifetimes(world, start_conversation(world)) == {30}


def test_a_turn_in_the_first_half_extends_nothing(world: World) -> None:
    ref = start_conversation(world)

    write(world, "a", after_days=HALF - 3)

    assert lifetimes(world, ref) == {YEAR - HALF + 3}


def test_a_turn_in_the_second_half_extends_all_items(world: World) -> None:
    ref = start_conversation(world)
    write(world, "a", after_days=10)

    write(world, "b", after_days=HALF)

    assert lifetimes(world, ref) == {YEAR}
    assert len(world.log(ref)) == 5


def test_a_message_without_an_answer_extends_nothing(world: World) -> None:
    ref = start_conversation(world)
    world.clock.ms += 300 * DAY_MS
    take_over(world, ref)

    world.text("a", "Which shift is it?")
    world.work_off()

    assert until(world, world.conversation(ref)) == YEAR - 300


def test_marks_of_events_keep_their_own_expiry(world: World) -> None:
    start_conversation(world)

    write(world, "a", after_days=300)

    lives = {until(world, row) for row in rows(world, "IN#", "ACTION#")}
    assert lives <= {MARKER_DAYS, MARKER_DAYS - 300}


def test_an_alias_lives_as_long_as_its_conversation(world: World) -> None:
    ref = start_conversation(world, "whatsapp")

    for name, days in (("a", 0), ("b", 300)):
        world.clock.ms += days * DAY_MS
        user = "whatsapp:GB.20417733968512046377"
        world.whatsapp(name, "Which shift is it?", ExternalUserId=user)
        world.work_off()

    assert {until(world, row) for row in rows(world, "ALIAS#")} == {YEAR}
    assert until(world, world.conversation(ref)) == YEAR


def test_only_the_turn_that_extends_retention_writes_more(world: World) -> None:
    start_conversation(world)
    write(world, "a", after_days=1)
    plain = _units(world, "b", 1)

    moving = _units(world, "c", HALF)

    assert moving - plain <= 1  # the route; the log is another record's


def test_an_item_without_an_expiry_gets_one(world: World) -> None:
    ref = start_conversation(world)
    item = {name: value for name, value in world.conversation(ref).items() if name != "ttl"}
    world.write("conversations", item)

    write(world, "a", after_days=1)

    assert until(world, world.conversation(ref)) == YEAR


@pytest.mark.long
def test_an_extension_of_retention_is_finished_after_a_crash_at_any_call(world: World) -> None:
    ref = start_conversation(world)
    world.clock.ms += HALF * DAY_MS
    world.text("a", "Which shift is it?")
    world.take_in()
    start = world.remember()
    world.wire.rewind()
    world.work_off()
    calls = list(world.wire.calls)
    assert lifetimes(world, ref) == {YEAR}

    for number in range(1, len(calls) + 1):
        world.begin_again(start)
        world.wire.die_at = (number, When.AFTER)
        world.settle()
        assert lifetimes(world, ref) <= {YEAR, YEAR - 1}, calls[number - 1]


def test_a_long_log_is_extended_by_several_records_in_turn(world: World) -> None:
    ref = start_conversation(world)
    write(world, "a", after_days=1)
    command = Lengthen(ref=ref, ttl=int(world.state(ref)["ttl"]) + 1_000)

    left = iter([60_000, 1_000])
    run = Run("owner", world.clock.ms, 1, False, lambda: next(left))
    retention.lengthen(aside(world), command, ChannelMethod.SMS, run)
    moved = [row for row in rows(world, f"CONV#{ref} ") if row.get("ttl") == command.ttl]
    assert len(moved) == 2
    world.work_off()

    kinds = rows(world, f"CONV#{ref} MSG#", f"CONV#{ref} EVT#")
    assert len(kinds) > 2
    assert {row["ttl"] for row in kinds} == {command.ttl}


def test_an_item_erased_during_an_extension_is_not_written_again(world: World) -> None:
    ref = start_conversation(world)
    (message,) = world.log(ref)
    command = Lengthen(ref=ref, ttl=int(message["ttl"]) + 1_000)
    world.remove("log", message["pk"], message["sk"])

    put(world, command, ref, "lengthen")

    assert world.log(ref) == []


def _units(world: World, name: str, after_days: int) -> float:
    """The write units of the answer to a message."""
    world.clock.ms += after_days * DAY_MS
    world.text(name, "Which shift is it?")
    world.take_in()
    deps = next(module.deps for queue, module in world.workers.items() if "replies" in queue)
    tables = (deps.resources.log, deps.resources.table)
    for table in tables:
        table.forget_consumption()
    spent: list[float] = []
    world.work_off(lambda: spent.append(sum(table.consumed_write_units for table in tables)))
    return spent[0]


def test_a_failed_extension_of_the_log_fails_no_conversation(world: World) -> None:
    ref = start_conversation(world)
    world.write("conversations", world.conversation(ref) | {"conversation_status": "processing"})
    command = Lengthen(ref=ref, ttl=1)

    exhausted_retries.of_record(aside(world), command.model_dump_json(), "throttled")

    assert stands(world, ref)[0] == "processing"
