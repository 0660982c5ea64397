"""The lists of unfinished sends: several partitions of one index, read one after another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shared.runtime import clock
from whatsapp import store
from whatsapp.store.items import Intent

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from tests.integration.whatsapp.conftest import Harness

SENDS = 800


def put(table: Table, action_id: str, listed: str | None = None) -> None:
    intent = Intent(
        pk=Intent.key(action_id),
        company="acme",
        message={"type": "text"},
        webhook_event_type=listed or Intent.list_of(action_id),
        received_at=clock.to_text(clock.now_ms()),
        phone="106",
    )
    store.intents.put(table, intent)


def found(table: Table, limit: int) -> tuple[list[str], int]:
    """The actions of all unfinished sends, and the number of pages."""
    until, start, pages = clock.to_text(clock.now_ms()), None, 0
    actions: list[str] = []
    while True:
        intents, start = store.intents.unfinished(table, until, limit=limit, start=start)
        pages += 1
        actions += [Intent.action_of(intent.pk) for intent in intents]
        if start is None:
            return actions, pages


def test_no_partition_has_much_more_than_its_share_of_the_sends_of_a_second() -> None:
    sizes = Counter(Intent.list_of(f"{number:064x}") for number in range(SENDS))

    assert sizes.keys() == set(Intent.lists()) - {Intent.first_listed_as}
    assert max(sizes.values()) < 1.5 * SENDS / Intent.shards


def test_a_send_is_found_once_in_whichever_partition_it_is(harness: Harness) -> None:
    actions = [f"action-{number}" for number in range(30)]
    for action_id in actions:
        put(harness.resources.table, action_id)

    listed, pages = found(harness.resources.table, 3)

    assert sorted(listed) == sorted(actions)
    assert pages >= 30 // 3


def test_sends_of_the_release_with_one_partition_are_found(harness: Harness) -> None:
    put(harness.resources.table, "old", Intent.first_listed_as)
    put(harness.resources.table, "new")

    assert sorted(found(harness.resources.table, 100)[0]) == ["new", "old"]


def test_without_unfinished_sends_each_partition_is_read_once(harness: Harness) -> None:
    assert found(harness.resources.table, 100) == ([], 1 + Intent.shards)
