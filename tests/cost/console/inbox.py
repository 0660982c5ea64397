"""Costs of the inbox over all contexts: what a change of a conversation adds, and what reading it costs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest import mock

from boto3 import client

from console.notifications.webhooks.posts import Attempt
from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from shared.api.auth import Caller
from shared.aws.dynamodb import Table
from shared.inbox.items import Context, Entry, Head
from shared.inbox.lists import partitions
from shared.inbox.notifications.items import Notification, NotificationKind
from shared.inbox.notifications.webhooks import outbox
from shared.inbox.notifications.webhooks.items import EventType, SigningKey, Webhook
from shared.inbox.reports import hours
from shared.runtime import clock
from tests.aws.streams import Stream
from tests.cost.units import capacity
from tests.cost.units.dynamodb import Pricing
from tests.cost.units.meter import unlogged
from tests.cost.whatsapp.kinds import WORDS
from tests.integration.console.system import inbox_call
from tests.simulation.processes import imported
from tests.simulation.whatsapp.event_builders import ada_message, echo_webhook, webhook_of
from tests.simulation.whatsapp.system import Invocation
from tests.template import create_table, environment, properties
from whatsapp import store
from whatsapp.store.conversations import agent_changes
from whatsapp.store.conversations.agent_changes import Change
from whatsapp.store.items import Conversation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.simulation.whatsapp.system import System

ADAS = Conversation.key(COUNTER.phone, ADA.wa_id)
COMPARED = 2_000
HOOK = "hook"
WANTED = ["whatsapp", "message.received"]
READER = Caller(company=COMPANY, scopes=frozenset({"whatsapp:read"}), principal="api-key:1")


@dataclass(frozen=True, slots=True)
class Figures:
    """Write units and read units, and requests to DynamoDB."""

    write_units: float
    read_units: float
    requests: int


type Measured = dict[str, Figures]

NEW, MESSAGE, ASSIGNED = "a new conversation", "a message", "a message, assigned"
GIVEN = "assigned to a person, who is notified"
NOTIFICATIONS = "20 of 200 notifications"
TO_WEBHOOK, DELIVERED = "a message, with an event for a webhook", "the run that delivers the event"
READ, UNCHANGED, REMOVED = (
    "marked as read",
    "nothing that the inbox shows",
    "a removed conversation",
)
ANSWERED, RESOLVED = "its first answer, assigned", "its end, assigned"
PAGE, MINE, SEARCH = "a page of 50", "a page of 50 of an agent", "a search that compares 2,000"
WRITTEN_DOWN: Measured = {
    NEW: Figures(11, 9, 12),
    MESSAGE: Figures(3, 3, 4),
    ASSIGNED: Figures(5, 3, 4),
    ANSWERED: Figures(10, 3, 4),
    RESOLVED: Figures(10, 3, 4),
    GIVEN: Figures(4, 4, 6),
    TO_WEBHOOK: Figures(5, 3, 6),
    DELIVERED: Figures(6, 8, 14),
    READ: Figures(3, 3, 4),
    UNCHANGED: Figures(0, 2, 2),
    REMOVED: Figures(3, 3, 4),
    PAGE: Figures(0, 5, 6),
    MINE: Figures(0, 5.5, 6),
    NOTIFICATIONS: Figures(0, 21, 3),
    SEARCH: Figures(2, 99, 18),  # the first of a minute, which is counted in two writes
}
NOTES = """\
An entry has less than 1 KB, so each write of it is one unit in the table and one in each index that keeps its
place; a new message moves it in its list, which is two. A message of an AI conversation and its answer add as much
each, a mail once. Records of other items cost no unit: the event source filters them, or the feed reads nothing for
them. Lambda reads the streams without a charge. One of the read units, and one request, are the look for open
connections of the company, once for each batch. A new conversation looks for its contact, and makes it for two write
units; one that names two identifiers for three. It costs one more in the index of the contact, and one for each token
that is new: here the number and the two words of the name. The first message of a conversation in a week moves it in
that index for two. A page merges six partitions; of a company with more than 500
changes a second, two to eight times as many. The functions are warm: once a minute each reads how many, which is
one read unit and request. What reports count of a conversation is written with its entry in one transaction: three
units more when it begins, is first answered or ends; an assigned one five for each of the last two. No other message
costs more. A search looks for people first: a read unit for each token, and for each of up to ten people one for the
profile and one for each of the newest 20 conversations. A notification is one write unit; all
of a person or a team are read by one query, a unit for 4 KB, and each conversation that is shown for half a unit.
A new note costs a read unit, with mentions another one and a write unit for each of them; a new draft of a thread one
or two read units. Changes of a campaign cost a read unit in each batch, and for a day after its end a write unit.
A notification reads the browsers of the company that get pushes, a unit for about ten. A company without a webhook pays
nothing for webhooks. An event costs its feed a write unit, and another one for all events of a change and webhook.
"""


@dataclass
class _Meter:
    system: System
    module: ModuleType
    stream: Stream
    pricing: Pricing

    def changed(self, change: Callable[[], object]) -> Figures:
        """The costs of the feed after a change of the table of the context."""
        self.stream.records()
        change()
        records = self.stream.records()
        heads = [one for one in records if one["dynamodb"]["Keys"]["pk"]["S"] == ADAS]
        assert heads
        partitions.written(self.module.inbox_feed.tables.inbox, COMPANY)
        hours.of_company(self.module.inbox_feed.tables.inbox, COMPANY)
        return self.spent(lambda: self.module.handler({"Records": heads}, Invocation()))

    def spent(self, act: Callable[[], object]) -> Figures:
        self.pricing.priced.clear()
        self.pricing.is_on = True
        act()
        self.pricing.is_on = False
        units = self.pricing.priced
        return Figures(sum(one.write for one in units), sum(one.read for one in units), len(units))


def measure(system: System) -> Measured:
    """The figures of every kind."""
    with _metered(system.reset()) as meter, unlogged():
        found = {
            NEW: meter.changed(lambda: _message(system, 1)),
            MESSAGE: meter.changed(lambda: _message(system, 2)),
            READ: meter.changed(lambda: _read(system)),
            UNCHANGED: meter.changed(lambda: _note_facts(system)),
        }
        meter.changed(lambda: _change(system, "assignee", "kim"))
        found[ASSIGNED] = meter.changed(lambda: _message(system, 3))
        found[ANSWERED] = meter.changed(lambda: _answer(system))
        found[RESOLVED] = meter.changed(lambda: _change(system, "status", "resolved"))
        meter.changed(lambda: _change(system, "assignee", None))
        found[GIVEN] = meter.changed(lambda: _change(system, "assignee", "user:kim"))
        meter.changed(lambda: _change(system, "assignee", None))
        meter.changed(lambda: _message(system, 12))  # which opens the conversation again
        partitions.set_webhooks(
            meter.module.inbox_feed.tables.inbox, COMPANY, lambda: {HOOK: WANTED}
        )
        partitions.forget()
        found[TO_WEBHOOK] = meter.changed(lambda: _message(system, 13))
        found |= _deliveries(meter)
        found[REMOVED] = meter.changed(lambda: system.table.delete({"pk": ADAS}))
        found |= _reads(meter)
    return found


def _deliveries(meter: _Meter) -> Measured:
    """The run of a webhook that one event waits for."""
    api = _api()
    meter.pricing.watch(api.deps.table._client)
    now = clock.to_text(clock.now_ms())
    hook = Webhook(
        **Webhook.key(COMPANY, HOOK),
        company=COMPANY,
        name="CRM",
        url="https://hooks.example.com/parley",
        types={EventType.MESSAGE_RECEIVED},
        contexts={Context.WHATSAPP},
        created_at=now,
        created_by="user:kim",
        signing=[SigningKey(number=1, fingerprint="aa", cause="cost")],
    )
    api.deps.live.put(hook.attributes())
    started = {outbox.STARTED: {"company": COMPANY, "webhook": HOOK}}
    accepted = Attempt(status=200)
    with mock.patch("console.notifications.webhooks.posts.post", return_value=accepted):
        return {DELIVERED: meter.spent(lambda: api.handler(started, Invocation()))}


def _api() -> ModuleType:
    return imported(
        "console.handlers.api",
        environment("InboxApi", Stage="local")
        | {"API_SEAL_SECRET_ID": properties("ApiSealSecret", Stage="local")["Name"]},
    )


def _reads(meter: _Meter) -> Measured:
    table = Table(meter.system.dynamodb, _inbox_table())
    for first in range(0, COMPARED, 25):
        table.put_many([_entry(n).attributes() for n in range(first, first + 25)])
    api = _api()
    partitions.merged(api.deps.table, COMPANY)
    meter.pricing.watch(api.deps.table._client)
    _notify(meter.system, api.deps.live.name)
    return {
        NOTIFICATIONS: meter.spent(lambda: _get(api, path="/inbox/notifications")),
        PAGE: meter.spent(lambda: _get(api)),
        MINE: meter.spent(lambda: _get(api, assignee="kim")),
        SEARCH: meter.spent(lambda: _get(api, q="zebra")),
    }


def _notify(system: System, live: str) -> None:
    """Notify the reader of 200 conversations."""
    told = [
        Notification.of(
            NotificationKind.ASSIGNED,
            READER.principal,
            _entry(n),
            f"2026-01-01T12:{n // 60:02}:{n % 60:02}.000Z",
            by="user:lee",
        )
        for n in range(200)
    ]
    for first in range(0, len(told), 25):
        items = [one.attributes() for one in told[first : first + 25]]
        Table(system.dynamodb, live).put_many(items)


def _get(api: ModuleType, path: str = "/inbox", **query: str) -> None:
    answer: dict[str, Any] = api.handler(inbox_call("GET", path, READER, query), Invocation())
    assert answer["statusCode"] == 200, answer


def _entry(n: int) -> Entry:
    """An entry of usual size."""
    head = Head(
        company_id=COMPANY,
        context="whatsapp",
        reference=Conversation.key(COUNTER.phone, f"4477{n:08}"),
        channel="whatsapp",
        address=COUNTER.phone,
        last_activity_at=f"2026-01-01T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}.000Z",
        status="open",
        assignee="kim" if n % 20 == 0 else None,
        contact="Ada Byrne",
        handle=f"4477{n:08}",
        preview=WORDS,
    )
    return Entry.of(head).model_copy(update={"version": 1})


@contextmanager
def _metered(system: System) -> Iterator[_Meter]:
    for table in ("InboxTable", "ContactsTable", "LiveTable"):
        create_table(system.dynamodb, table, Stage="local")
    module = imported(
        "whatsapp.handlers.inbox_feed", environment("WhatsAppInboxFeed", Stage="local")
    )
    pricing = Pricing(system.dynamodb, capacity.tables(Stage="local"))
    pricing.watch(module.dynamodb)
    yield _Meter(system, module, Stream(system.table.name), pricing)
    for table in ("InboxTable", "ContactsTable", "LiveTable"):
        name = str(properties(table, Stage="local")["TableName"])
        client("dynamodb").delete_table(TableName=name)


def _inbox_table() -> str:
    return str(properties("InboxTable", Stage="local")["TableName"])


def _message(system: System, n: int) -> None:
    assert system.deliver(webhook_of(ada_message(f"measured {n}", text(WORDS), minute=700 + n)))
    system.drain()


def _head(system: System) -> Conversation:
    head = store.heads.get(system.table, ADAS)
    assert head is not None
    return head


def _read(system: System) -> None:
    head = _head(system)
    store.read_marks.mark_read(
        system.table, head, up_to=head.last_key or "", by="key", at=head.received_at or ""
    )


def _note_facts(system: System) -> None:
    store.customer_facts.note_blocked(system.table, ADAS, is_blocked=True)


def _answer(system: System) -> None:
    assert system.deliver(echo_webhook("measured answer", minute=710, body=WORDS))
    system.drain()


def _change(system: System, field: str, value: str | None) -> None:
    change = Change(
        fields={field: value},
        revision=None,
        cause=f"{field} {value}",
        by="key",
        at="2026-01-01T12:00:00.000Z",
    )
    agent_changes.apply(system.table, _head(system), change)


def differences(measured: Measured) -> list[str]:
    """Kinds whose figures differ from the written ones; one line each."""
    return [
        f"inbox, {name}: {figures}, not {WRITTEN_DOWN[name]}"
        for name, figures in measured.items()
        if figures != WRITTEN_DOWN[name]
    ]


def markdown(measured: Measured) -> str:
    """The table for docs/costs.md."""
    lines = [
        "The inbox over all contexts: write units (WRU), read units (RRU) and requests to DynamoDB that a change of a",
        "conversation adds in its feed, and what reading it costs:",
        "",
        "| change or call | WRU | RRU | requests |",
        "| :-- | --: | --: | --: |",
        *(
            f"| {name} | {one.write_units:g} | {one.read_units:g} | {one.requests} |"
            for name, one in measured.items()
        ),
        "",
        NOTES,
    ]
    return "\n".join(lines)
