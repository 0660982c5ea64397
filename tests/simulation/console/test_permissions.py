"""The roles of the inbox feeds, of the inbox's API and of live updates permit exactly what the functions do."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3
import pytest
from botocore.exceptions import ClientError
from moto.apigatewaymanagementapi.models import ApiGatewayManagementApiBackend
from moto.cognitoidp.models import cognitoidp_backends
from moto.core.exceptions import JsonRESTError

from console.api.saved_views import MOST_VIEWS
from console.jobs.engine import MOST_RUNS
from console.jobs.runs import STARTED, Job, Run
from console.store import notification_states
from events.conversations.sample_data import COMPANY as OF_TALKS
from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from shared.access.user_pool import People, principal_of
from shared.api.auth import Caller
from shared.aws.dynamodb import Table
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.resolution import resolve
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox import lists
from shared.inbox.items import Channel, Context, Entry, Head
from shared.inbox.live import push_starts, subscriptions
from shared.inbox.live.items import CONNECTION_SECONDS, Connection
from shared.inbox.live.subscriptions import MOST_OF_PERSON
from shared.inbox.notifications.items import Notification, NotificationKind
from shared.inbox.references import key_of
from shared.privacy.part_calls import ContextFunction, RemotePart
from shared.privacy.parts import PartJob
from shared.providers.http import Answer as PushAnswer
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from tests.integration.console.system import inbox_call
from tests.simulation.conversations.system import System as Conversations
from tests.simulation.email_threads.people import arrive, finished
from tests.simulation.email_threads.system import ANN, mail
from tests.simulation.email_threads.system import System as EmailThreads
from tests.simulation.kernel import running
from tests.simulation.permissions import CallObserver, Use
from tests.simulation.processes import imported
from tests.simulation.role_checks import check
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of
from tests.simulation.whatsapp.system import Invocation
from tests.simulation.whatsapp.system import System as WhatsApp
from tests.streams import Stream
from tests.template import (
    ACCOUNT,
    REGION,
    create_table,
    environment,
    properties,
    put_parameter,
    resources,
)
from whatsapp.store.items import Conversation, pk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType

pytestmark = pytest.mark.long

STAGE = {"Stage": "local"}
PERSON = "user:ada"
BROWSER = "https://fcm.googleapis.com/fcm/send/1"
FUNCTIONS = [
    "ConsoleLive",
    "ConversationsInboxFeed",
    "EmailThreadsInboxFeed",
    "InboxApi",
    "WhatsAppInboxFeed",
]


def test_every_feed_and_the_api_are_exercised() -> None:
    names = resources("AWS::Serverless::Function")

    assert (
        sorted(
            one for one in names if one.endswith("InboxFeed") or one in {"ConsoleLive", "InboxApi"}
        )
        == FUNCTIONS
    )


@pytest.fixture(scope="module")
def uses() -> dict[str, set[Use]]:
    observer = CallObserver()
    with (
        running(WhatsApp) as system,
        _feeding(system, observer, "WhatsAppInboxFeed", [system.table.name]) as feed,
    ):
        system.reset()
        assert system.deliver(webhook_of(ada_message("hello", text("Hello"))))
        system.drain()
        feed()
        _read(system, observer)
        _use_live(system, observer)
        system.deliver(webhook_of(ada_message("again", text("Hello again"))))
        system.drain()
        with mock.patch("shared.inbox.entries.refresh", side_effect=Permanent("too_large")):
            feed()
        system.table.delete(pk(Conversation.key(COUNTER.phone, ADA.wa_id)))
        feed()
        _change_many(system, observer)
        _request_person(system, observer)
    with running(Conversations) as talks:
        talks.reset()
        names = [talks.tables["conversations"], talks.tables["log"]]
        with _feeding(talks, observer, "ConversationsInboxFeed", names) as feed:
            talks.begin("sms")
            talks.drain()
            feed()
            for table in names:
                _empty(talks.dynamodb, table)
            feed()
    with running(EmailThreads) as inbox:
        inbox.reset()
        with _feeding(inbox, observer, "EmailThreadsInboxFeed", [inbox.table]) as feed:
            arrive(inbox, mail("a@x"))
            feed()
            finished(inbox, "erase", ANN)
            feed()
    return observer.uses


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_permits_exactly_the_calls_of_its_function(
    uses: dict[str, set[Use]], function: str
) -> None:
    check(function, uses, STAGE)


@contextmanager
def _feeding(
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
        ):
            _watched(system, observer, function, module, {"Records": records})

    with _gone():
        yield feed
    for table in made:
        system.dynamodb.delete_table(TableName=table)


def _assigned(_: Entry | None, wanted: Entry, __: Head, now: str) -> list[Notification]:
    """A notification for every change."""
    return [Notification.of(NotificationKind.ASSIGNED, PERSON, wanted, now)]


def _joining(
    contacts: Table, company: str, claims: Sequence[Claim], at_ms: int, name: str | None
) -> str:
    """Resolve a person's claims, then as those of a person who is known by another identifier too."""
    other = Claim(identifier(IdentifierKind.EMAIL, "other@orchard.example"), Proof.COMPANY)
    for known in ([other], claims, [other, *claims], [other]):
        resolve(contacts, company, known, at_ms)
    return resolve(contacts, company, claims, at_ms, name)


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


def _use_live(system: Any, observer: CallObserver) -> None:
    """Two connections open with tickets; one types, in a WhatsApp and in an AI conversation; both close."""
    api = imported("console.handlers.api", environment("InboxApi", **STAGE))
    live = imported("console.handlers.live", environment("ConsoleLive", **STAGE))

    def send(route: str, name: str, **fields: Any) -> None:
        context = {"routeKey": route, "connectionId": name, "requestId": "1"}
        event = {"requestContext": context, **fields}
        answer = _watched(system, observer, "ConsoleLive", live, event)
        assert answer["statusCode"] == 200, answer

    for name in ("kim", "lee"):
        answer = _watched(system, observer, "InboxApi", api, asked("POST", "/live/tickets"))
        ticket = json.loads(answer["body"])["result"]["ticket"]
        send("$connect", name, queryStringParameters={"ticket": ticket})
    for context in ("whatsapp", "conversations"):
        system.clock.ms += 5_000
        send("$default", "kim", body=json.dumps({"typing": {"context": context, "key": "k"}}))
    send("$default", "lee", body='{"shows": null}')
    for name in ("kim", "lee"):
        send("$disconnect", name)
    answer = _watched(system, observer, "InboxApi", api, asked("POST", "/live/tickets", PERSON))
    ticket = json.loads(answer["body"])["result"]["ticket"]
    send("$connect", "ada", queryStringParameters={"ticket": ticket})
    answer = _watched(system, observer, "InboxApi", api, asked("POST", "/sign-out", PERSON))
    assert answer["statusCode"] == 200, answer


def _read(system: Any, observer: CallObserver) -> None:
    """The inbox of a company and of an agent, and the people of the company."""
    api = imported("console.handlers.api", environment("InboxApi", **STAGE))
    queries: list[dict[str, Any]] = [{}, {"assignee": "kim"}, {"q": "a"}]
    for query in queries:
        answer = _watched(system, observer, "InboxApi", api, asked("GET", "/inbox", **query))
        assert answer["statusCode"] == 200, answer
    _save_views(system, observer, api)
    _look_at_notifications(system, observer, api)
    answer = _watched(system, observer, "InboxApi", api, asked("GET", "/contacts", q=ADA.wa_id))
    (contact,) = json.loads(answer["body"])["result"]["contacts"]
    path = f"/contacts/{contact['contactId']}/conversations"
    answer = _watched(system, observer, "InboxApi", api, asked("GET", path))
    assert json.loads(answer["body"])["result"]["conversations"], answer
    _change_contacts(system, observer, api, contact["contactId"])
    _select_contacts(system, observer, api)
    _employ()
    answer = _watched(system, observer, "InboxApi", api, asked("GET", "/people"))
    assert json.loads(answer["body"])["result"]["people"], answer
    _send_digest(system, observer, api)
    _push(system, observer, api)


def _send_digest(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """A mail to a person who is absent; none of their connections is open any more."""
    (user,) = People(boto3.Session().client("cognito-idp"), "UserPool").all()
    person, now = principal_of(user), clock.to_text(clock.now_ms())
    state = notification_states.get(api.deps.table, COMPANY, person)
    listed = notification_states.with_digest(state, 4, now, "").model_copy(update={"revision": 1})
    api.deps.table.put(listed.attributes())
    (entry, *_) = lists.entries(
        api.deps.table, lists.of_company(api.deps.table, COMPANY, ["open"], [True, False]), limit=1
    )
    told = Notification.of(NotificationKind.ASSIGNED, person, entry, now)
    Table(system.dynamodb, api.deps.live.name).put(told.attributes())
    boto3.Session().client("sesv2").create_email_identity(EmailIdentity="no-reply@shop.example")
    deps = replace(api.digest_deps, sender="no-reply@shop.example")
    with mock.patch.object(api, "digest_deps", deps):
        _watched(system, observer, "InboxApi", api, {"time": now})
    assert notification_states.get(api.deps.table, COMPANY, person).digest_since == now


def _push(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """A push to a person of whom the feed has notified, and whose browser has ended it."""
    found = subscriptions.of_company(api.live_table, COMPANY)
    (browser,) = [one for one in found if one.principal == PERSON]
    started = {push_starts.STARTED: {"company": browser.company, "browsers": [browser.sk]}}
    with mock.patch("shared.providers.http.call", return_value=PushAnswer(410, b"")):
        _watched(system, observer, "InboxApi", api, started)
    assert browser not in subscriptions.of_company(api.live_table, COMPANY)


def _change_many(system: Any, observer: CallObserver) -> None:
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
        answer = _watched(
            system,
            observer,
            "InboxApi",
            api,
            asked("POST", "/inbox/bulk", person, body=body, request_id=f"change-{context}"),
        )
        assert answer["statusCode"] == 202, answer
        started = last_run("bulk", person)
        _watched(system, observer, "InboxApi", api, started)
    _watched(system, observer, "InboxApi", api, {"time": "2026-01-01T12:05:00Z"})
    answer = _watched(
        system, observer, "InboxApi", api, asked("GET", "/inbox/bulk", "user:whatsapp")
    )
    assert json.loads(answer["body"])["result"]["change"]["refused"] == 1, answer


def _request_person(system: Any, observer: CallObserver) -> None:
    """
    An export, and an erasure of a person who writes again meanwhile; a failing call of each context, which the emulated
    account does not have.
    """
    api = imported("console.handlers.api", environment("InboxApi", **STAGE))
    person = {"phone": f"+{ADA.wa_id}"}
    email = str(properties("EmailBucket", **STAGE)["BucketName"])
    newsletters = str(properties("NewslettersBucket", **STAGE)["BucketName"])
    for bucket, key in ((email, "exports/acme/1.jsonl"), (newsletters, "subjects/acme/1.jsonl")):
        system.s3.create_bucket(Bucket=bucket)
        system.s3.put_object(Bucket=bucket, Key=key, Body=b"{}")
    job = PartJob(
        job_id="1",
        is_done=True,
        requested_at="2999-01-01T00:00:00.000Z",
        finished_at="2020-01-01T00:00:00.000Z",
        counts={},
        receipt=None,
        left=[],
        bucket=email,
        prefix="exports/acme/",
    ).model_dump(mode="json")
    beside = {"bucket": newsletters, "prefix": "subjects/acme/"}
    answers = {"known": {"names": [], "has_passed_on": False}, "since": job, "stored": job}
    names = {"subjects": [{"name": "1", "job_id": "1"}]}

    shown = Head(
        company_id=COMPANY,
        context=Context.WHATSAPP,
        reference="since",
        channel=Channel.WHATSAPP,
        address="1",
        last_activity_at="2026-01-01T12:00:00.000Z",
        status="open",
    )
    claims = [Claim(identifier(IdentifierKind.PHONE, person["phone"]), Proof.PROVIDER)]
    contacts, inbox = (
        Table(system.dynamodb, str(properties(name, **STAGE)["TableName"]))
        for name in ("ContactsTable", "InboxTable")
    )
    contact = resolve(contacts, COMPANY, claims, clock.now_ms())
    listed = Entry.of(shown).model_copy(update={"contact_id": contact, "contact_order": "1"})
    inbox.put(listed.attributes())

    def ask(function: ContextFunction, call: Any) -> Any:
        if call.call == "stored" and "newsletters" in function.name:
            return job | beside
        if call.call == "heads":
            return [
                shown.model_dump(mode="json") if one == shown.reference else None
                for one in call.references
            ]
        return (answers | names)[call.call]

    for kind in ("export", "erase"):
        body = {"kind": kind, "subject": person, "reason": "asked"}
        event = asked("POST", "/privacy/requests", body=body, request_id=f"request-{kind}")
        with mock.patch.object(ContextFunction, "ask", ask):
            answer = _watched(system, observer, "InboxApi", api, event)
            assert answer["statusCode"] == 202, answer
            request_id = json.loads(answer["body"])["result"]["id"]
            run = last_run("person", request_id)
            stage = ""
            while stage != "done":
                _watched(system, observer, "InboxApi", api, run)
                system.clock.ms += 60_000
                event = asked("GET", f"/privacy/requests/{request_id}")
                answer = _watched(system, observer, "InboxApi", api, event)
                stage = json.loads(answer["body"])["result"]["stage"]

    def ask_each() -> dict[str, Any]:
        for function in api.OF_PARTS.values():
            with suppress(Transient):
                RemotePart("any", function).stored("1")
        return {}

    with mock.patch.object(api, "handler", side_effect=lambda *_: ask_each()):
        _watched(system, observer, "InboxApi", api, {})
    _watched(system, observer, "InboxApi", api, asked("GET", "/privacy/requests"))


def last_run(kind: str, name: str) -> dict[str, Any]:
    """The event of a run that starts no other one."""
    job = Job(kind=kind, company=COMPANY, name=name)
    return {STARTED: Run(job=job, number=MOST_RUNS).model_dump(mode="json")}


def _save_views(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """As many views as a person may have, and one more, whose call leaves nothing."""
    with suppress(ClientError):  # Another system in the same process may have made it.
        create_table(system.dynamodb, "AuditLogTable", **STAGE)
    statuses = []
    for number in range(MOST_VIEWS + 1):
        body = {"name": f"View {number}", "filters": {"status": "open"}}
        event = asked("POST", "/inbox/views", body=body, request_id=f"save-view-{number}")
        answer = _watched(system, observer, "InboxApi", api, event)
        statuses.append(answer["statusCode"])
    assert statuses == [200] * MOST_VIEWS + [400]
    answer = _watched(system, observer, "InboxApi", api, asked("GET", "/inbox/views"))
    assert answer["statusCode"] == 200, answer


def _look_at_notifications(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """The list of a person and a team, what is read, settings, browsers that get pushes, and a push."""
    answer = _watched(
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
        answer = _watched(system, observer, "InboxApi", api, event)
        assert answer["statusCode"] == 200, answer
    answer = _watched(system, observer, "InboxApi", api, asked("GET", "/inbox/notifications/push"))
    assert answer["statusCode"] == 200, answer


def _change_contacts(system: Any, observer: CallObserver, api: ModuleType, contact: str) -> None:
    """A contact is created, extended, merged and separated, loses an identifier, and has notes, values and consent."""
    with suppress(ClientError):  # Another system in the same process may have made it.
        create_table(system.dynamodb, "ConversationLogTable", **STAGE)

    call = _caller(system, observer, api)
    mail, number = (
        {"kind": "email", "value": "ada@example.org"},
        {"kind": "phone", "value": "+447700900166"},
    )
    other = call("POST /contacts", {"name": "Ada B", "identifiers": [mail]})["contactId"]
    call("PUT /attributes/tier", {"kind": "choice", "title": "Tier", "choices": ["gold"]})
    call(f"PATCH /contacts/{other}", {"attributes": {"tier": "gold"}, "labels": ["vip"]})
    of_other = call(f"POST /contacts/{other}/identifiers", number)["identifiers"]
    (named,) = (one for one in of_other if one["kind"] == "phone")
    merged = call(f"POST /contacts/{contact}/merge", {"contactId": other})["mergeId"]
    call(f"POST /contacts/merges/{merged}/undo")
    call(f"DELETE /contacts/{other}/identifiers/{named['identifierId']}")
    listed = f"/contacts/lists/{call('POST /contacts/lists', {'name': 'Regulars'})['listId']}"
    call(f"PATCH {listed}", {"name": "Friends"})
    call(f"POST {listed}/members", {"contactIds": [other, contact]})
    for path in ("/contacts/lists", f"{listed}/members", f"/contacts/{other}/lists"):
        call(f"GET {path}")
    call(f"DELETE {listed}/members/{other}")
    call(f"DELETE {listed}")
    job = last_run("list", listed.rsplit("/", maxsplit=1)[-1])
    _watched(system, observer, "InboxApi", api, job)
    note = call(f"POST /contacts/{other}/notes", {"text": "Likes tea"})["noteId"]
    call(f"PATCH /contacts/{other}/notes/{note}", {"text": "Likes coffee"})
    call(f"DELETE /contacts/{other}/notes/{note}")
    said = {"channel": "sms", "state": "opted_out", "evidence": "said so"}
    call(f"POST /contacts/{contact}/consents", said)
    for part in ("notes", "changes", "consents", "tickets"):
        call(f"GET /contacts/{contact}/{part}")
    call("GET /attributes")
    call("DELETE /attributes/tier")


def _select_contacts(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """Segments are made, counted and read; contacts are imported and exported."""
    call = _caller(system, observer, api)
    vip = {"field": "label", "operator": "is", "value": "vip"}
    vips = call("POST /contacts/segments", {"name": "VIPs", "conditions": vip})["segmentId"]
    call("POST /contacts/segments/count", {"conditions": vip})
    call(f"PATCH /contacts/segments/{vips}", {"name": "Guests"})
    for path in ("", f"/{vips}", f"/{vips}/count", f"/{vips}/members"):
        call(f"GET /contacts/segments{path}")
    call(f"DELETE /contacts/segments/{vips}")
    form = call("POST /contacts/imports")
    rows = b"phone,name\n+447700900167,Cy\n0770,Di\n"
    system.s3.put_object(Bucket=api.exports.name, Key=form["fields"]["key"], Body=rows)
    imported = f"/contacts/imports/{form['importId']}"
    call(f"POST {imported}/preview")
    attested = {"channels": ["sms"], "source": "a form", "given_at": "2026-01-01T00:00:00Z"}
    call(f"POST {imported}/start", {"columns": ["phone", "name"], "consent": attested})
    _watched(system, observer, "InboxApi", api, last_run("import", form["importId"]))
    assert call(f"GET {imported}")["created"] == 1
    call(f"GET {imported}/rows")
    exported = call("POST /contacts/exports", {"format": "jsonl"})["exportId"]
    _watched(system, observer, "InboxApi", api, last_run("export", exported))
    assert call(f"GET /contacts/exports/{exported}")["link"]


def _caller(system: Any, observer: CallObserver, api: ModuleType) -> Callable[..., Any]:
    """Return the function that calls a route of the inbox, under a key of its own, and returns the result."""

    def call(line: str, body: Mapping[str, Any] | None = None) -> Any:
        method, path = line.split(" ")
        event = asked(method, path, body=body or {}, request_id=f"change-{method}-{path}")
        answer = _watched(system, observer, "InboxApi", api, event)
        assert answer["statusCode"] in {200, 202}, answer
        return json.loads(answer["body"])["result"]

    return call


def _employ() -> None:
    """A person in the user pool, whose id in the login settings is that of the template."""
    direct = boto3.Session()
    cognito = direct.client("cognito-idp")
    made = cognito.create_user_pool(PoolName="parley-local")["UserPool"]["Id"]
    pools = cognitoidp_backends[ACCOUNT][REGION].user_pools
    pools["UserPool"] = pools[made]
    People(cognito, "UserPool").create("ada@acme.example", [f"{COMPANY}:agent"], invites=False)
    put_parameter(direct.client("ssm"), "LoginSettings", **STAGE)


def asked(
    method: str,
    path: str,
    principal: str = "api-key:1",
    *,
    body: Mapping[str, Any] | None = None,
    request_id: str = "",
    **query: str,
) -> dict[str, Any]:
    """A call of the API."""
    conversations = {"whatsapp:read", "conversations:read", "email_threads:read"}
    reads = {*conversations, "contacts:read", "richpanel:read"}
    consent = {"consent:read", "consent:write"}
    writes = {"whatsapp:write", "contacts:write", "contacts:admin", "privacy:admin"}
    scopes = frozenset({*reads, *consent, *writes})
    reader = Caller(company=COMPANY, scopes=scopes, principal=principal)
    return inbox_call(
        method, path, reader, query, body, {"Idempotency-Key": request_id} if request_id else {}
    )


def _watched(
    system: Any, observer: CallObserver, function: str, module: ModuleType, event: dict[str, Any]
) -> Any:
    with mock.patch.object(system.interceptor, "observer", observer.note):
        answer = observer.watching(function, module.handler)(event, Invocation())
    assert not answer.get("batchItemFailures"), answer
    return answer


def _empty(dynamodb: Any, table: str) -> None:
    schema = dynamodb.describe_table(TableName=table)["Table"]["KeySchema"]
    names = [part["AttributeName"] for part in schema]
    for item in dynamodb.scan(TableName=table)["Items"]:
        dynamodb.delete_item(TableName=table, Key={name: item[name] for name in names})
