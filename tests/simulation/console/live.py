"""The functions of live updates in a simulated system: tickets, connections, and the posts that moto received."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moto.apigatewaymanagementapi.models import apigatewaymanagementapi_backends

from shared.api.auth import Caller
from shared.aws.dynamodb import Table
from tests.aws import api_gateway
from tests.simulation.interceptor import Died
from tests.simulation.processes import imported
from tests.simulation.whatsapp.system import Invocation
from tests.template import ACCOUNT, REGION, create_table, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.simulation.whatsapp.system import System

STAGE = {"Stage": "local"}
READ = frozenset({"whatsapp:read", "conversations:read", "email_threads:read"})
type Items = list[dict[str, Any]]


@dataclass
class LiveParts:
    """The tables of connections and of revocations, and the functions of the WebSocket API and of tickets."""

    system: System
    table: Table
    keys: Table
    module: ModuleType
    api: ModuleType

    def ticket(self, company: str, principal: str = "user:kim") -> str:
        """A new ticket."""
        answer = self._post("/live/tickets", company, principal)
        assert answer["statusCode"] == 200, answer
        return str(json.loads(answer["body"])["result"]["ticket"])

    def sign_out(self, company: str, principal: str = "user:kim") -> int | None:
        """Call POST /sign-out; None if the function was killed."""
        with suppress(Died):
            return int(self._post("/sign-out", company, principal)["statusCode"])
        self.system.interceptor.revive()
        return None

    def _post(self, path: str, company: str, principal: str) -> dict[str, Any]:
        caller = Caller(
            company=company,
            scopes=READ,
            principal=principal,
            issued_at=self.system.clock.ms // 1_000 - 60,
        )
        event = api_gateway.request(f"POST {path}", None, caller)
        answer: dict[str, Any] = self.api.handler(event, Invocation())
        return answer

    def send(self, route: str, connection_id: str, **fields: Any) -> int | None:
        """Call the WebSocket API's function; None if it was killed."""
        context = {"routeKey": route, "connectionId": connection_id, "requestId": "1"}
        with suppress(Died):
            answer = self.module.handler({"requestContext": context, **fields}, Invocation())
            return int(answer["statusCode"])
        self.system.interceptor.revive()
        return None

    def connect(self, ticket: str, connection_id: str) -> int | None:
        """Open a connection."""
        return self.send("$connect", connection_id, queryStringParameters={"ticket": ticket})

    def items(self) -> Items:
        """All items."""
        found: Any = self.system.dynamodb.scan(TableName=self.table.name)["Items"]
        return sorted(found, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))

    def connected(self) -> list[str]:
        """The ids of the stored connections."""
        return [i["connection_id"]["S"] for i in self.items() if "connection_id" in i]

    def tickets(self) -> int:
        """The number of stored tickets."""
        return sum("connection_id" not in item for item in self.items())

    def clear(self) -> None:
        """No tickets, no connections, nothing received, no faults."""
        for item in self.items():
            self.table.delete({"pk": item["pk"]["S"], "sk": item["sk"]["S"]})
        for item in self.system.dynamodb.scan(TableName=self.keys.name)["Items"]:
            self.keys.delete({"key_id": item["key_id"]["S"]})
        received().clear()
        self.system.interceptor.rewind()


def received() -> dict[str, Any]:
    """What moto's management API received, by connection."""
    connections: dict[str, Any] = apigatewaymanagementapi_backends[ACCOUNT][REGION].connections
    return connections


def messages_to(connection_id: str) -> list[dict[str, Any]]:
    """The messages that were posted to a connection."""
    if connection_id not in received():
        return []
    text, decoder, found = received()[connection_id].data.decode(), json.JSONDecoder(), []
    while text:
        message, end = decoder.raw_decode(text)
        found.append(message)
        text = text[end:]
    return found


@contextmanager
def live_parts(system: System) -> Iterator[LiveParts]:
    """The table and both functions. The inbox table must exist."""
    table = Table(system.dynamodb, create_table(system.dynamodb, "LiveTable", **STAGE))
    keys = Table(system.dynamodb, create_table(system.dynamodb, "ApiKeysTable", **STAGE))
    module = imported("console.handlers.live", environment("ConsoleLive", **STAGE))
    api = imported("console.handlers.api", environment("InboxApi", **STAGE))
    yield LiveParts(system, table, keys, module, api)
    for name in (table.name, keys.name):
        system.dynamodb.delete_table(TableName=name)
