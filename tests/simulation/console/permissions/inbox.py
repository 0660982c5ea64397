"""Reads and changes of the inbox, its views and notifications, and connections of browsers."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3
from botocore.exceptions import ClientError
from moto.cognitoidp.models import cognitoidp_backends

from console.api.saved_views import MOST_VIEWS
from console.store import notification_states
from events.whatsapp.sample_data import ADA, COMPANY
from shared.access.user_pool import People, principal_of
from shared.aws.dynamodb import Table
from shared.inbox.items import Channel, Context, Entry, Head
from shared.inbox.lists import entry_lists
from shared.inbox.live import push_starts, subscriptions
from shared.inbox.live.announcements import ANNOUNCED
from shared.inbox.live.subscriptions import MOST_OF_PERSON
from shared.inbox.notifications.items import Notification, NotificationKind
from shared.inbox.references import key_of
from shared.providers.http import Answer as PushAnswer
from shared.runtime import clock
from tests.simulation.console.permissions.calls import (
    BROWSER,
    PERSON,
    STAGE,
    asked,
    last_run,
    watched,
)
from tests.simulation.console.permissions.contacts import change_contacts, select_contacts
from tests.simulation.console.permissions.webhooks import use_webhooks
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.processes import imported
from tests.template import ACCOUNT, REGION, create_table, environment, properties, put_parameter

if TYPE_CHECKING:
    from types import ModuleType


def use_live(system: Any, observer: CallObserver) -> None:
    """
    Two connections open with tickets; one types, in a WhatsApp and in an AI conversation; a person was notified; both
    close.
    """
    api = imported("console.handlers.api", environment("InboxApi", **STAGE))
    live = imported("console.handlers.live", environment("ConsoleLive", **STAGE))

    def send(route: str, name: str, **fields: Any) -> None:
        context = {"routeKey": route, "connectionId": name, "requestId": "1"}
        event = {"requestContext": context, **fields}
        answer = watched(system, observer, "ConsoleLive", live, event)
        assert answer["statusCode"] == 200, answer

    for name in ("kim", "lee"):
        answer = watched(system, observer, "InboxApi", api, asked("POST", "/live/tickets"))
        ticket = json.loads(answer["body"])["result"]["ticket"]
        send("$connect", name, queryStringParameters={"ticket": ticket})
    for context in ("whatsapp", "conversations"):
        system.clock.ms += 5_000
        send("$default", "kim", body=json.dumps({"typing": {"context": context, "key": "k"}}))
    send("$default", "lee", body='{"shows": null}')
    announced = {"company": COMPANY, "context": "whatsapp", "notified": [PERSON]}
    watched(system, observer, "InboxApi", api, {ANNOUNCED: announced})
    for name in ("kim", "lee"):
        send("$disconnect", name)
    answer = watched(system, observer, "InboxApi", api, asked("POST", "/live/tickets", PERSON))
    ticket = json.loads(answer["body"])["result"]["ticket"]
    send("$connect", "ada", queryStringParameters={"ticket": ticket})
    answer = watched(system, observer, "InboxApi", api, asked("POST", "/sign-out", PERSON))
    assert answer["statusCode"] == 200, answer


def read_inbox(system: Any, observer: CallObserver) -> None:
    """The inbox of a company and of an agent, and the people of the company."""
    api = imported("console.handlers.api", environment("InboxApi", **STAGE))
    queries: list[dict[str, Any]] = [{}, {"assignee": "kim"}, {"q": "a"}]
    for query in queries:
        answer = watched(system, observer, "InboxApi", api, asked("GET", "/inbox", **query))
        assert answer["statusCode"] == 200, answer
    _save_views(system, observer, api)
    _look_at_notifications(system, observer, api)
    answer = watched(system, observer, "InboxApi", api, asked("GET", "/contacts", q=ADA.wa_id))
    (contact,) = json.loads(answer["body"])["result"]["contacts"]
    path = f"/contacts/{contact['contactId']}/conversations"
    answer = watched(system, observer, "InboxApi", api, asked("GET", path))
    assert json.loads(answer["body"])["result"]["conversations"], answer
    change_contacts(system, observer, api, contact["contactId"])
    select_contacts(system, observer, api)
    _employ()
    answer = watched(system, observer, "InboxApi", api, asked("GET", "/people"))
    assert json.loads(answer["body"])["result"]["people"], answer
    _send_digest(system, observer, api)
    _push(system, observer, api)
    use_webhooks(system, observer, api)


def _send_digest(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """A mail to a person who is absent; none of their connections is open any more."""
    (user,) = People(boto3.Session().client("cognito-idp"), "UserPool").all()
    person, now = principal_of(user), clock.to_text(clock.now_ms())
    state = notification_states.get(api.deps.table, COMPANY, person)
    listed = notification_states.with_digest(state, 4, now, "").model_copy(update={"revision": 1})
    api.deps.table.put(listed.attributes())
    (entry, *_) = entry_lists.entries(
        api.deps.table,
        entry_lists.of_company(api.deps.table, COMPANY, ["open"], [True, False]),
        limit=1,
    )
    told = Notification.of(NotificationKind.ASSIGNED, person, entry, now)
    Table(system.dynamodb, api.deps.live.name).put(told.attributes())
    boto3.Session().client("sesv2").create_email_identity(EmailIdentity="no-reply@shop.example")
    deps = replace(api.digest_deps, sender="no-reply@shop.example")
    with mock.patch.object(api, "digest_deps", deps):
        watched(system, observer, "InboxApi", api, {"time": now})
    assert notification_states.get(api.deps.table, COMPANY, person).digest_since == now


def _push(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """A push to a person of whom the feed has notified, and whose browser has ended it."""
    found = subscriptions.of_company(api.live_table, COMPANY)
    (browser,) = [one for one in found if one.principal == PERSON]
    started = {push_starts.STARTED: {"company": browser.company, "browsers": [browser.sk]}}
    with mock.patch("shared.providers.http.call", return_value=PushAnswer(410, b"")):
        watched(system, observer, "InboxApi", api, started)
    assert browser not in subscriptions.of_company(api.live_table, COMPANY)


def change_many(system: Any, observer: CallObserver) -> None:
    """A person for each context, whose change asks its function; the emulated account has none."""
    api = imported("console.handlers.api", environment("InboxApi", **STAGE))
    table = Table(system.dynamodb, str(properties("InboxTable", **STAGE)["TableName"]))
    for context in Context:
        head = Head(
            company_id=COMPANY,
            context=context,
            reference=f"of-{context}",
            channel=Channel.SMS,
            address="1",
            last_activity_at="2026-01-01T12:00:00.000Z",
            status="open",
        )
        entry = Entry.of(head)
        table.put(entry.attributes())
        person = f"user:{context}"
        key = key_of(context, COMPANY, head.reference, lambda: api.deps.seal)
        body = {
            "action": "label",
            "value": "vip",
            "conversations": [{"context": context, "key": key}],
        }
        answer = watched(
            system,
            observer,
            "InboxApi",
            api,
            asked("POST", "/inbox/bulk", person, body=body, request_id=f"change-{context}"),
        )
        assert answer["statusCode"] == 202, answer
        started = last_run("bulk", person)
        watched(system, observer, "InboxApi", api, started)
    watched(system, observer, "InboxApi", api, {"time": "2026-01-01T12:05:00Z"})
    answer = watched(
        system, observer, "InboxApi", api, asked("GET", "/inbox/bulk", "user:whatsapp")
    )
    assert json.loads(answer["body"])["result"]["change"]["refused"] == 1, answer


def _save_views(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """As many views as a person may have, and one more, whose call leaves nothing."""
    with suppress(ClientError):  # Another system in the same process may have made it.
        create_table(system.dynamodb, "AuditLogTable", **STAGE)
    statuses = []
    for number in range(MOST_VIEWS + 1):
        body = {"name": f"View {number}", "filters": {"status": "open"}}
        event = asked("POST", "/inbox/views", body=body, request_id=f"save-view-{number}")
        answer = watched(system, observer, "InboxApi", api, event)
        statuses.append(answer["statusCode"])
    assert statuses == [200] * MOST_VIEWS + [400]
    answer = watched(system, observer, "InboxApi", api, asked("GET", "/inbox/views"))
    assert answer["statusCode"] == 200, answer


def _look_at_notifications(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """The list of a person and a team, what is read, settings, browsers that get pushes, and a push."""
    answer = watched(
        system, observer, "InboxApi", api, asked("GET", "/inbox/notifications", teams="sales")
    )
    assert answer["statusCode"] == 200, answer
    at = f"2026-01-01T12:00:00.000Z#{'0' * 24}"
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("read", {"upTo": at}),
        ("settings", {"muted": ["draft"]}),
        *(("push", {"endpoint": f"{BROWSER}{number}"}) for number in range(MOST_OF_PERSON + 2)),
        ("push/end", {"endpoint": f"{BROWSER}9"}),
    )
    for number, (path, body) in enumerate(calls):
        line = f"/inbox/notifications/{path}"
        event = asked("POST", line, body=body, request_id=f"notifications-{number}")
        answer = watched(system, observer, "InboxApi", api, event)
        assert answer["statusCode"] == 200, answer
    answer = watched(system, observer, "InboxApi", api, asked("GET", "/inbox/notifications/push"))
    assert answer["statusCode"] == 200, answer


def _employ() -> None:
    """A person in the user pool, whose id in the login settings is the template's."""
    direct = boto3.Session()
    cognito = direct.client("cognito-idp")
    made = cognito.create_user_pool(PoolName="parley-local")["UserPool"]["Id"]
    pools = cognitoidp_backends[ACCOUNT][REGION].user_pools
    pools["UserPool"] = pools[made]
    People(cognito, "UserPool").create("ada@acme.example", [f"{COMPANY}:agent"], invites=False)
    put_parameter(direct.client("ssm"), "LoginSettings", **STAGE)
