"""Actions of a company, a customer and agents; each scenario goes through the crash matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from events.conversations import cast
from shared.events import DeliveryStatus
from shared.runtime import clock

if TYPE_CHECKING:
    from tests.simulation.conversations.system import Snapshot, System

type Steps = Callable[[System], object]


@dataclass(frozen=True)
class Scenario:
    """*before* runs without crashes; workers crash during *story*."""

    name: str
    steps: Steps
    before: Steps = lambda _: None

    def begin(self, system: System) -> Snapshot:
        """Run everything before the story; return the snapshot of the system."""
        self.before(system)
        system.settle()
        self.steps(system)
        start = system.snapshot()
        system.new_process()  # Like each run that is compared with this one.
        system.interceptor.rewind()
        return start


def _asks(channel: str) -> Steps:
    def steps(system: System) -> None:
        status, answer = system.ask(cast.request(channel))
        assert status == 200, answer

    return steps


def _begun(system: System) -> None:
    system.begin("sms")


def _burst(system: System) -> None:
    system.text("one", "Yes I do")
    system.text("two", "a full one")
    system.text("three", "for ten years")
    # A crash in one of them would let the others be answered first: another scenario.
    system.run_intake()


def _says(name: str, text: str) -> Steps:
    return lambda system: system.text(name, text)


def _with_reviews(system: System) -> None:
    system.set_up(cast.project(auto_queue_initial_message=True))


def _told(word: str, **fields: str) -> Steps:
    def steps(system: System) -> None:
        (row,) = (row for key, row in system.rows().items() if key[1].startswith("OUT#"))
        sid = next(key[1] for key in system.rows() if key[1].startswith("OUT#")).rpartition("#")[2]
        system.status(sid, word, row["action_id"], **fields)

    return steps


def _stopped(system: System) -> None:
    system.begin("sms")
    system.text("first", "STOP")


def _mailed(system: System) -> None:
    system.begin("email")


def _complained(system: System) -> None:
    action = _only_action(system)
    status = DeliveryStatus(
        provider="ses",
        provider_message_id="0102-of-ses",
        account="arn:aws:ses",
        channel_method="email",
        action_id=action,
        status="Complaint",
        occurred_at=clock.to_text(system.clock.ms),
    )
    system.forward(status)


def _in_doubt(system: System) -> None:
    """The send of the first message is unknown."""
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=500
    )
    system.ask(cast.request("sms"))


def _arrived_after_all(system: System) -> None:
    system.status("SM" + "e" * 32, "delivered", _only_action(system))


def _only_action(system: System) -> str:
    (action,) = (row["actionId"] for key, row in system.rows().items() if "ACTION#" in key[1])
    return str(action)


def _takes_strangers(system: System) -> None:
    system.set_up(cast.project(accept_inbound=True))
    system.begin("sms", request_id="req-0", recipient_data={
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
