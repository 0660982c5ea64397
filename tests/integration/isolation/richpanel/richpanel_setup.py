"""The help desk of company A with one ticket, in a deployment where company B has keys too."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

import boto3

from tests import template
from tests.integration.isolation.attacks.attacks import Call, Stored, owner_of
from tests.integration.isolation.deployed_companies import WITH_A, WITHOUT_A, QueuedCompanies
from tests.simulation import processes
from tests.simulation.kernel import running
from tests.simulation.processes import imported
from tests.simulation.richpanel.scenarios import opens, writes
from tests.simulation.richpanel.system import ACCOUNT, System

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


COMPANY_A, COMPANY_B = "acme", "globex"
TICKET, OTHER_TICKET, MESSAGE = "ticket-of-a", "ticket-of-b", "comment-of-a"
SET = "made-up"
GONE_TICKET = "gone-ticket-of-a"
DISPUTE = "canary-words: I have told my bank to open a chargeback for this payment."


@dataclass
class TwoCompanies(QueuedCompanies[System]):
    """The simulated help desk, which belongs to A."""

    words: tuple[str, ...] = ("canary-words", MESSAGE)
    admin: ModuleType = field(kw_only=True)

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
        self._store_a_set()
        self.keep({WITH_A: self.system.snapshot(), WITHOUT_A: without})
        event_id = f"evt:rp:{TICKET}:{MESSAGE}"
        self.names = {**self.names, "ticket": TICKET, "event_id": event_id}
        parked = self.shown("GET /richpanel/parked")["result"]["events"]
        parked_id = quote(parked[0]["eventId"], safe="")
        self.names = {**self.names, "parked_id": parked_id}

    def _store_a_set(self) -> None:
        made_up = {"kind": "ticket", "name": "canary-words", "text": "canary-words", "expect": {}}
        line, path = "POST /admin/richpanel/sets/{set_name}", {"set_name": SET}
        for of_set, body in (
            (line, {"scenarios": [made_up]}),
            (f"{line}/runs", {"recorded": True}),
        ):
            headers = {"Idempotency-Key": f"made-up-{len(of_set):08}"}
            answer = self.send(of_set, Call(path=path, body=body, headers=headers), owner_of(self))
            assert answer.status < 300, answer
            self.names = {"run": json.loads(answer.text)["result"].get("run_id", "")}
        self.system.drain()

    def module_of(self, line: str) -> ModuleType:
        return self.admin

    def stored(self) -> Stored:
        # The request limit is the deployment's own.
        found = {
            key: item for key, item in super().stored().items() if "sys:limiter" not in str(item)
        }
        for name, ticket in self.system.sandbox.help_desk.tickets.items():
            found["ticket", name] = repr(ticket)
        return {**found, ("switches",): self._switches()}

    def _switches(self) -> dict[str, str]:
        found = self.system.ssm.get_parameters_by_path(
            Path=self.system.parts.switches_at, Recursive=True
        )["Parameters"]
        return {one["Name"]: one["Value"] for one in found}

    def begin(self, snapshot: str) -> None:
        parts = self.system.parts
        wanted = {f"{parts.switches_at}/{name}": text for name, text in parts.switches.items()}
        if self._switches() != wanted:
            self.system.switch(**parts.switches)
        super().begin(snapshot)
        processes.forget_switches(self.admin.deps.switchboard)


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """The system, created once per module."""
    with running(System) as system:
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
        tokens = template.properties("RichpanelWebhookSecret", **given)["Name"]
        named = {
            "API_SEAL_SECRET_ID": seal,
            "RICHPANEL_KEYS_ID": keys,
            "RICHPANEL_WEBHOOK_SECRET_ID": tokens,
        }
        variables = template.environment("RichpanelAdmin", **given) | named
        template.create_table(boto3.client("dynamodb"), "ContactsTable")
        yield TwoCompanies(system, admin=imported("richpanel.handlers.admin", variables))
