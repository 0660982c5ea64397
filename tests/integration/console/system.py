"""The inbox over moto: its table, the streams of the contexts' tables, their feeds, and GET /inbox."""

from __future__ import annotations

import importlib
import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import pytest

from operations.contexts.inbox.rebuild import Run, Source
from shared.access.user_pool import People
from shared.api.auth import Caller
from shared.aws.dynamodb import Table
from shared.inbox import entries, feed
from shared.inbox.entries import Tables
from shared.inbox.items import Context, Head
from shared.inbox.notifications.notifier import Notifier
from tests import keyring
from tests.aws import api_gateway, client_pool
from tests.aws.streams import Stream
from tests.integration.answers import Answer
from tests.tables import storage
from tests.template import create_table, environment, properties

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from shared.inbox.entries import BatchHeads, Change
    from shared.inbox.notifications.notifier import Additions

READ = frozenset({"whatsapp:read", "conversations:read", "email_threads:read"})
ACME = Caller(company="acme", scopes=READ, principal="api-key:1")
GLOBEX = Caller(company="globex", scopes=READ, principal="api-key:2")


class Invocation:
    """The Lambda context, as far as it is used."""

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


def inbox_call(  # noqa: PLR0917 - the parts of a request
    method: str,
    path: str,
    caller: Caller | None,
    query: Mapping[str, str],
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A request to the inbox's API as API Gateway sends it; without *caller* it has passed no authorizer."""
    return api_gateway.request(f"{method} {path}", body, caller, query=query, headers=headers)


@dataclass
class Fed:
    """The feed of a context and the streams that it reads."""

    tables: Tables
    heads: BatchHeads
    streams: tuple[Stream, ...]
    announced: list[Change] = field(default_factory=list)
    notifier: Notifier | None = None

    def pending(self) -> list[dict[str, Any]]:
        """The records that the feed has not seen."""
        return [record for stream in self.streams for record in stream.records()]

    def take(self, records: list[dict[str, Any]] | None = None) -> list[str]:
        """Handle records, by default all new ones, and return the numbers of those to retry."""
        given = self.pending() if records is None else records
        if not given:
            return []
        of = feed.Feed(
            tables=self.tables,
            heads=self.heads,
            notifier=self.notifier,
            announce=lambda changes, _within_ms, _age_ms: self.announced.extend(changes),
        )
        answer = feed.process(of, {"Records": given}, Invocation())  # type: ignore[arg-type]  # has the method used
        return [str(one["itemIdentifier"]) for one in answer["batchItemFailures"]]


def rebuilt(fed: Fed, table: str) -> None:
    """Rebuild the entries of a context from nothing; *table* has an item for each head."""
    client = boto3.client("dynamodb")
    for item in client.scan(TableName=fed.tables.inbox.name)["Items"]:
        fed.tables.inbox.delete({"pk": item["pk"]["S"]})
    run = Run(client=client, tables=fed.tables, report=lambda *_: None)
    run.rebuild(Source(heads=fed.heads, table=table))


def notified(fed: Fed) -> list[tuple[str, ...]]:
    """Who was notified by each change since the last call, of changes that notify anyone."""
    found = [change.notified for change in fed.announced if change.notified]
    fed.announced.clear()
    return found


@dataclass
class InboxSystem:
    """The table of the inbox, the user pool, and the function that reads both."""

    tables: Tables
    module: ModuleType

    @cached_property
    def people(self) -> People:
        """The user pool, which most tests do not need: made empty, with its login settings."""
        return user_pool()

    @property
    def table(self) -> Table:
        """The table of the inbox."""
        return self.tables.inbox

    def fed_by(self, heads: BatchHeads, *tables: str, additions: Additions | None = None) -> Fed:
        """Return the feed of a context whose tables have these names."""
        live = Table(boto3.client("dynamodb"), str(properties("LiveTable")["TableName"]))
        notifier = Notifier(table=live, additions=additions)
        streams = tuple(Stream(name) for name in tables)
        return Fed(self.tables, heads, streams, notifier=notifier)

    def get(self, caller: Caller | None = ACME, path: str = "/inbox", **query: Any) -> Answer:
        """Call the API."""
        return self.call("GET", caller, path, **query)

    def call(self, method: str, caller: Caller | None, path: str, **query: Any) -> Answer:
        """Call the API, without a body."""
        event = inbox_call(
            method, path, caller, {name: str(value) for name, value in query.items()}
        )
        answer = self.module.handler(event, Invocation())
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def save_view(
        self, name: str, filters: Mapping[str, str] | None, caller: Caller = ACME, **more: str
    ) -> Answer:
        """Save a view, or remove it without filters."""
        body = {"name": name, **({"filters": filters} if filters is not None else {}), **more}
        event = inbox_call(
            "POST", "/inbox/views", caller, {}, body, {"Idempotency-Key": str(uuid4())}
        )
        answer = self.module.handler(event, Invocation())
        return Answer(answer["statusCode"], json.loads(answer["body"]))

    def rows(self, caller: Caller = ACME, **query: Any) -> list[dict[str, Any]]:
        """The rows of the first page."""
        found: list[dict[str, Any]] = self.get(caller, **query).result["conversations"]
        return found

    def entries(self) -> dict[str, dict[str, Any]]:
        """All items of the table but counts by key, without the versions and what was counted of a conversation."""
        return {
            key: {name: value for name, value in item.items() if name not in {"version", "round"}}
            for key, item in self._items().items()
            if not key.startswith(("REPORT", "OUTCOME#"))
        }

    def counts(self) -> dict[str, dict[str, int]]:
        """The counts of days by key."""
        return {
            key: {name: int(n) for name, n in item.items() if name not in {"pk", "ttl"}}
            for key, item in self._items().items()
            if key.startswith("REPORT#") and not key.endswith("#busy")
        }

    def _items(self) -> dict[str, dict[str, Any]]:
        items = client_pool.direct("dynamodb").scan(TableName=self.table.name)["Items"]
        keys: list[dict[str, Any]] = [{"pk": item["pk"]["S"]} for item in items]
        return {item["pk"]: item for item in self.table.get_many(keys)}


@contextmanager
def inbox_on_moto() -> Iterator[InboxSystem]:
    """Create the table and import the function. moto must be active."""
    dynamodb = boto3.client("dynamodb")
    tables = Tables(
        inbox=Table(dynamodb, create_table(dynamodb, "InboxTable")),
        contacts=Table(dynamodb, create_table(dynamodb, "ContactsTable")),
    )
    live = create_table(dynamodb, "LiveTable")
    keys = create_table(dynamodb, "ApiKeysTable")
    made = [live, keys]
    present = dynamodb.list_tables()["TableNames"]
    made += [
        create_table(dynamodb, one)
        for one in ("AuditLogTable", "ConversationLogTable")
        if properties(one)["TableName"] not in present
    ]
    secret = properties("ApiSealSecret")["Name"]
    secrets = boto3.client("secretsmanager")
    with suppress(secrets.exceptions.ResourceExistsException):
        secrets.create_secret(Name=secret, SecretString='{"seal_key": "sealed"}')
    with pytest.MonkeyPatch.context() as patch, keyring.held(keyring.Keys(keyring.KEY)):
        for name, value in environment("InboxApi").items():
            patch.setenv(name, value)
        patch.setenv("API_SEAL_SECRET_ID", secret)
        with keyring.held(None):  # the function configures the keys of its own process
            module = importlib.reload(importlib.import_module("console.handlers.api"))
        yield InboxSystem(tables, module)
    for name in (tables.inbox.name, tables.contacts.name, *made):
        storage.remove(name)  # other tests may have the same moto


def user_pool() -> People:
    """Create an empty user pool, and write its login settings."""
    cognito = boto3.client("cognito-idp")
    attributes = properties("UserPool")["UsernameAttributes"]
    made = cognito.create_user_pool(PoolName="parley-dev", UsernameAttributes=attributes)
    pool = str(made["UserPool"]["Id"])
    ssm, settings = boto3.client("ssm"), properties("LoginSettings")
    written = settings["Value"].replace("/UserPool", f"/{pool}")
    ssm.put_parameter(Name=settings["Name"], Type=settings["Type"], Value=written, Overwrite=True)
    return People(cognito, pool)


@dataclass
class Listed:
    """Heads of any context, held in memory. `show` writes the entry of one."""

    tables: Tables
    context: Context = Context.WHATSAPP
    heads: dict[str, Head] = field(default_factory=dict)

    def reference_of(self, key: dict[str, Any]) -> str | None:
        return str(key["pk"])

    def read(self, reference: str) -> Head | None:
        return self.heads.get(reference)

    def show(self, reference: str, minute: int = 0, **facts: Any) -> None:
        """Show a conversation whose newest message came *minute* minutes after noon."""
        self.context = facts.pop("context", Context.WHATSAPP)
        given = {
            "company_id": "acme",
            "context": self.context,
            "reference": reference,
            "channel": "email" if self.context is Context.EMAIL_THREADS else "whatsapp",
            "address": "106540352242922",
            "last_activity_at": f"2026-01-01T{12 + minute // 60:02}:{minute % 60:02}:00.000Z",
            "status": "open",
            "handle": reference,
        }
        self.heads[reference] = Head(**given | facts)
        entries.refresh(self.tables, self, reference)

    def remove(self, reference: str) -> None:
        """Remove a head."""
        self.heads.pop(reference, None)
        entries.refresh(self.tables, self, reference)
