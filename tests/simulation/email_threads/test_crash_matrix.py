"""
Ingest and worker may be killed before or after any call: the redelivery ends in the state of an undisturbed run.

A send that was cut off may also stay unknown: its mail is never sent again, and a later event of SES completes it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from email_threads.privacy import jobs
from email_threads.privacy.sources import shared_threads, whole_threads
from email_threads.threading import expiry, ids
from shared.providers.email.ses import message_ids
from tests.simulation.disturbances import deaths, deaths_in, failures
from tests.simulation.email_threads.scenarios import SCENARIOS, Scenario
from tests.simulation.email_threads.system import COMPANY, Snapshot, System
from tests.simulation.interceptor import Fault, When

# They differ by the time of the run that wrote them, or count what was tried.
_TIMES = frozenset({
    "updated_at", "last_updated_at", "ttl", "ttl_date", "parked_again_at", "resolved_at", "replayed_at", "analysed_at",
    "asked_at", "reviewed_at", "sent_at", "received_at", "timestamp", "at", "reservedAt", "deadline", "owner",
    "response_time_avg", "response_total", "resolution_time", "finished_at", "left",
})  # fmt: skip
_OF_ATTEMPTS = _TIMES | {"attempt", "reason"}
# Their answer decides: if they cannot be read, all is off.
_SWITCHES = "ssm."
_SEND = "sesv2.SendEmail"


@dataclass(frozen=True)
class FinalState:
    """Items without their times, consent records, objects, forwarded events, dead letters."""

    items: dict[str, Any]
    consent: list[str]
    objects: dict[str, bytes]
    forwarded: list[str]
    dead_letters: list[str]
    sent: list[str] = field(compare=False)  # the actions of the mails that SES accepted


def final_state_of(system: System) -> FinalState:
    queues = (system.conversations, system.statuses)
    forwarded = [one for name in queues for one in system.fifo_queues.queues[name].messages]
    rows = _with_stable_ids(system, json.dumps(system.rows(), default=_plain, sort_keys=True))
    consent = system.consent()
    return FinalState(
        items={
            key: _without_times(row, _OF_ATTEMPTS if key.startswith("action#") else _TIMES)
            for key, row in json.loads(rows).items()
        },
        consent=sorted(f"{one['pk']} {one.get('state')}" for one in consent),
        objects={_with_stable_ids(system, key): body for key, body in system.objects().items()},
        # A repeat has the same body: the queue, and after five minutes the conversations, drop it.
        forwarded=sorted({message.body for message in forwarded}),
        dead_letters=system.fifo_queues.dead_letters,
        sent=[
            tag["Value"]
            for request in system.sent()
            for tag in request["EmailTags"]
            if tag["Name"] == "action"
        ],
    )


def _with_stable_ids(system: System, text: str) -> str:
    """Replace SES's random ids, and the ids of mails that are made from them."""
    for number, request in enumerate(system.sent()):
        for form, message_id in enumerate(message_ids(request["ses_id"], "us-east-1")):
            text = text.replace(ids.email_id(COMPANY, message_id), f"sent mail {number} {form}")
        text = text.replace(request["ses_id"], f"ses id {number}")
    return text


def _without_times(value: Any, names: frozenset[str] = _TIMES) -> Any:
    if isinstance(value, dict):
        return {n: _without_times(part, names) for n, part in value.items() if n not in names}
    if isinstance(value, list):
        return [_without_times(part, names) for part in value]
    return value


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, set) else str(value)


def in_doubt(system: System, start: Snapshot) -> FinalState:
    """The final state if SES's answer is lost."""
    system.restore(start)
    system.interceptor.fails_if = lambda call: call.startswith(_SEND)
    system.drain()
    system.interceptor.rewind()
    return final_state_of(system)


def begun(system: System, scenario: Scenario) -> Snapshot:
    """The system at the moment at which the disturbed work begins."""
    scenario.before(system)
    system.drain()
    scenario.then(system)
    snapshot = system.snapshot()
    system.restore(snapshot)
    return snapshot


def check_threads(system: System) -> None:
    """Numbers without gaps, and one mail for each alias."""
    for head in system.threads():
        thread = head["conversation_id"]
        numbers = [int(mail["n"]) for mail in system.mails(thread)]
        expected = 0 if "merged_into" in head else int(head["email_count"])
        assert numbers == list(range(1, expected + 1)), thread
    stored = [mail["email_id"] for mail in system.mails()]
    assert len(stored) == len(set(stored))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_crash_at_any_call_does_not_change_the_final_state(
    system: System, scenario: Scenario
) -> None:
    start = begun(system, scenario)
    system.drain()
    clean, calls = final_state_of(system), list(system.interceptor.calls)
    moments = deaths_in(system.interceptor)
    assert not clean.dead_letters
    check_threads(system)

    allowed = [clean]
    if any(call.startswith(_SEND) for call in calls):
        allowed.append(in_doubt(system, start))

    for number, when in moments:
        system.restore(start)
        system.interceptor.die_at = (number, when)
        system.drain()
        final = final_state_of(system)
        where = (scenario.name, when, calls[number - 1])
        assert len(final.sent) == len(set(final.sent)), where
        assert final in allowed, (*where, differences(clean, final))


def differences(clean: FinalState, final: FinalState) -> dict[str, Any]:
    """What differs between two states, for the message of a failed test."""
    keys = clean.items.keys() | final.items.keys()
    items = {
        key: (clean.items.get(key), final.items.get(key))
        for key in keys
        if clean.items.get(key) != final.items.get(key)
    }
    return {"items": items, "dead letters": final.dead_letters, "consent": final.consent}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_failing_call_does_not_change_the_final_state(system: System, scenario: Scenario) -> None:
    start = begun(system, scenario)
    system.drain()
    clean, calls = final_state_of(system), list(system.interceptor.calls)
    allowed = [clean]
    if any(call.startswith(_SEND) for call in calls):
        allowed.append(in_doubt(system, start))

    for number, fault in failures(calls):
        call = calls[number - 1]
        if call.startswith(_SWITCHES) and fault is not Fault.LOST_ANSWER:
            continue
        system.restore(start)
        system.interceptor.fault_at = (number, fault)
        system.drain()
        final = final_state_of(system)
        assert len(final.sent) == len(set(final.sent)), (scenario.name, fault, call)
        assert final in allowed, (scenario.name, fault, call, differences(clean, final))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_everything_may_be_delivered_twice(system: System, scenario: Scenario) -> None:
    start = begun(system, scenario)
    system.drain()
    clean = final_state_of(system)

    system.restore(start)
    while waiting := [
        (queue, message)
        for queue, message in system.fifo_queues.receive()
        if queue in system.workers
    ]:
        for queue, message in waiting:
            # An erasure waits for workers that started before it, and is delivered again for that.
            is_waiting = system.invoke_worker(queue, message)
            assert not is_waiting or '"email.privacy"' in message.body
            if is_waiting:
                system.wait()
            else:
                system.run_worker(queue, message)

    assert final_state_of(system) == clean


@pytest.mark.parametrize("when", When)
def test_an_event_of_ses_completes_a_send_that_was_cut_off(system: System, when: When) -> None:
    scenario = next(one for one in SCENARIOS if one.name == "an approved draft")
    start = begun(system, scenario)
    system.drain()
    calls = list(system.interceptor.calls)
    system.report("Delivery", part={"recipients": []})
    system.drain()
    clean = final_state_of(system)
    number = next(n for n, call in enumerate(calls, start=1) if call.startswith(_SEND))

    system.restore(start)
    system.interceptor.die_at = (number, when)
    system.drain()
    (draft,) = system.drafts()
    assert draft["draft_status"] == "unknown"
    if when is When.BEFORE:
        assert not system.sent()
        return
    system.report("Delivery", part={"recipients": []})
    system.drain()

    final = final_state_of(system)
    assert _without_evidence(final) == _without_evidence(clean)


def _without_evidence(state: FinalState) -> dict[str, Any]:
    """Items without the action, whose state tells how its outcome became known."""
    return {key: row for key, row in state.items.items() if not key.startswith("action#")}


def test_a_removal_in_several_steps_leaves_no_mail_wherever_it_is_killed(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiry, "STEP", 1)
    scenario = next(one for one in SCENARIOS if one.name == "an expired thread")
    start = begun(system, scenario)
    system.drain()
    clean, calls = final_state_of(system), list(system.interceptor.calls)
    assert not system.mails()

    for number, when in deaths(calls):
        system.restore(start)
        system.interceptor.die_at = (number, when)
        system.drain()
        assert final_state_of(system) == clean, calls[number - 1]


@pytest.mark.long
@pytest.mark.parametrize("name", ["only person of a thread", "one of several people", "export"])
def test_a_job_in_many_turns_ends_the_same_wherever_it_is_killed(
    system: System, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(jobs, "TURN_MS", 0)
    for module in (whole_threads, shared_threads):
        monkeypatch.setattr(module, "MAILS_A_PAGE", 2)
    scenario = next(one for one in SCENARIOS if one.name.endswith(name))
    start = begun(system, scenario)
    system.drain()
    clean, calls = final_state_of(system), list(system.interceptor.calls)
    assert not clean.dead_letters

    for number, when in deaths(calls):
        system.restore(start)
        system.interceptor.die_at = (number, when)
        system.drain()
        assert final_state_of(system) == clean, calls[number - 1]
