"""Actions of a company, a customer and agents; each scenario goes through the crash matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from events.conversations import cast
from shared.events import DeliveryStatus
from shared.runtime import clock

if TYPE_CHECKING:
    from tests.simulation.conversations.world import Moment, World

type Story = Callable[[World], object]


@dataclass(frozen=True)
class Scenario:
    """*before* runs without crashes; workers crash during *story*."""

    name: str
    story: Story
    before: Story = lambda _: None

    def begin(self, world: World) -> Moment:
        """Run everything before the story; return the snapshot of the world."""
        self.before(world)
        world.settle()
        self.story(world)
        start = world.remember()
        world.new_process()  # Like each run that is compared with this one.
        world.wire.rewind()
        return start


def _asks(channel: str) -> Story:
    def story(world: World) -> None:
        status, answer = world.ask(cast.request(channel))
        assert status == 200, answer

    return story


def _begun(world: World) -> None:
    world.begin("sms")


def _burst(world: World) -> None:
    world.text("one", "Yes I do")
    world.text("two", "a full one")
    world.text("three", "for ten years")
    # A crash in one of them would let the others be answered first: another scenario.
    world.take_in()


def _says(name: str, text: str) -> Story:
    return lambda world: world.text(name, text)


def _with_reviews(world: World) -> None:
    world.set_up(cast.project(auto_queue_initial_message=True))


def _told(word: str, **fields: str) -> Story:
    def story(world: World) -> None:
        (row,) = (row for key, row in world.rows().items() if key[1].startswith("OUT#"))
        sid = next(key[1] for key in world.rows() if key[1].startswith("OUT#")).rpartition("#")[2]
        world.status(sid, word, row["action_id"], **fields)

    return story


def _stopped(world: World) -> None:
    world.begin("sms")
    world.text("first", "STOP")


def _mailed(world: World) -> None:
    world.begin("email")


def _complained(world: World) -> None:
    action = _only_action(world)
    status = DeliveryStatus(
        provider="ses",
        provider_message_id="0102-of-ses",
        account="arn:aws:ses",
        channel_method="email",
        action_id=action,
        status="Complaint",
        occurred_at=clock.to_text(world.clock.ms),
    )
    world.tell(status)


def _in_doubt(world: World) -> None:
    """The send of the first message is unknown."""
    world.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=500
    )
    world.ask(cast.request("sms"))


def _arrived_after_all(world: World) -> None:
    world.status("SM" + "e" * 32, "delivered", _only_action(world))


def _only_action(world: World) -> str:
    (action,) = (row["actionId"] for key, row in world.rows().items() if "ACTION#" in key[1])
    return str(action)


def _takes_strangers(world: World) -> None:
    world.set_up(cast.project(accept_inbound=True))
    world.begin("sms", request_id="req-0", recipient_data={
        "recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True,
    })  # fmt: skip


FIRST_SMS = Scenario("a first SMS", _asks("sms"))
REPLY = Scenario("three fragments and one answer", _burst, _begun)
EVERY = (
    FIRST_SMS,
    Scenario("a first WhatsApp message", _asks("whatsapp")),
    Scenario("a first mail", _asks("email")),
    Scenario("a first message that people review", _asks("sms"), _with_reviews),
    REPLY,
    Scenario("a wish for a person", _says("p", "Can I talk to a human please"), _begun),
    Scenario("stop", _says("s", "STOP"), _begun),
    Scenario("no more messages, in other words", _says("n", "do not contact me again"), _begun),
    Scenario("help", _says("h", "HELP"), _begun),
    Scenario("a message of a stranger", _says("x", "Is the job still open?"), _takes_strangers),
    Scenario("a delivery", _told("delivered"), _begun),
    Scenario("a failed delivery", _told("undelivered", ErrorCode="30003"), _begun),
    Scenario("a number that is none", _told("undelivered", ErrorCode="21614"), _begun),
    Scenario("a stop, for the second time", _says("t", "STOP"), _stopped),
    Scenario("a complaint", _complained, _mailed),
    Scenario("a delivery of what was in doubt", _arrived_after_all, _in_doubt),
)
