"""
Scenarios of the crash matrix: a ticket of Jane's, earlier messages, and messages during which workers crash.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

from local.sandbox.accounts.shop import OrderSeed
from local.sandbox.accounts.tickets import CommentSeed, TicketSeed
from richpanel.classification.taxonomy import Team
from richpanel.inbound import wakeups
from richpanel.inbound.channels import Channel
from richpanel.inbound.evaluation_step import EvaluationStep
from richpanel.inbound.wakeups import WakeupEvent
from richpanel.store import sets
from shared.ai.evaluation.sets.items import StoredRun, StoredSet
from shared.ai.evaluation.sets.stored import Evaluations
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import digest

if TYPE_CHECKING:
    from tests.simulation.richpanel.system import Snapshot, System

TICKET, JANE, AGENT = "t-1", "jane@shop.example", "agent-7"
WHERE = "Hi, where is my order? It has not arrived yet."
WHERE_1001 = "Hi, where is my order #1001? It has not arrived yet."
DISPUTE = "I have told my bank to open a chargeback for this payment."
ASSIGNEES = {Team.EMAIL: "agent-of-email", Team.CHARGEBACKS: "agent-of-chargebacks"}

type Steps = Callable[["System"], None]


def nothing(_: System) -> None:
    """Nothing happens."""


@dataclass(frozen=True)
class Scenario:
    """
    *first* is handled without crashes, *then* creates the events that are handled during crashes.

    *arm* prepares each run beyond its snapshot. *replies*: the number of replies to *then* in an undisturbed run, sent
    by PUTs to paths that end in *reply_path*.
    """

    name: str
    then: Steps
    first: Steps = nothing
    arm: Steps = nothing
    replies: int = 0
    reply_path: str = "/send-message"

    def is_send(self, call: str) -> bool:
        """Whether a call sends a reply to the customer."""
        return call.startswith("HTTP.PUT") and call.endswith(self.reply_path)

    def begin(self, system: System) -> Snapshot:
        """A snapshot of a new system up to the point where crashes may happen."""
        system.reset()
        self.first(system)
        system.drain()
        # After this time the deduplication interval and the pause after an automatic reply are over: a redelivery some
        # minutes later has the same input.
        system.clock.sleep(15 * 60)
        self.then(system)
        snapshot = system.snapshot()
        self.again(system, snapshot)
        return snapshot

    def again(self, system: System, snapshot: Snapshot) -> None:
        """Restore the snapshot and arm it."""
        system.restore(snapshot)
        self.arm(system)


def moment_of(system: System, after_ms: int = 0) -> str:
    """Now, or so many milliseconds later, as the help desk writes it."""
    at = datetime.fromtimestamp((system.clock.ms + after_ms) / 1_000, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def opens(system: System, *texts: str, ticket: str = TICKET, **facts: Any) -> None:
    """A ticket with these messages of Jane's, a second apart, the last a second ago: m-1, m-2, ..."""
    known = {"id": ticket, "sender": JANE, "profile_email": JANE}
    seed = TicketSeed.model_validate(known | facts)
    system.sandbox.help_desk.seed(seed, moment_of(system))
    for number, text in enumerate(texts, start=1):
        writes(system, text, f"m-{number}", ticket, after_ms=1_000 * (number - len(texts) - 1))


def writes(
    system: System, text: str, message: str, ticket: str = TICKET, after_ms: int = 0, **facts: Any
) -> None:
    """Jane, or another author named in *facts*, writes in a ticket."""
    known = {"id": message, "body": text, "created_at": moment_of(system, after_ms)}
    seed = CommentSeed.model_validate(known | facts)
    system.sandbox.help_desk.tickets[ticket].add(seed, moment_of(system))


def buys(system: System, **facts: Any) -> None:
    """Jane's order in the shop, shipped yesterday."""
    yesterday = moment_of(system, -86_400_000)
    known: dict[str, Any] = {
        "id": "6001",
        "name": "#1001",
        "email": JANE,
        "created_at": yesterday,
        "shipping_method": "Standard",
        "fulfillment_status": "FULFILLED",
        "parcels": [{"number": "1Z999AA10123456784", "company": "UPS", "created_at": yesterday}],
    }
    order = OrderSeed.model_validate(known | facts)
    system.sandbox.shop.orders[order.id] = order


def unsent(system: System) -> None:
    """An order paid an hour ago and not yet shipped."""
    paid = moment_of(system, -3_600_000)
    buys(system, created_at=paid, fulfillment_status="UNFULFILLED", parcels=[])


def minimal(ticket: str = TICKET, channel: str = "email") -> dict[str, Any]:
    """A webhook call that names only the ticket."""
    return {"ticket_id": ticket, "trigger": "customer_message", "channel": channel}


def named(
    message: str, ticket: str = TICKET, channel: str = "email", **facts: Any
) -> dict[str, Any]:
    """A webhook call that names its message."""
    return minimal(ticket, channel) | {"message_id": message} | facts


def asks(system: System, text: str = WHERE) -> None:
    """Jane opens a ticket, and the help desk calls."""
    opens(system, text)
    system.call(named("m-1"))


def answers_with_number(system: System) -> None:
    """Jane answers the request for an order number."""
    writes(system, WHERE_1001, "m-2", after_ms=-1_000)
    system.call(named("m-2"))


def writes_again(system: System) -> None:
    """Jane asks again."""
    writes(system, WHERE, "m-2", after_ms=-1_000)
    system.call(named("m-2"))


def _buys_and_asks(system: System) -> None:
    buys(system)
    asks(system, WHERE_1001)


def _buys_and_asks_without(system: System) -> None:
    buys(system)
    asks(system)


def _asks_about_linked(system: System) -> None:
    buys(system)
    opens(system, WHERE, order={"order_id": "6001"})
    system.call(named("m-1"))


def _asks_early(system: System) -> None:
    unsent(system)
    asks(system, WHERE_1001)


def _assigned(steps: Steps) -> Steps:
    def then(system: System) -> None:
        system.assign(ASSIGNEES)
        steps(system)

    return then


def _three(*calls: dict[str, Any]) -> Steps:
    def then(system: System) -> None:
        opens(system, "Hi there", "I ordered last week", WHERE)
        for call in calls:
            system.call(call)

    return then


def _chat(system: System) -> None:
    opens(system, WHERE, channel="messenger")
    system.call(named("m-1", channel="messenger"))


def _late_message(system: System) -> None:
    writes(system, "An older question about colours", "m-0", after_ms=-20 * 60_000)
    system.call(named("m-0"))


def _edited_message(system: System) -> None:
    system.sandbox.help_desk.tickets[TICKET].comments[0]["body"] = DISPUTE
    system.call(minimal())


def _of_another_team(system: System) -> None:
    """An agent owns the ticket, which has another of our route tags."""
    system.assign(ASSIGNEES)
    opens(system, WHERE, tags=["route-returns-admin", "vip"])
    system.call(named("m-1"))


def _handed_back(system: System) -> None:
    """An agent has written in the ticket, and has handed it back."""
    opens(system, WHERE, tags=["mw-handed-back"])
    agent: dict[str, Any] = {"author_id": "agent-7", "is_operator": True}
    writes(system, "We will get back to you.", "a-1", after_ms=-60_000, **agent)
    system.call(named("m-1"))


def _asks_in_dry_run(system: System) -> None:
    system.switch(dry_run="true")
    asks(system)
    system.drain()
    system.switch(dry_run="false")


def _is_backfilled(system: System) -> None:
    """An operator has the ticket routed that was decided in dry run."""
    system.assign(ASSIGNEES)
    decided = f"evt:rp:{TICKET}:m-1"
    wakeup = WakeupEvent(
        conversation_id=TICKET,
        channel=Channel.EMAIL,
        source="backfill",
        deduplication=digest("backfill", decided),
        event_id=decided,
    )
    wakeups.send(system.webhook.queues, [wakeup])


def _missing_tag(system: System) -> None:
    del system.sandbox.help_desk.tags["mw-intent-order-status"]
    asks(system)


def _reply_refused(system: System) -> None:
    system.sandbox.faults.add(
        provider="richpanel", operation="send_message", kind="status", status=422, times=9
    )


def _opts_out_at_look(number: int) -> Steps:
    """Jane opts out just before the nth lookup of her opt-out."""

    def arm(system: System) -> None:
        system.set_company("acme")
        looks = count(1)

        def observer(operation: str, parameters: dict[str, Any]) -> None:
            is_look = system.log in parameters.get("RequestItems", {})
            if operation == "dynamodb.BatchGetItem" and is_look and next(looks) == number:
                system.opt_out(JANE)

        system.interceptor.observer = observer

    return arm


def _unknown_ticket(system: System) -> None:
    system.call(named("m-1", "t-9", message_text="", text=WHERE))


def with_set(system: System) -> None:
    """A set of two scenarios, which versions have to pass."""
    asks = {"kind": "ticket", "text": WHERE, "expect": {}}
    scenarios = [json.dumps({"name": name, **asks}) for name in ("one", "two")]
    made = StoredSet(name="tea", revision=1, scenarios=2, gate=True, by="x", at="x")
    assert _sets(system).put(made, scenarios)


def run_begins(system: System) -> None:
    """An administrator has begun a run of the set."""
    facts = {"run_id": "r1", "set_name": "tea", "revision": 1, "version": 0, "total": 2}
    bounds = {"most_calls": 9, "most_micros": 10**6}
    _sets(system).begin(StoredRun.model_validate({**facts, **bounds, "by": "x", "at": "x"}))
    for position in range(2):
        system.fifo_queues.put(
            next(name for name in system.fifo_queues.queues if "live" not in name),
            EvaluationStep(run_id="r1", position=position).entry(),
        )


def _sets(system: System) -> Evaluations:
    return sets.of_help_desk(Table(system.dynamodb, system.tables["state"]))


EVERY = [
    Scenario("asked for the number", asks, replies=1),
    Scenario("answered by number", _buys_and_asks, replies=1),
    Scenario("answered by the linked order", _asks_about_linked, replies=1),
    Scenario("asked, assigned", _assigned(asks), replies=1),
    Scenario("answered and closed", _assigned(_asks_early), replies=1),
    Scenario("chargeback, assigned", _assigned(lambda system: asks(system, DISPUTE))),
    Scenario("a burst, three calls", _three(named("m-1"), named("m-2"), named("m-3")), replies=1),
    Scenario("a burst, three calls without ids", _three(*[minimal()] * 3), replies=1),
    Scenario("a chat", _chat, replies=1, reply_path=f"/tickets/{TICKET}"),
    Scenario("a late message that is named", _late_message, asks),
    Scenario("an edited message", _edited_message, asks),
    Scenario("a reply that is refused", asks, arm=_reply_refused),
    Scenario("our question is answered", answers_with_number, _buys_and_asks_without, replies=1),
    Scenario("our question is asked again", writes_again, asks, replies=1),
    Scenario("another route and an assignee are set", _of_another_team, replies=1),
    Scenario("a ticket that was handed back", _handed_back, replies=1),
    Scenario("a ticket decided in dry run", _is_backfilled, _asks_in_dry_run),
    Scenario("a missing tag", _missing_tag, replies=1),
    Scenario("an unknown ticket", _unknown_ticket),
    Scenario("a customer who has opted out", asks, arm=_opts_out_at_look(1)),
    Scenario("a customer who opts out between decision and reply", asks, arm=_opts_out_at_look(2)),
    Scenario("a run of an evaluation", run_begins, with_set),
]


def by_name(*names: str) -> list[Scenario]:
    """The scenarios with these names."""
    found = {scenario.name: scenario for scenario in EVERY}
    return [found[name] for name in names]
