"""Parked events and dead letters, replayed in any order, with crashes: the final state is that without failures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import count
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.whatsapp.sample_data import COUNTER, SOCIAL_TOPIC_ARN
from events.whatsapp.samples import sample
from shared.events.recovery import dead_letters
from shared.events.recovery.parked_events import replay, replay_all
from shared.events.recovery.port import Filter
from shared.events.recovery.states import OPEN
from shared.events.recovery.views import Redriven
from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import READS, Died, When, of_handling
from tests.simulation.queues.fifo import DEDUPLICATION_MS, Queued
from tests.simulation.whatsapp.event_builders import Event
from tests.simulation.whatsapp.final_state import (
    FinalState,
    as_if_never_failed,
    check_at_rest,
    check_parked,
    differences,
    final_state_of,
    in_any_order,
)
from tests.simulation.whatsapp.recovery.test_dead_letters import DAY
from tests.simulation.whatsapp.system import System, registered
from whatsapp import store
from whatsapp.store.items import WebhookEvent

EVERYONE = Filter()
# Between them: a message and its file, statuses that wait for their message, changes of messages.
DIED_OVER = ("photo", "statuses", "edit")
CAUSES = ("unknown_phone", "phone_disabled")


def settle(system: System, cause: str | None) -> None:
    """Put the counter's number in the state *cause*; None: registered and enabled."""
    number = registered(COUNTER)
    system.table.delete({"pk": number.pk})
    if cause != "unknown_phone":
        enabled = cause != "phone_disabled"
        system.table.put(number.model_copy(update={"enabled": enabled}).attributes())
    store.phones.forget()


def parked_events(system: System) -> dict[str, WebhookEvent]:
    return {
        item["eventId"]: WebhookEvent.read(item)
        for item in system.items().values()
        if item.get("webhookEventType") == "parked"
    }


def states(system: System) -> set[str]:
    return {event.state for event in parked_events(system).values()}


def replay_everything(system: System) -> None:
    """The operator's actions until all events are replayed."""
    replay_all(system.admin.recovery.parked, EVERYONE, limit=100, report=lambda _: None)


@pytest.fixture
def clean(system: System) -> FinalState:
    """The final state of the whole day without failures."""
    return clean_run(system, *DAY)


def clean_run(system: System, *names: str) -> FinalState:
    """The final state of these events without failures."""
    system.reset()
    for name in names:
        system.deliver_until_accepted(DAY[name])
        system.drain()
    final = final_state_of(system)
    check_at_rest(system, final.items)
    return final


@pytest.mark.long
@pytest.mark.parametrize("name", DIED_OVER)
def test_a_crash_during_a_replay_keeps_the_event_and_its_correct_state(
    system: System, name: str
) -> None:
    """The calls of operator and worker form one sequence; after a crash of either, both continue."""
    clean = clean_run(system, name)
    system.reset()
    settle(system, "unknown_phone")
    system.deliver_until_accepted(DAY[name])
    system.drain()
    settle(system, None)
    assert states(system) == {OPEN}
    start = system.snapshot()
    system.restore(start)  # The calls are counted from here, as after each death below.
    settle(system, None)

    replay_everything(system)
    system.drain()
    calls = list(system.interceptor.calls)
    assert differences(clean, as_if_never_failed(final_state_of(system))) == []
    assert states(system) == {"resolved"}

    for number, call in enumerate(calls, start=1):
        if EFFORT == 1 and call.split(" ")[0] in READS:
            continue
        system.restore(start)
        settle(system, None)
        system.interceptor.die_at = (number, When.AFTER)
        where = f"died after call {number}, {call}"
        try:
            replay_everything(system)
        except Died:
            system.new_process()
        check_parked(system)
        # After the deduplication interval: the result must not depend on its five minutes.
        system.clock.sleep(DEDUPLICATION_MS / 1_000)
        replay_everything(system)
        system.drain()
        check_parked(system)
        final = final_state_of(system)
        assert differences(clean, as_if_never_failed(final)) == [], where
        assert states(system) == {"resolved"}, where
        check_at_rest(system, final.items)


@pytest.mark.long
def test_a_crash_during_a_redrive_loses_no_dead_letter(system: System) -> None:
    clean = clean_run(system, "photo", "last")
    system.reset()
    for name in ("photo", "last"):
        system.deliver_until_accepted(DAY[name])
    system.interceptor.fails_if = of_handling
    system.drain()
    system.interceptor.rewind()
    assert len(system.queue.dead_letters) == 2
    start = system.snapshot()
    redrives: list[Redriven] = []

    def redrive() -> None:
        dead_letters.redrive(
            system.admin.recovery.dead_letters, ids=None, limit=10, report=redrives.append
        )

    redrive()
    calls = list(system.interceptor.calls)
    for number, call in enumerate(calls, start=1):
        system.restore(start)
        system.interceptor.die_at = (number, When.AFTER)
        with pytest.raises(Died):
            redrive()
        system.new_process()
        system.clock.sleep(
            DEDUPLICATION_MS / 1_000
        )  # also for messages that the crashed run had received
        redrive()
        assert system.queue.dead_letters == [], call
        system.drain()
        final = as_if_never_failed(final_state_of(system))
        assert differences(clean, final) == [], call
        check_at_rest(system, final.items)


@dataclass(frozen=True)
class Plan:
    """
    The cause of failure of each event, or none, and the operator's actions in a random order made from *seed*.

    *rushed*: replays before the cause is fixed; *deaths*: crashes of workers and operators at calls.
    """

    fails: dict[str, str]
    seed: int
    rushed: int
    deaths: list[tuple[int, When]]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    unlucky = draw(st.sets(st.sampled_from(sorted(DAY)), min_size=1, max_size=6))
    return Plan(
        {name: draw(st.sampled_from([*CAUSES, "dead"])) for name in sorted(unlucky)},
        draw(st.integers(0, 1_000)),
        draw(st.integers(0, 3)),
        draw(st.lists(st.tuples(st.integers(1, 20), st.sampled_from(When)), max_size=3)),
    )


@pytest.mark.long
@settings(
    max_examples=6 * EFFORT,
    derandomize=EFFORT == 1,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(plan=plans())
def test_any_subset_replayed_in_any_order_ends_in_the_state_without_failures(
    system: System, clean: FinalState, plan: Plan
) -> None:
    system.reset()
    for name, event in DAY.items():
        _deliver(system, event, plan.fails.get(name))
    chance = Random(plan.seed)  # noqa: S311 - a seed makes the run repeatable
    for _ in range(plan.rushed):
        settle(system, chance.choice(CAUSES))
        _act(system, chance, None)
        system.drain()
        check_parked(system)
    settle(system, None)
    deaths = iter(plan.deaths)
    for turn in count():
        assert turn < 200
        if not _act(system, chance, next(deaths, None)):
            break
        check_parked(system)
        if chance.random() < 0.5:
            system.drain()
            check_parked(system)
        system.clock.sleep(130)
    final = final_state_of(system)
    assert states(system) <= {"resolved", "replaced"}
    as_clean = as_if_never_failed(final)
    assert differences(in_any_order(clean), in_any_order(as_clean)) == []
    check_at_rest(system, final.items)


def _deliver(system: System, event: Event, cause: str | None) -> None:
    settle(system, cause)
    system.deliver_until_accepted(event)
    if cause == "dead":
        system.interceptor.fails_if = of_handling
    system.drain()
    system.interceptor.rewind()


def _act(system: System, chance: Random, death: tuple[int, When] | None) -> bool:
    """One action of an operator or worker, possibly with a crash; False if there is nothing more to do."""
    recovery = system.admin.recovery
    waiting = [e for e, event in sorted(parked_events(system).items()) if event.state == OPEN]
    letters = [letter.message_id for letter in system.queue.dead_letters]
    choices = [("replay", e) for e in waiting] + [("redrive", letter) for letter in letters]
    if system.queue.messages:
        choices.append(("work", ""))
    if not choices:
        return False
    what, which = chance.choice(choices)
    system.interceptor.rewind()
    system.interceptor.die_at = death
    try:
        if what == "replay":
            replay(recovery.parked, which, None)
            if chance.random() < 0.3:
                replay(recovery.parked, which, None)  # a second operator, at the same time
        elif what == "redrive":
            dead_letters.redrive(recovery.dead_letters, ids=[which], limit=1, report=lambda _: None)
        else:
            system.run_worker()
    except Died:
        system.new_process()
    system.interceptor.rewind()
    return True


def test_an_event_parked_again_is_listed_under_its_new_reason_only(
    system: System,
) -> None:
    settle(system, "unknown_phone")
    system.deliver_until_accepted(DAY["last"])
    system.drain()
    for cause in ("phone_disabled", "unknown_phone", "phone_disabled"):
        settle(system, cause)
        replay_everything(system)
        system.drain()
        events = parked_events(system).values()
        assert [event.reason for event in events if event.state == OPEN] == [cause]
        check_parked(system)
    assert {e.state for e in parked_events(system).values()} == {OPEN, "replaced"}
    settle(system, None)
    replay_everything(system)
    system.drain()
    assert states(system) == {"resolved", "replaced"}


@pytest.mark.parametrize("is_of_lambda", [True, False])
def test_redriven_notifications_of_the_social_function_result_in_the_same_events(
    system: System, is_of_lambda: bool
) -> None:
    notification = sample("sns_image")
    system.deliver_until_accepted(notification.event)
    system.drain()
    clean = final_state_of(system)

    system.reset()
    published = {
        "Type": "Notification",
        "TopicArn": SOCIAL_TOPIC_ARN,
        "Message": notification.published,
    }
    of_lambda = {
        "requestContext": {"condition": "RetriesExhausted", "approximateInvokeCount": 3},
        "requestPayload": notification.event,
        "responsePayload": {"errorType": "NotEnqueued", "errorMessage": "never shown"},
    }
    body = json.dumps(of_lambda if is_of_lambda else published)
    system.queue.social_letters.append(Queued("s-1", body, "", "", system.clock.ms))
    (shown,) = dead_letters.listed(system.admin.recovery.dead_letters, limit=10).letters
    assert (shown.queue, shown.attempts) == ("social", 3 if is_of_lambda else None)
    assert shown.reason == ("NotEnqueued" if is_of_lambda else "no_error_reported")
    dead_letters.redrive(
        system.admin.recovery.dead_letters, ids=None, limit=10, report=lambda _: None
    )
    assert system.queue.social_letters == []
    system.drain()
    assert differences(clean, as_if_never_failed(final_state_of(system))) == []
