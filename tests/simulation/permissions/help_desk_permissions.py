"""Scenarios that make the functions of the help desk use every AWS permission, over moto and the provider sandbox."""

from __future__ import annotations

import json
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest import mock
from urllib.parse import quote

import boto3

import shared.runtime.clock
from local.sandbox.accounts.tickets import CommentSeed, TicketSeed
from richpanel.decisions.templates.catalogue import ASK_ORDER_NUMBER
from richpanel.inbound.channels import Channel
from richpanel.inbound.wakeups import WakeupEvent
from richpanel.store import audits
from richpanel.store.items import TTL_ATTRIBUTE, Event
from richpanel.store.rate_limit import Limiter
from shared.api.auth import Caller, Scope
from shared.aws.dynamodb import Table
from shared.identity.contacts import resolution
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.identifiers import IdentifierKind, identifier
from tests import keyring
from tests.aws import api_gateway
from tests.simulation import stored
from tests.simulation.person_calls import ask_part, asked_for
from tests.simulation.processes import imported
from tests.simulation.whatsapp.system import Invocation
from tests.template import (
    create_audit_log,
    create_queue,
    create_table,
    environment,
    properties,
    resources,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.simulation.permissions.permissions import CallObserver
    from tests.simulation.whatsapp.system import System

OPERATOR = Caller(company="acme", scopes=frozenset(Scope), principal="api-key:1")
HOST = Caller(company="acme", scopes=frozenset(Scope), principal="user:host")
QUEUES = ("RichpanelQueue", "RichpanelLiveQueue", "RichpanelDeadLetters")
TABLES = (
    "RichpanelIdempotencyTable",
    "RichpanelConversationStateTable",
    "RichpanelAuditActionsTable",
    "ConversationLogTable",
)
JANE = "jane@shop.example"
DISPUTE = "I have told my bank to open a chargeback for this payment."


class OneSecondLeft(Invocation):
    """A Lambda context with one second left."""

    def get_remaining_time_in_millis(self) -> int:
        """Enough time only for the response."""
        return 1_000


@dataclass
class HelpDeskDeployment:
    """Tables, queues, switches and secrets of the template in moto, and handlers whose AWS operations are recorded."""

    system: System
    observer: CallObserver
    given: dict[str, str]
    urls: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        direct_session = boto3.Session()  # Calls of this setup are not calls of a function.
        self.sqs: Any = direct_session.client("sqs")
        self.ssm: Any = direct_session.client("ssm")
        dynamodb = direct_session.client("dynamodb")
        for table in TABLES:
            create_table(dynamodb, table, **self.given)
        create_audit_log(dynamodb, **self.given)
        self.events, self.state, self.audit = (
            Table(dynamodb, self._name(table), TTL_ATTRIBUTE) for table in TABLES[:3]
        )
        self.contacts = Table(dynamodb, self._name("ContactsTable"))
        for queue in QUEUES:
            self.urls[queue] = create_queue(self.sqs, queue, **self.given)
        policy = json.dumps(properties("RichpanelQueue", **self.given)["RedrivePolicy"])
        self.sqs.set_queue_attributes(
            QueueUrl=self.urls["RichpanelQueue"], Attributes={"RedrivePolicy": policy}
        )
        for parameter in resources("AWS::SSM::Parameter"):
            wanted = properties(parameter, **self.given)
            self.ssm.put_parameter(
                Name=wanted["Name"], Value=wanted["Value"], Type="String", Overwrite=True
            )
        secrets = direct_session.client("secretsmanager")
        known = {secret["Name"] for secret in secrets.list_secrets()["SecretList"]}
        for secret, value in (
            ("RichpanelKeys", {"richpanel": "a key", "salt": "of the simulation"}),
            ("RichpanelWebhookSecret", {"active_tokens": "the first"}),
            ("ApiSealSecret", {"seal_key": "sealed"}),
            ("IdentifierKeysSecret", keyring.SECRET),
        ):
            name = properties(secret, **self.given)["Name"]
            if name not in known:
                secrets.create_secret(Name=name, SecretString=json.dumps(value))

    def handler(self, function: str) -> Callable[..., Any]:
        """A function of the template, in its own simulated process."""
        module, _, name = properties(function, **self.given)["Handler"].rpartition(".")
        started = imported(module, environment(function, **self.given))
        return self.observer.watching(function, getattr(started, name))

    def ticket(
        self, name: str, text: str, channel: str = "email", sender: str | None = None
    ) -> None:
        """A customer's message, three minutes old."""
        at = shared.runtime.clock.to_text(self.system.clock.ms - 180_000)
        comment = CommentSeed(id=f"{name}-1", body=text, created_at=at)
        seed = TicketSeed(
            id=name, channel=channel, comments=[comment], updated_at=at, sender=sender
        )
        self.system.sandbox.help_desk.seed(seed, at)

    def know_customer(self) -> None:
        """A contact with Jane's number and address, which no address finds yet."""
        claims = [
            Claim(identifier(kind, value), Proof.COMPANY)
            for kind, value in (
                (IdentifierKind.PHONE, "+447700900121"),
                (IdentifierKind.EMAIL, JANE),
            )
        ]
        with keyring.held(keyring.Keys(keyring.KEY)):
            resolution.resolve(self.contacts, OPERATOR.company, claims, self.system.clock.ms)

    def use_up_attempts(self, queue: str) -> None:
        """Put a message on a queue that has killed every run so far."""
        self.sqs.send_message(
            QueueUrl=self.urls[queue],
            MessageBody="{}",
            MessageGroupId="fatal",
            MessageDeduplicationId="fatal",
        )
        (message,) = self.sqs.receive_message(QueueUrl=self.urls[queue], VisibilityTimeout=0)[
            "Messages"
        ]
        stored.restore_attempts({message["MessageId"]: 99})

    def drain(self, handler: Callable[..., Any], queue: str) -> None:
        """Invoke the worker with one message of a queue, as the event source does."""
        (message,) = self.sqs.receive_message(
            QueueUrl=self.urls[queue], MessageSystemAttributeNames=["All"]
        )["Messages"]
        record = {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message["Attributes"],
            "messageAttributes": {},
            "eventSource": "aws:sqs",
            "eventSourceARN": f"arn:aws:sqs:us-east-1:123456789012:{self._name(queue)}",
            "awsRegion": "us-east-1",
        }
        failed = handler({"Records": [record]}, Invocation())["batchItemFailures"]
        where = {"QueueUrl": self.urls[queue], "ReceiptHandle": message["ReceiptHandle"]}
        if failed:
            self.sqs.change_message_visibility(**where, VisibilityTimeout=0)
        else:
            self.sqs.delete_message(**where)

    def put(self, queue: str, wakeup: WakeupEvent) -> None:
        """A message for one of the queues."""
        self.sqs.send_message(
            QueueUrl=self.urls[queue],
            MessageBody=wakeup.as_entry().body,
            MessageGroupId=wakeup.conversation_id,
            MessageDeduplicationId=wakeup.deduplication,
        )

    def switch(self, name: str, text: str) -> None:
        """Set a switch."""
        self.ssm.put_parameter(
            Name=f"/parley/local/richpanel/{name}", Value=text, Type="String", Overwrite=True
        )

    def open_switches(self) -> None:
        """All switches that a reply depends on."""
        self.switch("safe_mode", "false")
        self.switch("automation_enabled", "true")
        self.switch("automation_enabled_channels", "email")
        self.switch("template_enabled", json.dumps({ASK_ORDER_NUMBER: True}))
        self.switch("outbound_scope", "all")
        # The order is looked up first.
        self.switch("tier2_channels", "email")
        self.switch("tier2_paths", "linked")

    def close_the_help_desk(self, *, for_ms: int) -> None:
        """As after a 429: calls are blocked for this time."""
        Limiter(self.state).close(str(for_ms // 1_000))

    def _name(self, queue_or_table: str) -> str:
        wanted = properties(queue_or_table, **self.given)
        return str(wanted.get("QueueName") or wanted["TableName"])


@contextmanager
def help_desk_deployment(system: System, observer: CallObserver) -> Iterator[HelpDeskDeployment]:
    """The deployment, with clients whose operations are all recorded, and a clock that sleeping advances."""
    system.reset()
    session = boto3.Session()

    def note(params: dict[str, Any], event_name: str, **_: Any) -> None:
        observer.note(event_name.partition(".")[2], params)

    session.events.register("before-parameter-build", note)
    given = {
        "Stage": "local",
        "SandboxUrl": system.sandbox.url,
        "RichpanelAccount": json.dumps({"bot_author_id": "bot-1", "company": OPERATOR.company}),
    }
    with (
        mock.patch.object(boto3, "DEFAULT_SESSION", session),
        mock.patch.object(
            shared.runtime.clock, "sleep_ms", lambda ms: system.clock.sleep(ms / 1_000)
        ),
    ):
        yield HelpDeskDeployment(system, observer, given)


def exercise_help_desk(system: System, observer: CallObserver) -> None:
    """The sweep finds a mail and a chat without webhooks; then operators call every route and command."""
    with help_desk_deployment(system, observer) as deployment:
        deployment.know_customer()
        deployment.ticket("t-1", DISPUTE, sender=JANE)
        deployment.ticket("t-2", "Where is my order?", channel="livechat")
        sweep_and_work(deployment)
        assert "mw-processed" in system.sandbox.help_desk.tickets["t-1"].tags
        answer(deployment)
        operate(deployment)


def sweep_and_work(deployment: HelpDeskDeployment) -> None:
    """At first calls of the help desk are blocked: the worker schedules one retry of both."""
    deployment.switch("dry_run", "false")
    sweep, worker = deployment.handler("RichpanelSweep"), deployment.handler("RichpanelWorker")
    sweep({"time": "2026-03-02T13:05:00Z"}, Invocation())
    deployment.close_the_help_desk(for_ms=120_000)
    for _ in range(2):
        for queue in ("RichpanelQueue", "RichpanelLiveQueue"):
            deployment.drain(worker, queue)
        deployment.system.clock.sleep(180)
    # A worker crashed before its last write; the redelivery reads the decision from the audit.
    unfinished = {"status": "processing", "lease_owner": "the dead", "lease_until": 0}
    deployment.events.update({"event_id": "evt:rp:t-1:t-1-1"}, put=unfinished)
    deployment.put(
        "RichpanelQueue",
        WakeupEvent(
            conversation_id="t-1", channel=Channel.EMAIL, source="sweep", deduplication="again"
        ),
    )
    deployment.drain(worker, "RichpanelQueue")
    deployment.use_up_attempts("RichpanelQueue")
    deployment.drain(worker, "RichpanelQueue")
    deployment.sqs.purge_queue(QueueUrl=deployment.urls["RichpanelDeadLetters"])


def answer(deployment: HelpDeskDeployment) -> None:
    """A mail is answered after a lookup of its sender's opt-out in conversations."""
    deployment.open_switches()
    deployment.ticket("t-3", "Where is my order?", sender="jane@shop.example")
    wakeup = WakeupEvent(
        conversation_id="t-3", channel=Channel.EMAIL, source="sweep", deduplication="3"
    )
    deployment.put("RichpanelQueue", wakeup)
    deployment.drain(deployment.handler("RichpanelWorker"), "RichpanelQueue")
    assert "mw-auto-replied" in deployment.system.sandbox.help_desk.tickets["t-3"].tags


def _answer_request(deployment: HelpDeskDeployment, handler: Callable[..., Any]) -> None:
    """The calls of a request about a person over all contexts: an export, then an erasure with its wait."""
    company = OPERATOR.company

    def ask(call: str, **fields: Any) -> Any:
        return ask_part(handler, Invocation(), call, **fields)

    for kind in ("export", "erase"):
        asked_of = asked_for(kind, company)
        names = [["email", "jane@shop.example"]]
        (subject,) = ask("subjects", kind=kind, company=company, names=names)
        job: Any = {"is_done": False}
        while not job["is_done"]:
            job = ask("since", asked=asked_of, subject=subject["name"], queues=True)
            deployment.system.clock.ms += 80_000
        assert ask("stored", job_id=subject["job_id"])["counts"] == {"customers": 1}


def operate(deployment: HelpDeskDeployment) -> None:
    """Every route of the admin API; one conversation was parked, and each queue has a dead letter."""
    handler = deployment.handler("RichpanelAdmin")
    parked = deployment.events.update({"event_id": "evt:rp:t-2:t-2-1"}, put={"status": "parked"})
    audits.list_parked(deployment.audit, Event.read(parked), "too_large")
    for channel in ("email", "livechat"):
        wakeup = WakeupEvent(
            conversation_id="t-1",
            channel=Channel(channel),
            source="sweep",
            deduplication=channel,
        )
        deployment.put("RichpanelDeadLetters", wakeup)

    def ask(line: str, status: int, body: Any = None, **query: str) -> None:
        answer = handler(asked(line, body, **query), Invocation())
        assert answer["statusCode"] == status, answer["body"]

    ask("GET /admin/richpanel/health", 200)
    ask("GET /admin/richpanel/account", 200)
    for line, body in (
        ("POST /admin/richpanel/keys", {"richpanel": "a-key"}),
        ("POST /admin/richpanel/webhook-tokens", None),
    ):
        answer = handler(_asked_by(HOST, line, body), Invocation())
        assert answer["statusCode"] == 200, answer["body"]
    ask("GET /admin/richpanel/switches", 200)
    ask("PUT /admin/richpanel/switches", 200, {"auto_close_enabled": True})
    ask("PUT /admin/richpanel/settings", 200, {"based_on": 0, "settings": {"languages": ["en"]}})
    ask("GET /admin/richpanel/settings/versions", 200)
    ask("POST /admin/richpanel/conversations/t-1/replay", 200, {"mode": "dry_run"})
    ask("POST /admin/richpanel/conversations/t-3/replay", 200, {"mode": "dry_run"})
    ask("POST /admin/richpanel/conversations/t-2/replay", 202, {"mode": "repair"})
    ask("POST /admin/richpanel/conversations/t-1/clear-risk", 200)
    ask("GET /admin/richpanel/conversations/t-1", 200, limit="1")  # of two: there is a cursor
    ask("DELETE /admin/richpanel/conversations/t-1", 200)
    ask("POST /admin/richpanel/conversations/unknown/clear-risk", 404)
    _answer_request(deployment, handler)
    listed = handler(asked("GET /richpanel/parked"), Invocation())
    (event,) = json.loads(listed["body"])["result"]["events"]
    ask(f"POST /richpanel/parked/{quote(event['eventId'], safe='')}/replay", 202)
    ask("POST /richpanel/parked/replay", 202)
    ask("GET /richpanel/dead-letters", 200)
    for run in (
        OneSecondLeft(),
        Invocation(),
    ):  # The first redrives one dead letter and keeps the other.
        answer = handler(asked("POST /richpanel/dead-letters/redrive"), run)
        assert len(json.loads(answer["body"])["result"]["letters"]) == 1


def asked(line: str, body: Any = None, **query: str) -> dict[str, Any]:
    """API Gateway's event of a request (`GET /path`) with the authorizer's context."""
    return _asked_by(OPERATOR, line, body, query)


def _asked_by(
    who: Caller, line: str, body: Any, query: dict[str, str] | None = None
) -> dict[str, Any]:
    return api_gateway.request(line, body, who, query=query, request_id=str(uuid.uuid4()))
