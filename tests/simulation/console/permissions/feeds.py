"""Runs of the inbox feeds of the contexts, with notifications, and connections that are gone."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

from moto.apigatewaymanagementapi.models import ApiGatewayManagementApiBackend
from moto.core.exceptions import JsonRESTError

from events.conversations.sample_data import COMPANY as OF_TALKS
from events.whatsapp.sample_data import COMPANY
from shared.aws.dynamodb import Table
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.resolution import resolve
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.items import Context, Entry, Head
from shared.inbox.live import subscriptions
from shared.inbox.live.items import CONNECTION_SECONDS, Connection
from shared.inbox.notifications.items import Notification, NotificationKind
from shared.inbox.notifications.webhooks.items import EventType
from shared.runtime import clock
from tests.aws.streams import Stream
from tests.simulation.console.permissions.calls import BROWSER, PERSON, STAGE, watched
from tests.simulation.console.permissions.webhooks import EVERY
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.processes import imported
from tests.template import create_table, environment, properties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


@contextmanager
def feeding(
    system: Any, observer: CallObserver, function: str, tables: Sequence[str]
) -> Iterator[Callable[[], None]]:
    """Provide a call that runs a feed with the new records of the tables, watched."""
    there = system.dynamodb.list_tables()["TableNames"]  # a system may have some of them
    made = [
        create_table(system.dynamodb, name, **STAGE)
        for name in ("InboxTable", "ContactsTable", "LiveTable", "ApiKeysTable")
        if properties(name, **STAGE)["TableName"] not in there
    ]
    live = Table(system.dynamodb, str(properties("LiveTable", **STAGE)["TableName"]))
    context = str(properties(function)["Handler"]).removesuffix(".handler")
    module = imported(context, environment(function, **STAGE))
    streams = [Stream(name) for name in tables]

    def feed() -> None:
        records = [record for stream in streams for record in stream.records()]
        assert records
        for company in (COMPANY, OF_TALKS):
            live.put(_connected(company).attributes())
            subscriptions.add(live, company, PERSON, (), BROWSER)
        system.clock.ms += 1  # notifications of the batch are newer
        with (
            mock.patch("shared.inbox.entries.resolution.resolve", _joining),
            mock.patch("shared.inbox.notifications.causes.of_entry", _assigned),
            mock.patch("shared.inbox.lists.partitions.webhooks", return_value={"hook": EVERY}),
            mock.patch("shared.inbox.notifications.webhooks.events.of_entry", _received),
        ):
            watched(system, observer, function, module, {"Records": records})

    with _gone():
        yield feed
    for table in made:
        system.dynamodb.delete_table(TableName=table)


def _assigned(_: Entry | None, wanted: Entry, __: Head, now: str) -> list[Notification]:
    """A notification for every change."""
    return [Notification.of(NotificationKind.ASSIGNED, PERSON, wanted, now)]


def _received(*_: object) -> tuple[EventType, ...]:
    """An event for every change."""
    return (EventType.MESSAGE_RECEIVED,)


def _joining(
    contacts: Table,
    company: str,
    claims: Sequence[Claim],
    at_ms: int,
    name: str | None,
    **more: Any,
) -> str:
    """Resolve a person's claims, then as claims of a person who is known by another identifier too."""
    other = Claim(identifier(IdentifierKind.EMAIL, "other@orchard.example"), Proof.COMPANY)
    for known in ([other], claims, [other, *claims], [other]):
        resolve(contacts, company, known, at_ms)
    return resolve(contacts, company, claims, at_ms, name, **more)


def _connected(company: str) -> Connection:
    """A connection of the company that has been open for long."""
    return Connection(
        **Connection.key(company, "gone"),
        company=company,
        principal="user:kim",
        contexts=set(Context),
        projects={"*"},
        connection_id="gone",
        connected_at=0,
        ttl=clock.expires_in(CONNECTION_SECONDS),
    )


@contextmanager
def _gone() -> Iterator[None]:
    """API Gateway answers that every connection but `lee` is gone."""
    post = ApiGatewayManagementApiBackend.post_to_connection

    def post_if_open(self: Any, data: bytes, connection_id: str) -> None:
        if connection_id != "lee":
            raise _Gone
        post(self, data, connection_id)

    with mock.patch.object(ApiGatewayManagementApiBackend, "post_to_connection", post_if_open):
        yield


class _Gone(JsonRESTError):
    code = 410

    def __init__(self) -> None:
        super().__init__("GoneException", "gone")


def empty(dynamodb: Any, table: str) -> None:
    schema = dynamodb.describe_table(TableName=table)["Table"]["KeySchema"]
    names = [part["AttributeName"] for part in schema]
    for item in dynamodb.scan(TableName=table)["Items"]:
        dynamodb.delete_item(TableName=table, Key={name: item[name] for name in names})
