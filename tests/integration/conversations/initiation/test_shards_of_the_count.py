"""A project's count with shards: the same promises as without, and few writes of the count."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError

from conversations.store.items.base import key
from conversations.store.items.routes import Active, ActiveShard, Open
from conversations.store.limits import active_count, active_recount, active_shards
from conversations.store.lists import open_list
from events.conversations import sample_data
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.conversations.initiation.deaths import Died, let_writes_die
from tests.integration.conversations.steps import direct_resources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.dynamodb import Table
    from tests.simulation.conversations.system import System

PROJECT = (sample_data.COMPANY, sample_data.PROJECT)
COUNT = key(Active.partition(*PROJECT))
MOST = 5_000
# Of the same shard.
REFS = [f"kkaa{number}" for number in range(100)]


@pytest.fixture(autouse=True)
def fresh_process() -> Iterator[None]:
    active_shards._conflicts.clear()
    yield
    active_shards._conflicts.clear()


@pytest.fixture
def log(system: System) -> Table:
    return direct_resources(system).log


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit with shards that tests can reach, and blocks of it."""
    for name, value in {"BLOCK": 4, "MOST_FREE": 6, "SHARDED_FROM": 10}.items():
        monkeypatch.setattr(active_shards, name, value)
    monkeypatch.setattr(ActiveShard, "names", ("a0", "a1", "b0", "b1"))
    return 12


def opening(ref: str) -> Open:
    now = clock.to_text(clock.now_ms())
    return Open(
        ref=ref,
        conversation_status="processing",
        channel_method="sms",
        since=now,
        last_activity_at=open_list.hour_of(now),
    )


def admit(log: Table, ref: str, most: int = MOST) -> bool:
    return open_list.admit(log, *PROJECT, opening(ref), most)


def remove(log: Table, ref: str) -> None:
    open_list.remove(log, *PROJECT, ref)


def conflict() -> None:
    """This process has met a conflict."""
    active_shards._conflicts[PROJECT] = clock.now_ms()


def count_of(log: Table) -> Active:
    return Active.read(log.get(COUNT) or {})


def shards_of(log: Table) -> dict[str, ActiveShard]:
    return active_count.shards(log, *PROJECT, count_of(log))


def active(log: Table) -> int:
    return count_of(log).active - sum(shard.free for shard in shards_of(log).values())


def flagged(log: Table) -> int:
    entries, _ = log.query(None, Key("pk").eq(Open.partition(*PROJECT)))
    return sum(bool(entry.get("is_counted")) for entry in entries)


def is_consistent(log: Table) -> bool:
    """Whether the counts, in all and by part, equal the list's, and no shard owes a place."""
    shards = shards_of(log).values()
    by_part = sum(sum(one.parts.values()) for one in (count_of(log), *shards))
    return active(log) == flagged(log) == by_part and all(shard.free >= 0 for shard in shards)


def writes_of_the_count(log: Table) -> list[str]:
    """The transactions that write the count, from now on."""
    found: list[str] = []

    def note(params: dict[str, Any], **_: object) -> None:
        found.extend(
            each["Update"]["Key"]["pk"]["S"]
            for each in params["TransactItems"]
            if "Update" in each and each["Update"]["Key"]["pk"]["S"] == COUNT["pk"]
        )

    log._client.meta.events.register(
        "provide-client-params.dynamodb.TransactWriteItems", note, unique_id="writes-of-the-count"
    )
    return found


def conflict_once(log: Table, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the next transaction conflict; return how many writes each attempt has."""
    send, attempts = log._client.transact_write_items, list[int]()

    def conflicting(**given: Any) -> Any:
        attempts.append(len(given["TransactItems"]))
        if len(attempts) > 1:
            return send(**given)
        reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}]
        answer: Any = {
            "Error": {"Code": "TransactionCanceledException", "Message": "cancelled"},
            "CancellationReasons": reasons,
        }
        raise ClientError(answer, "TransactWriteItems")

    monkeypatch.setattr(log._client, "transact_write_items", conflicting)
    return attempts


def test_without_conflicts_a_project_has_one_count_and_one_call_for_each_change(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    admit(log, "kkzz")  # It completes the count of a new project.
    calls: list[str] = []
    log._client.meta.events.register(
        "provide-client-params.dynamodb.*", lambda model, **_: calls.append(model.name)
    )
    admit(log, REFS[0])
    remove(log, REFS[0])

    assert calls == ["TransactWriteItems", "DeleteItem", "TransactWriteItems"]
    assert count_of(log).most is None


def test_a_conflict_at_a_small_limit_makes_no_shards(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    admit(log, "kkzz", 30)
    attempts = conflict_once(log, monkeypatch)

    assert admit(log, REFS[0], 30)
    assert attempts == [2, 2]
    assert count_of(log).most is None


def test_after_a_conflict_one_in_32_conversations_writes_the_count(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    admit(log, "kkzz")
    conflict_once(log, monkeypatch)
    admit(log, REFS[0])
    written = writes_of_the_count(log)
    for ref in REFS[1:80]:  # 15 places that the shard still has, then two blocks.
        assert admit(log, ref)

    assert len(written) == 2
    assert is_consistent(log)
    written.clear()
    for ref in REFS[:80]:
        remove(log, ref)
    assert len(written) == 1
    assert is_consistent(log)
    assert shards_of(log)["a0"].free <= active_shards.MOST_FREE


def test_the_whole_limit_is_used_also_from_one_shard_and_never_more(log: Table, small: int) -> None:
    admit(log, "kkaz", small)
    conflict()
    admit(log, "kkba", small)
    assert sum(shard.free for shard in shards_of(log).values()) == 3

    admitted = [admit(log, ref, small) for ref in REFS[: small + 2]]

    assert sum(admitted) == small - 2
    assert active(log) == flagged(log) == small
    assert is_consistent(log)


def test_processes_without_conflicts_use_the_places_that_are_left_in_shards(
    log: Table, small: int
) -> None:
    admit(log, "kkaz", small)
    conflict()
    admit(log, "kkba", small)
    active_shards._conflicts.clear()

    assert sum(admit(log, ref, small) for ref in REFS[: small + 2]) == small - 2
    assert active(log) == flagged(log) == small


def test_a_lowered_limit_holds_although_shards_have_places_of_earlier_ones(
    log: Table, small: int, system: System
) -> None:
    admit(log, "kkaz", small)
    conflict()
    for most in (small, 2 * small, small):
        system.clock.ms += 2 * active_shards.LIMIT_SETTLES_MS
        conflict()
        for ref in (f"kkba{most}", f"kkbz{most}", *REFS[: most - 8]):
            admit(log, ref, most)
    for ref in REFS[:4]:
        remove(log, ref)
    before = flagged(log)
    assert before >= small

    assert not any(admit(log, f"kk{letter}x", small) for letter in ("aa", "az", "ba", "bz"))
    assert flagged(log) == before
    assert is_consistent(log)


def test_a_conversation_that_is_continued_above_the_limit_leaves_no_place_for_another_one(
    log: Table, small: int
) -> None:
    admit(log, "kkaz", small)
    conflict()
    for ref in REFS[: small - 1]:
        assert admit(log, ref, small)
    for ref in ("kkba", "kkbz"):
        open_list.keep(log, *PROJECT, opening(ref))
    for ref in REFS[:2]:
        remove(log, ref)

    assert not admit(log, "kkab", small)
    assert flagged(log) == small
    remove(log, "kkba")
    assert admit(log, "kkab", small)
    assert is_consistent(log)


def test_a_recount_corrects_a_project_with_shards(log: Table, small: int) -> None:
    admit(log, "kkaz", small)
    conflict()
    for ref in REFS[: small - 1]:
        assert admit(log, ref, small)
    log.update(COUNT, put={"recounted_at": clock.to_text(0)})
    for ref in REFS[:3]:
        log.delete(open_list.key_of(*PROJECT, ref))  # As DynamoDB does when they expire.

    assert [admit(log, ref, small) for ref in REFS[20:24]] == [True, True, True, False]
    assert is_consistent(log)


def test_a_recount_does_not_overwrite_a_shard_that_begins_meanwhile(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    admit(log, "kkzz")
    for ref in REFS[:2]:
        admit(log, ref)
        log.delete(open_list.key_of(*PROJECT, ref))  # As DynamoDB does when it expires.
    log.update(COUNT, put={"recounted_at": clock.to_text(0)})
    read, parts = active_recount._read_part, list[str]()

    def overtaken(table: Table, company: str, project: str, part: str) -> Any:
        parts.append(part)
        if len(parts) == 1:
            conflict()
            admit(log, REFS[2])
        return read(table, company, project, part)

    monkeypatch.setattr(active_recount, "_read_part", overtaken)
    active_recount.recount(log, *PROJECT)

    assert parts == ["kka", "kka", "kkz"]
    assert shards_of(log)["a0"].parts == {"kka": 1}
    assert is_consistent(log)


def count_of_continued(log: Table) -> int:
    """The entries that are counted without a limit."""
    entries, _ = log.query(None, Key("pk").eq(Open.partition(*PROJECT)))
    return sum("begins_by" not in entry for entry in entries)


def step(log: Table, system: System, rng: random.Random, most: int) -> int:
    """One random change of the list or of the limit; return the limit."""
    ref = f"kk{rng.choice('ab')}{rng.choice('az')}{rng.randrange(8)}"
    if rng.random() < 0.5:
        conflict()
    chosen = rng.choice(["accept"] * 4 + ["end"] * 2 + ["activity", "limit"])
    if chosen == "accept":
        admit(log, ref, most)
    elif chosen == "end":
        remove(log, ref)
    elif chosen == "activity":
        open_list.keep(log, *PROJECT, opening(ref))
    elif chosen == "limit":
        active_shards._conflicts.clear()
        system.clock.ms += 2 * active_shards.LIMIT_SETTLES_MS
        return most + rng.choice([-6, 0, 6]) if most > 12 else most + 6
    return most


@pytest.mark.parametrize("seed", range(6))
def test_the_limit_holds_and_the_counts_agree_after_any_sequence_with_crashes_and_conflicts(
    log: Table, system: System, small: int, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)  # noqa: S311
    let_writes_die(log, monkeypatch, rng, share=0.05)
    most = small
    for _ in range(120):
        before, continued = flagged(log), count_of_continued(log)
        with suppress(Died, Transient):
            most = step(log, system, rng, most)
        assert is_consistent(log)
        assert flagged(log) <= max(most, before + count_of_continued(log) - continued)
