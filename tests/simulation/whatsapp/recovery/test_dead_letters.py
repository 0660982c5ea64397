"""Messages that failed five times become dead letters; redriven in any order, they result in the same state."""

from __future__ import annotations

from random import Random

import pytest

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COUNTER
from events.whatsapp.samples import sample
from shared.events.recovery import dead_letters
from tests.simulation.effort import long_except
from tests.simulation.interceptor import When, of_handling
from tests.simulation.whatsapp.event_builders import (
    Event,
    ada_edit,
    ada_message,
    ada_reaction,
    ada_revoke,
    echo_webhook,
    status_webhook,
    wamid,
    webhook_of,
)
from tests.simulation.whatsapp.final_state import (
    as_if_never_failed,
    check_at_any_time,
    check_at_rest,
    differences,
    final_state_of,
    in_any_order,
)
from tests.simulation.whatsapp.system import System

CONVERSATION = f"CONV#{COUNTER.phone}#{ADA.wa_id}"
DAY: dict[str, Event] = {
    "m1": webhook_of(ada_message("m1", text("one"), 700)),
    "m2": webhook_of(ada_message("m2", text("two"), 701)),
    "m3": webhook_of(ada_message("m3", text("three"), 702)),
    "m4": webhook_of(ada_message("m4", text("four"), 703)),
    "edit": webhook_of(ada_edit("edit", "m2", "two!", 704)),
    "reaction": webhook_of(ada_reaction("reaction", "m1", "👍", 705)),
    "revocation": webhook_of(ada_revoke("revocation", "m3", 706)),
    "answer": echo_webhook("answer", 707),
    "statuses": status_webhook(wamid("answer"), "sent", "delivered", "read"),
    "photo": sample("image").event,
    "last": webhook_of(ada_message("last", text("five"), 708)),
}


@pytest.mark.parametrize("seed", long_except(range(8), range(2)))
def test_dead_letters_redriven_in_any_order_end_in_the_same_state(
    system: System, seed: int
) -> None:
    for event in DAY.values():
        system.deliver_until_accepted(event)
        system.drain()
    clean = final_state_of(system)
    check_at_rest(system, clean.items)

    system.reset()
    chance = Random(seed)  # noqa: S311 - a seed makes the run repeatable
    unlucky = set(chance.sample(sorted(DAY), 6))
    for name, event in DAY.items():
        system.deliver_until_accepted(event)
        if name in unlucky:
            system.interceptor.fails_if = of_handling
        system.drain()
        system.interceptor.rewind()
    # Three statuses are three events, a photo's message fails before its file is asked for.
    assert len(system.queue.dead_letters) == len(unlucky) + 2 * ("statuses" in unlucky)
    redrive(system, chance)
    final = as_if_never_failed(final_state_of(system))
    assert differences(in_any_order(clean), in_any_order(final)) == []
    check_at_rest(system, final.items)


@pytest.mark.long
@pytest.mark.parametrize("seed", long_except(range(2), [0]))
def test_messages_beyond_the_ring_are_counted_by_a_recount(system: System, seed: int) -> None:
    chance = Random(seed)  # noqa: S311 - a seed makes the run repeatable
    old = [ada_message(f"old {n}", text(str(n)), 600 + n) for n in range(12)]
    system.deliver_until_accepted(webhook_of(*old))
    system.interceptor.fails_if = of_handling
    system.drain()
    system.interceptor.rewind()
    assert len(system.queue.dead_letters) == len(old)
    for start in range(0, 32, 8):
        newer = (ada_message(f"new {n}", text(str(n)), 700 + n) for n in range(start, start + 8))
        system.deliver_until_accepted(webhook_of(*newer))
        system.drain()
    assert system.items()[CONVERSATION]["unreadCount"] == 32

    system.queue.redrive(chance.sample(range(len(old)), len(old)))
    for _ in range(3):  # deaths; after the fifth they would be dead letters again
        system.interceptor.rewind()
        system.interceptor.die_at = (chance.randint(5, 25), chance.choice(list(When)))
        system.run_worker()
        check_at_any_time(system, {})
        system.wait_for_redelivery()
    system.interceptor.rewind()
    system.drain()
    items = system.items()
    check_at_any_time(system, {})
    check_at_rest(system, items)
    assert items[CONVERSATION]["unreadCount"] == 44


def test_a_redriven_message_already_marked_as_read_is_not_unread(system: System) -> None:
    system.deliver_until_accepted(webhook_of(ada_message("old", text("old"), 600)))
    system.interceptor.fails_if = of_handling
    system.drain()
    system.interceptor.rewind()
    system.deliver_until_accepted(webhook_of(ada_message("new", text("new"), 700)))
    system.drain()
    mark_conversation_read(system)
    system.queue.redrive()
    system.drain()
    items = system.items()
    check_at_rest(system, items)
    assert items[CONVERSATION]["unreadCount"] == 0


def test_a_dead_letter_shows_the_error_of_its_last_attempt_unless_the_worker_was_killed(
    system: System,
) -> None:
    system.deliver_until_accepted(DAY["m1"])
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.PutItem MSG#")
    system.drain()
    system.interceptor.rewind()
    system.deliver_until_accepted(DAY["answer"])
    while system.queue.messages:
        system.interceptor.rewind()
        system.interceptor.die_at = (1, When.AFTER)
        system.run_worker()
        system.wait_for_redelivery()
    system.interceptor.rewind()

    stored = {
        (letter.kind, letter.reason, letter.attempts)
        for letter in dead_letters.listed(system.admin.recovery.dead_letters, limit=10).letters
    }
    assert stored == {
        ("message", "PutItem: InternalServerError", 5),
        ("echo", "no_error_reported", None),
    }


def redrive(system: System, chance: Random) -> None:
    letters = [letter.message_id for letter in system.queue.dead_letters]
    for letter in chance.sample(letters, len(letters)):
        dead_letters.redrive(
            system.admin.recovery.dead_letters, ids=[letter], limit=1, report=lambda _: None
        )
        # A search for one dead letter makes the others invisible for a short time.
        assert all(
            letter.visible_at <= system.clock.now_ms() for letter in system.queue.dead_letters
        )
    assert system.queue.dead_letters == []
    system.drain()


def mark_conversation_read(system: System) -> None:
    """The write of the inbox after a conversation was read to its end."""
    head = system.items()[CONVERSATION]
    system.table.update({"pk": CONVERSATION}, put={"unreadCount": 0, "readUpTo": head["lastKey"]})
