"""The help desk of company A with one ticket, in a deployment where company B has keys too."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import boto3

from shared.api.auth import Caller
from tests import template
from tests.integration.isolation.attacks import (
    Answer,
    Attacker,
    Call,
    Stored,
    event_of,
    operations_of,
    shown,
)
from tests.simulation import stored
from tests.simulation.invocations import Invocation
from tests.simulation.processes import imported, quiet
from tests.simulation.richpanel.scenarios import opens, writes
from tests.simulation.richpanel.setup import ACCOUNT, SWITCHES, running_system

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from tests.simulation.richpanel.system import Snapshot, System

COMPANY_A, COMPANY_B = "acme", "globex"
TICKET, OTHER_TICKET, MESSAGE = "ticket-of-a", "ticket-of-b", "comment-of-a"
GONE_TICKET = "gone-ticket-of-a"
DISPUTE = "canary-words: I have told my bank to open a chargeback for this payment."


@dataclass
class TwoCompanies:
    """The simulated help desk, which belongs to A."""

    system: System
    admin: ModuleType
    company_a: str = COMPANY_A
    company_b: str = COMPANY_B
    project_a: str = "hiring"
    other_project_a: str = "sales"
    words: tuple[str, ...] = ("canary-words", MESSAGE)
    ids: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    _snapshots: dict[str, Snapshot] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """A ticket that the worker has processed, with a snapshot before and after it."""
        self.system.reset()
        without = self.system.snapshot()
        opens(self.system, DISPUTE, ticket=TICKET)
        self.system.call({"ticket_id": TICKET, "message_id": "m-1"})
        self.system.drain()
        self.system.clock.sleep(15 * 60)
        writes(self.system, "canary-words: where is my order?", MESSAGE, ticket=TICKET)
        self.system.call({"ticket_id": TICKET, "message_id": MESSAGE})
        self.system.drain()
        for message in ("m-1", "m-2"):  # parked: the ticket is unknown to the help desk
            self.system.call({"ticket_id": GONE_TICKET, "message_id": message})
        self.system.drain()
        with_a = self.system.snapshot()
        self._snapshots = {"with A": with_a, "without A": replace(without, ms=with_a.ms)}
        self.names = {"ticket": TICKET, "event_id": f"evt:rp:{TICKET}:{MESSAGE}"}
        parked = shown(self, "GET /richpanel/parked")["result"]["events"]
        self.names |= {"parked_id": quote(parked[0]["eventId"], safe="")}

    def with_a(self) -> None:
        self._begin("with A")

    def without_a(self, _: Attacker = Attacker.OTHER_COMPANY) -> None:
        self._begin("without A")

    def send(self, line: str, call: Call, caller: Caller | None) -> Answer:
        event = event_of(line, call, caller)
        with quiet():
            answer = self.admin.handler(event, Invocation(self.system.clock))
        return Answer(answer["statusCode"], answer["body"])

    def stored(self) -> Stored:
        items: Stored = {
            (use, *(item[key]["S"] for key in KEYS[use])): item
            for use, name in self.system.tables.items()
            for item in stored.items_of(name)
            # The request limit is the deployment's own.
            if "sys:limiter" not in str(item)
        }
        queued: Stored = {
            ("queue", name, message.message_id): message.body
            for name, queue in self.system.fifo_queues.queues.items()
            for message in queue.messages
        }
        help_desk: dict[tuple[str, ...], Any] = {
            ("ticket", name): repr(ticket)
            for name, ticket in self.system.sandbox.help_desk.tickets.items()
        }
        return {**items, **queued, **help_desk, ("switches",): self._switches()}

    def operations(self) -> list[str]:
        return operations_of(self.system.interceptor.calls)

    def _switches(self) -> dict[str, str]:
        found = self.system.ssm.get_parameters_by_path(Path=PATH, Recursive=True)["Parameters"]
        return {one["Name"]: one["Value"] for one in found}

    def _begin(self, snapshot: str) -> None:
        if self._switches() != {f"{PATH}/{name}": text for name, text in SWITCHES.items()}:
            self.system.switch(**SWITCHES)
        self.system.restore(self._snapshots[snapshot])
        self.admin.deps.switchboard.provider().clear_cache()
        self.system.interceptor.calls.clear()


KEYS = {
    "idempotency": ("event_id",),
    "state": ("conversation_id",),
    "audit": ("conversation_id", "ts_action_id"),
}
PATH = "/parley/local/richpanel"


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """The system, created once per module."""
    with running_system() as system:
        given = {
            "Stage": "local",
            "RichpanelAccount": json.dumps(ACCOUNT | {"company": COMPANY_A}),
            "HelpDeskUrl": f"{system.sandbox.url}/v1",
            "ShopifyUrl": system.sandbox.url,
        }
        template.put_parameter(boto3.client("ssm"), "RichpanelAccountSettings", **given)
        seal = template.properties("ApiSealSecret", **given)["Name"]
        boto3.client("secretsmanager").create_secret(
            Name=seal, SecretString=json.dumps({"seal_key": "sealed"})
        )
        # moto finds secrets by their names.
        keys = template.properties("RichpanelKeys", **given)["Name"]
        named = {"API_SEAL_SECRET_ID": seal, "RICHPANEL_KEYS_ID": keys}
        variables = template.environment("RichpanelAdmin", **given) | named
        yield TwoCompanies(system, imported("richpanel.handlers.admin", variables))
