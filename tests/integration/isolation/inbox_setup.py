"""The inbox over all contexts with entries of company A in each context, and one of B."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from moto import mock_aws

from shared.api.auth import Caller, Scope
from shared.inbox.items import Context
from tests.integration.console.system import (
    InboxSystem,
    Invocation,
    Listed,
    inbox_call,
    inbox_on_moto,
)
from tests.integration.isolation.attacks import Answer, Attacker, Call, Stored, operations_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

READ = (Scope.WHATSAPP_READ, Scope.CONVERSATIONS_READ, Scope.EMAIL_READ)
LINE = "GET /inbox"
# Each call issues another ticket, with a later end.
_DIFFERENT = re.compile(r'"(ticket|expiresAt)":"[^"]*"')


@dataclass
class TwoCompanies:
    """The inbox with entries of all contexts of company A and, always, one of B."""

    inbox: InboxSystem
    company_a: str = "acme"
    company_b: str = "globex"
    project_a: str = "hiring"
    other_project_a: str = "sales"
    words: tuple[str, ...] = ("canary-words",)
    ids: tuple[str, ...] = ("447700900199",)
    names: Mapping[str, str] = field(default_factory=dict)
    _calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """B's entry, and the names of A's things."""
        events = self.inbox.module.deps.table._client.meta.events
        events.register(
            "before-call.dynamodb", lambda model, **_: self._calls.append(f"dynamodb.{model.name}")
        )
        self._show(company_id="globex", reference="of-b", handle="447700900102")
        self.with_a()
        owner = Caller(company="acme", scopes=frozenset(map(str, READ)), principal="api-key:owner")
        page = json.loads(self.send(LINE, Call(query={"limit": "1"}), owner).text)
        self.names = {"cursor": page["cursor"], "words": "canary-words", "assignee": "kim"}

    def with_a(self) -> None:
        for context in Context:
            self._show(
                company_id="acme",
                context=context,
                reference=f"of-{context}",
                handle="447700900199",
                preview="canary-words",
                assignee="kim",
                project_id="hiring" if context is Context.CONVERSATIONS else None,
            )
        self._calls.clear()

    def without_a(self, _: Attacker = Attacker.OTHER_COMPANY) -> None:
        table = self.inbox.table
        for item in self._items():
            if item["company_id"]["S"] == "acme":
                table.delete({"pk": item["pk"]["S"]})
        self._calls.clear()

    def send(self, line: str, call: Call, caller: Caller | None) -> Answer:
        method, path = line.split(" ")
        answer = self.inbox.module.handler(
            inbox_call(method, path, caller, call.query), Invocation()
        )
        return Answer(answer["statusCode"], _DIFFERENT.sub("", answer["body"]))

    def stored(self) -> Stored:
        return {("entry", item["pk"]["S"]): item for item in self._items()}

    def operations(self) -> list[str]:
        return operations_of(self._calls)

    def _show(self, **facts: Any) -> None:
        Listed(self.inbox.table).show(facts.pop("reference"), **facts)

    def _items(self) -> list[dict[str, Any]]:
        table = self.inbox.table
        found: list[dict[str, Any]] = table._client.scan(TableName=table.name)["Items"]
        return found


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """The inbox on moto, created once per module."""
    with mock_aws(), inbox_on_moto() as inbox:
        yield TwoCompanies(inbox)
