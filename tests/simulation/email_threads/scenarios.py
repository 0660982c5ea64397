"""What happens to mail in the crash matrix: the system before it, and the deliveries that are disturbed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.aws.sqs_fifo import Entry, digest
from shared.events import body_of
from tests.simulation.email_threads import people
from tests.simulation.email_threads.mails import SENT, bounce, verified, with_files
from tests.simulation.email_threads.system import (
    ANN,
    AUTOMATED,
    BOB,
    MAILBOX,
    System,
    mail,
)

type Steps = Callable[[System], object]


@dataclass(frozen=True)
class Scenario:
    """*before* is done and settled; the work of *then* is killed at every call."""

    name: str
    then: Steps
    before: Steps = lambda _: None

    def __str__(self) -> str:
        return self.name


def _delivered(*raws: bytes, address: str = MAILBOX) -> Steps:
    def steps(system: System) -> None:
        for raw in raws:
            system.deliver(raw, name=f"{len(system.objects())}", address=address)

    return steps


def announced(system: System) -> None:
    """AI conversations have sent a mail."""
    entry = Entry(body_of(SENT), digest("outbound"), digest(SENT.action_id))
    system.fifo_queues.put(system.queue, entry)


def _expired(system: System) -> None:
    system.clock.ms += 30 * 86_400_000 + 1_000
    system.run_schedule()


def _replayed(system: System) -> None:
    system.register("sales@shop.example")
    (parked,) = system.parked()
    path = f"/email-threads/parked/{parked['event_id']}/replay"
    assert system.call("POST", path, {}, scopes="operator")[0] == 202


SCENARIOS = [
    Scenario("a mail with files", _delivered(verified(with_files()))),
    Scenario(
        "a reply",
        _delivered(mail("b@x", in_reply_to="a@x")),
        _delivered(mail("a@x")),
    ),
    Scenario(
        "a reply before its mail",
        _delivered(mail("a@x")),
        _delivered(mail("b@x", in_reply_to="a@x", references="a@x")),
    ),
    Scenario(
        "a colleague joins",
        _delivered(mail("b@x", sender="zoe@orchard.example", in_reply_to="a@x")),
        _delivered(mail("a@x")),
    ),
    Scenario(
        "a stranger who names a thread",
        _delivered(mail("b@x", sender=BOB, in_reply_to="a@x")),
        _delivered(mail("a@x")),
    ),
    Scenario(
        "two threads that are one",
        _delivered(mail("c@x", references="a@x b@x")),
        _delivered(mail("a@x", subject="a"), mail("b@x", subject="b")),
    ),
    Scenario(
        "a forwarded mail with files",
        _delivered(
            verified(with_files()).replace(MAILBOX.encode(), AUTOMATED.encode()), address=AUTOMATED
        ),
    ),
    Scenario(
        "a bounce",
        _delivered(bounce("b@shop")),
        _delivered(mail("b@shop", sender=MAILBOX, to=ANN)),
    ),
    Scenario("a mail without a mailbox", _delivered(mail("a@x"), address="sales@shop.example")),
    Scenario(
        "a replay",
        _replayed,
        _delivered(mail("a@x"), address="sales@shop.example"),
    ),
    Scenario(
        "another mail with a stored id",
        _delivered(mail("a@x", "Another one.")),
        _delivered(mail("a@x")),
    ),
    Scenario("a mail that AI conversations sent", announced),
    Scenario(
        "an answer to a mail that AI conversations sent",
        _delivered(mail("b@x", to=AUTOMATED, in_reply_to=SENT.provider_message_id)),
        announced,
    ),
    Scenario(
        "an expired thread",
        _expired,
        _delivered(verified(with_files()), mail("b@x", in_reply_to="files@x")),
    ),
    Scenario(
        "an erasure of the only person of a thread", people.requesting("erase", ANN), people.alone
    ),
    Scenario(
        "an erasure of one of several people",
        people.requesting("erase", people.ZOE),
        people.together,
    ),
    Scenario("an erasure of parked mails", people.requesting("erase", ANN), people.parked),
    Scenario("an export", people.requesting("export", people.ZOE), people.together),
]
