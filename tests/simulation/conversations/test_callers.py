"""
An API function may be killed before or after any call it makes. A caller without a response retries: the final state is
that of one undisturbed request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from events.conversations import aws_sms, cast
from shared.runtime import clock
from tests.simulation.conversations.left import differences, left_by
from tests.simulation.conversations.scenarios import Story
from tests.simulation.wire import READS, When

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


@dataclass(frozen=True)
class Call:
    """*before* runs without crashes; then *again* is repeated until it succeeds."""

    name: str
    call: Story
    before: Story = lambda _: None


def _on(what: str, **body: object) -> Story:
    """Perform an action on the only conversation."""
    return lambda world: world.call_admin_api(
        f"POST /conversations/{{ref}}/{what}", {"agent_id": "carol", **body}, ref=_ref(world)
    )


def _ref(world: World) -> str:
    (ref,) = (key[1].removeprefix("CONV#") for key in world.rows() if key[2] == "STATE")
    return ref


def _begun(world: World) -> None:
    world.begin("sms")


def _in_doubt(world: World) -> None:
    """The first message was sent without a response from Twilio."""
    world.wire.fails_if = lambda call: call.startswith(("HTTP.POST", "HTTP.GET"))
    world.ask(cast.request("sms"))
    world.settle()
    world.wire.rewind()


def _resolves(outcome: str) -> Story:
    def story(world: World) -> None:
        (message,) = world.log(_ref(world))
        _on("resolve", entry_id=message["entry_id"], outcome=outcome)(world)

    return story


def _reviewed(world: World) -> None:
    """A first message that needs approval by an agent."""
    world.set_up(cast.project(auto_queue_initial_message=True))
    world.begin("sms")


def _releases(world: World) -> None:
    _on("release", text="Hello Ann, this is Carol.")(world)


def _unmatched(world: World) -> None:
    """A message from an unknown sender."""
    world.text("stranger", "Is the job still open?", From="+447700900999")


def _attaches() -> Story:
    """An agent assigns the listed message to a conversation; afterwards it is not listed."""
    seen: list[str] = []

    def story(world: World) -> None:
        seen[:] = seen or [one["id"] for one in world.call_admin_api("GET /unmatched")["messages"]]
        world.call_admin_api(
            "POST /unmatched/{unmatched_id}/attach",
            {"agent_id": "carol", "ref": _ref(world)},
            unmatched_id=seen[0],
        )

    return story


def _opts_out(world: World) -> None:
    body = {"recipient": cast.CANDIDATE, "channels": ["sms"], "evidence": "said so by phone"}
    world.call_admin_api("POST /opt-outs", {"agent_id": "carol", **body})


def _begun_with_aws(world: World) -> None:
    channels = cast.project()["channel_config"]
    sms = {
        "provider": "aws_sms",
        "account": aws_sms.TOPIC_ARN,
        "company_sms_number": aws_sms.NUMBER,
        "opt_out_handled_by": "parley",
    }
    world.set_up(cast.project(channel_config={**channels, "sms": sms}))
    world.begin("sms")


def _published(world: World) -> None:
    world.published(aws_sms.notification("one", aws_sms.text("one", "Yes, I do")))


def _opts_in(world: World) -> None:
    body = {"recipient": cast.CANDIDATE, "channels": ["sms"], "evidence": "said so by phone"}
    world.call_admin_api("POST /opt-ins", {"agent_id": "carol", **body})


def _deferred(world: World) -> None:
    """Requested in quiet hours, which are over now."""
    world.clock.ms += 12 * clock.HOUR_MS
    world.begin("sms")
    assert world.due_at()
    world.clock.ms += 10 * clock.HOUR_MS


def _then(*stories: Story) -> Story:
    def story(world: World) -> None:
        for one in stories:
            one(world)
            world.work_off()

    return story


CALLS = (
    Call("a request", lambda world: world.request(cast.request("sms"))),
    Call("an SMS at the webhook", lambda world: world.text("a", "Yes, I do"), _begun),
    Call("take over", _on("take-over"), _begun),
    Call("write, and so take over", _on("messages", text="I am Carol."), _begun),
    Call("hand back", _on("hand-back", answer_pending=True), _then(_begun, _on("take-over"))),
    Call("close", _on("close"), _begun),
    Call("reopen", _on("reopen"), _then(_begun, _on("close"))),
    Call("say that it was sent", _resolves("sent"), _in_doubt),
    Call("say that it was not sent", _resolves("not_sent"), _in_doubt),
    Call("release what was to be reviewed", _releases, _reviewed),
    Call("attach what belongs nowhere", _attaches(), _then(_begun, _unmatched)),
    Call("an opt-out at the desk", _opts_out, _begun),
    Call("an opt-in at the desk", _opts_in, _then(_begun, _opts_out)),
    Call("an SMS that AWS publishes", _published, _begun_with_aws),
    Call("a minute, with work that is due", lambda world: world.sweep(), _deferred),
)


@pytest.mark.parametrize("scenario", CALLS, ids=lambda call: call.name)
def test_a_call_repeated_after_a_crash_ends_in_the_state_of_a_single_call(
    world: World, scenario: Call
) -> None:
    scenario.before(world)
    start = world.remember()
    world.begin_again(start)
    scenario.call(world)
    calls = list(world.wire.calls)
    world.settle()
    clean = left_by(world)
    assert clean.dead_letters == 0

    for number, call in enumerate(calls, start=1):
        for when in When:
            if when is When.BEFORE and number > 1 and calls[number - 2].split(" ")[0] in READS:
                continue  # equivalent to a crash after the call before it, which changed nothing
            world.begin_again(start)
            world.wire.die_at = (number, when)
            world.insist(lambda: scenario.call(world))
            world.settle()

            found = differences(clean, left_by(world))
            assert not found, "\n".join([f"died {when} {number} {call}", *found])
