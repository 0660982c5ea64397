"""
An API function may be killed before or after any call it makes. A caller without a response retries: the final state
equals one undisturbed request's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from events.conversations import aws_sms, sample_data
from shared.runtime import clock
from tests.simulation.conversations.final_state import differences, final_state_of
from tests.simulation.conversations.invocations import PERSON
from tests.simulation.conversations.scenarios import Steps
from tests.simulation.effort import long_except
from tests.simulation.interceptor import READS, When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Call:
    """*before* runs without crashes; then *again* is repeated until it succeeds."""

    name: str
    call: Steps
    before: Steps = lambda _: None


def _on(what: str, **body: object) -> Steps:
    """Perform an action on the only conversation."""
    return lambda system: system.call_admin_api(
        f"POST /conversations/{{ref}}/{what}", {PERSON: "carol", **body}, ref=_ref(system)
    )


def _ref(system: System) -> str:
    (ref,) = (key[1].removeprefix("CONV#") for key in system.rows() if key[2] == "STATE")
    return ref


def _begun(system: System) -> None:
    system.begin("sms")


def _snoozes(system: System) -> None:
    """Until the middle of the day after tomorrow, so that a repeated call has the same content."""
    day = clock.DAY_SECONDS * clock.SECOND_MS
    until = clock.to_text((system.clock.ms // day + 2) * day)
    _on("snooze", snoozed_until=until)(system)


def _in_doubt(system: System) -> None:
    """The first message was sent without a response from Twilio."""
    system.interceptor.fails_if = lambda call: call.startswith(("HTTP.POST /2010", "HTTP.GET"))
    system.ask(sample_data.request("sms"))
    system.settle()
    system.interceptor.rewind()


def _resolves(outcome: str) -> Steps:
    def steps(system: System) -> None:
        (message,) = system.log(_ref(system))
        _on("resolve", entry_id=message["entry_id"], outcome=outcome)(system)

    return steps


def _reviewed(system: System) -> None:
    """A first message that needs approval by an agent."""
    system.set_up(sample_data.project(auto_queue_initial_message=True))
    system.begin("sms")


def _releases(system: System) -> None:
    _on("release", text="Hello Ann, this is Carol.")(system)


def _unmatched(system: System) -> None:
    """A message from an unknown sender."""
    system.text("stranger", "Is the job still open?", From="+447700900999")


def _attaches() -> Steps:
    """An agent assigns the listed message to a conversation; afterwards it is not listed."""
    seen: list[str] = []

    def steps(system: System) -> None:
        seen[:] = seen or [one["id"] for one in system.call_admin_api("GET /unmatched")["messages"]]
        system.call_admin_api(
            "POST /unmatched/{unmatched_id}/attach",
            {PERSON: "carol", "ref": _ref(system)},
            unmatched_id=seen[0],
        )

    return steps


def _opts_out(system: System) -> None:
    body = {"recipient": sample_data.CANDIDATE, "channels": ["sms"], "evidence": "said so by phone"}
    system.call_admin_api("POST /opt-outs", {PERSON: "carol", **body})


def _begun_with_aws(system: System) -> None:
    channels = sample_data.project()["channel_config"]
    sms = {
        "provider": "aws_sms",
        "account": aws_sms.TOPIC_ARN,
        "company_sms_number": aws_sms.NUMBER,
        "opt_out_handled_by": "parley",
    }
    system.set_up(sample_data.project(channel_config={**channels, "sms": sms}))
    system.begin("sms")


def _published(system: System) -> None:
    system.deliver_notification(aws_sms.notification("one", aws_sms.text("one", "Yes, I do")))


def _opts_in(system: System) -> None:
    body = {"recipient": sample_data.CANDIDATE, "channels": ["sms"], "evidence": "said so by phone"}
    system.call_admin_api("POST /opt-ins", {PERSON: "carol", **body})


def _deferred(system: System) -> None:
    """Requested in quiet hours, which are over now."""
    system.clock.ms += 12 * clock.HOUR_MS
    system.begin("sms")
    assert system.due_at()
    system.clock.ms += 10 * clock.HOUR_MS


def _then(*sequences: Steps) -> Steps:
    def steps(system: System) -> None:
        for one in sequences:
            one(system)
            system.drain()

    return steps


CALLS = (
    Call("a request", lambda system: system.request(sample_data.request("sms"))),
    Call("an SMS at the webhook", lambda system: system.text("a", "Yes, I do"), _begun),
    Call("take over", _on("take-over"), _begun),
    Call("write, and so take over", _on("messages", text="I am Carol."), _begun),
    Call("hand back", _on("hand-back", answer_pending=True), _then(_begun, _on("take-over"))),
    Call("close", _on("close"), _begun),
    Call("reopen", _on("reopen"), _then(_begun, _on("close"))),
    Call("label", _on("labels", labels=["vip"], revision=0), _begun),
    Call("snooze", _snoozes, _begun),
    Call("wake", _on("wake"), _then(_begun, _snoozes)),
    Call("write a note", _on("notes", text="Prefers nights"), _begun),
    Call("say that it was sent", _resolves("sent"), _in_doubt),
    Call("say that it was not sent", _resolves("not_sent"), _in_doubt),
    Call("release what was to be reviewed", _releases, _reviewed),
    Call("attach what belongs nowhere", _attaches(), _then(_begun, _unmatched)),
    Call("an opt-out that an agent records", _opts_out, _begun),
    Call("an opt-in that an agent records", _opts_in, _then(_begun, _opts_out)),
    Call("an SMS that AWS publishes", _published, _begun_with_aws),
    Call("a minute, with work that is due", lambda system: system.sweep(), _deferred),
)


# One of each caller: a company's software, a provider, an agent.
SHORT = {"a request", "an SMS at the webhook", "say that it was not sent"}


@pytest.mark.parametrize(
    "scenario",
    long_except(CALLS, [call for call in CALLS if call.name in SHORT]),
    ids=lambda call: call.name,
)
def test_a_call_repeated_after_a_crash_ends_in_the_state_of_a_single_call(
    system: System, scenario: Call
) -> None:
    scenario.before(system)
    start = system.snapshot()
    system.restore(start)
    scenario.call(system)
    calls = list(system.interceptor.calls)
    system.settle()
    clean = final_state_of(system)
    assert clean.dead_letters == 0

    for number, call in enumerate(calls, start=1):
        for when in When:
            if when is When.BEFORE and number > 1 and calls[number - 2].split(" ")[0] in READS:
                continue  # equivalent to a crash after the call before it, which changed nothing
            system.restore(start)
            system.interceptor.die_at = (number, when)
            system.retry_until_accepted(lambda: scenario.call(system))
            system.settle()

            found = differences(clean, final_state_of(system))
            assert not found, "\n".join([f"died {when} {number} {call}", *found])
