"""
A simulated mail system: ingest and worker over moto, in-memory queues, the provider sandbox, one clock.

A test delivers mails and events as SES does, runs workers, kills them, and compares final states.
"""

from __future__ import annotations

import json
import random
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import boto3
from boto3.dynamodb.types import TypeDeserializer

from email_threads.store import mailboxes
from email_threads.store.items import Automation, Mailbox
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry
from shared.runtime import clock as shared_clock
from tests.simulation import stored
from tests.simulation.clock import Clock
from tests.simulation.fifo_queues import FifoQueues
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet
from tests.simulation.stored import attempts as attempts_now
from tests.simulation.workers import Workers

if TYPE_CHECKING:
    from types import ModuleType

    from local.sandbox import Sandbox

COMPANY = "acme"
MAILBOX = "support@shop.example"
AUTOMATED = "hello@shop.example"
ASSISTED = "desk@shop.example"  # a model drafts answers, people approve them
MODEL_KEY = "parley/local/companies/acme/openai"
MODEL = {"provider": "openai", "model": "gpt-made-up", "api_key_reference": MODEL_KEY}
SWITCHES = {"safe_mode": "false", "automation_enabled": "true"}
SCOPES = "email_threads:read email_threads:write email_threads:approve email_threads:admin"
ANN, BOB = "ann@orchard.example", "bob@mill.example"
VERDICTS = """Return-Path: <{sender}>
Received: from mail by inbound-smtp.eu-west-1.amazonaws.com with SMTP id 1 for {to}; Mon, 2 Nov 2026 12:00:00 +0000
X-SES-Spam-Verdict: {spam}
X-SES-Virus-Verdict: {virus}
Authentication-Results: amazonses.com; spf=pass; dmarc={dmarc} header.from={domain}
X-SES-RECEIPT: AE
"""

_deserialize = TypeDeserializer().deserialize

type Rows = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of a system."""

    ms: int
    items: Rows
    logs: dict[str, list[dict[str, Any]]]
    objects: dict[str, dict[str, bytes]]
    fifo_queues: FifoQueues
    attempts: dict[str, int] = field(default_factory=attempts_now)


@dataclass(kw_only=True)
class System(Workers):
    """
    Everything a handler can reach, and the handlers. *table* and *bucket* are names; *inbound* is the queue of S3's
    notifications and SES's events, *queue* that of the worker; *conversations* and *statuses* are those of the AI
    conversations, which have no worker here, *log* their table; *spending* has the costs that outsiders have caused.
    """

    sandbox: Sandbox

    ingest: ModuleType
    worker: ModuleType
    scheduled: ModuleType
    api: ModuleType
    table: str
    bucket: str
    media: str
    inbound: str
    queue: str
    conversations: str
    statuses: str
    log: str
    spending: str

    def __post_init__(self) -> None:
        # Not through the interceptor: reads of the tests are not calls of the handlers.
        direct_session = boto3.Session()
        self.dynamodb = direct_session.client("dynamodb")
        self.s3 = direct_session.client("s3")
        self.ssm = direct_session.client("ssm")
        self._initial: Snapshot | None = None

    def reset(self) -> System:
        """Reset to the initial state: three mailboxes, open switches, nothing else."""
        if self._initial is None:
            self._initial = self._set_up()
        self.restore(self._initial)
        self.switch(**SWITCHES)
        return self

    def _set_up(self) -> Snapshot:
        self.clock.ms = Clock().ms
        self.grant("@shop.example")
        self.register(MAILBOX)
        self.register(AUTOMATED, automation=Automation.CONVERSATIONS)
        self.register(ASSISTED, automation=Automation.EMAIL_THREADS, ai=MODEL)
        return self.snapshot()

    def new_process(self) -> None:
        """A cold start: the state in memory is lost."""
        self.interceptor.revive()
        self.api.seal_secret._value = None
        self.worker.resources.models.credentials._cache.clear()
        self.worker.resources.switches.provider().clear_cache()
        self.worker.resources.owners.forget()
        random.seed(0)  # pauses between attempts: a scenario makes the same calls every time

    def snapshot(self) -> Snapshot:
        """Take a snapshot of the system to start from repeatedly."""
        objects = {name: stored.objects_of(name) for name in (self.bucket, self.media)}
        logs = {name: list(stored.items_of(name)) for name in (self.log, self.spending)}
        return Snapshot(self.clock.ms, self._stored(), logs, objects, self.fifo_queues.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot, with new processes and no injected failures."""
        self.clock.ms = snapshot.ms
        self.fifo_queues = self.interceptor.queue = snapshot.fifo_queues.copy()
        self.sandbox.reset()
        self._write(snapshot.items, snapshot.logs, snapshot.objects)
        stored.restore_attempts(snapshot.attempts)
        self.new_process()
        self.interceptor.rewind()

    # People and providers

    def switch(self, **texts: str) -> None:
        """Set kill switches; every process reads them at once."""
        for name, text in texts.items():
            self.ssm.put_parameter(
                Name=f"/parley/local/email-threads/{name}",
                Value=text,
                Type="String",
                Overwrite=True,
            )
        self.worker.resources.switches.provider().clear_cache()

    def sent(self) -> list[dict[str, Any]]:
        """The requests that SES accepted, oldest first, each with its `ses_id`."""
        requests = [one for one in self.sandbox.sent if one.provider == "ses"]
        found: list[Any] = [(one.body, one.answer) for one in requests]
        return [{**body, "ses_id": answer["MessageId"]} for body, answer in found]

    def report(
        self, event: str, number: int = 0, part: dict[str, Any] | None = None, **mail: Any
    ) -> None:
        """SES reports an event of the sent mail with this number; *part* are the details, *mail* replaces fields."""
        request = self.sent()[number] if self.sent() else {}
        tags = {tag["Name"]: [tag["Value"]] for tag in request.get("EmailTags", [])}
        at = {"timestamp": shared_clock.to_text(self.clock.ms)}
        body = {
            "eventType": event,
            "mail": {
                "messageId": request.get("ses_id"),
                "source": request.get("FromEmailAddress", ""),
                "tags": tags,
                **at,
                **mail,
            },
            event[0].lower() + event[1:]: {**at, **(part or {})},
        }
        self.fifo_queues.put(self.inbound, Entry(json.dumps(body), "", ""))

    def grant(self, text: str, company: str = COMPANY) -> None:
        """An operator grants a domain (`@shop.example`) or an address to a company."""
        granted = claims.new(company, Proof.GRANTED)
        claims.hand_over(Table(self.dynamodb, self.log), ids.email(text), granted)
        self.worker.resources.owners.forget()

    def revoke(self, text: str, company: str = COMPANY) -> None:
        """An operator ends the ownership of a domain or an address; nothing else is removed."""
        assert claims.release(Table(self.dynamodb, self.log), ids.email(text), company)
        self.worker.resources.owners.forget()

    def register(self, address: str, company: str = COMPANY, **more: Any) -> None:
        """Register a mailbox."""
        mailbox = Mailbox(
            conversation_id=Mailbox.of(address)["conversation_id"],
            address=address,
            company_id=company,
            **more,
        )
        mailboxes.put(Table(self.dynamodb, self.table), mailbox)

    def store(self, raw: bytes, *, name: str, address: str = "_") -> str:
        """Store a raw mail as SES does, without telling ingest; return its key."""
        key = f"raw/{address}/{name}"
        self.s3.put_object(Bucket=self.bucket, Key=key, Body=raw)
        return key

    def notify(
        self, *keys: str, sizes: dict[str, int] | None = None, bucket: str | None = None
    ) -> None:
        """S3 tells about stored objects, in one notification."""
        records = [
            {
                "eventName": "ObjectCreated:Put",
                "eventTime": shared_clock.to_text(self.clock.ms),
                "s3": {
                    "bucket": {"name": bucket or self.bucket},
                    "object": {
                        "key": key.replace("+", "%2B").replace(" ", "+").replace("@", "%40"),
                        "size": (sizes or {}).get(key, len(self.object(key) or b"")),
                        "eTag": "0123",
                    },
                },
            }
            for key in keys
        ]
        self.fifo_queues.put(self.inbound, Entry(json.dumps({"Records": records}), "", ""))

    def deliver(self, raw: bytes, *, name: str, address: str = "_") -> str:
        """Store a raw mail and tell about it; return its key."""
        key = self.store(raw, name=name, address=address)
        self.notify(key)
        return key

    def run_schedule(self) -> None:
        """The schedule invokes its function."""
        with quiet():
            self.scheduled.handler({}, Invocation(self.clock))

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        scopes: str = SCOPES,
        company: str = COMPANY,
        query: dict[str, str] | None = None,
        key: str | None = None,
    ) -> tuple[int, dict[str, Any]]:
        """Call the API; return status and body."""
        event = {
            "resource": "/email-threads/{proxy+}",
            "httpMethod": method,
            "path": path,
            "headers": {"Idempotency-Key": key} if key else {},
            "queryStringParameters": query,
            "multiValueQueryStringParameters": {n: [v] for n, v in (query or {}).items()} or None,
            "body": json.dumps(body) if body is not None else None,
            "isBase64Encoded": False,
            "requestContext": {
                "requestId": f"request-{uuid.uuid4()}",
                "authorizer": {
                    "company": company,
                    "principal": "key-1",
                    "scopes": scopes,
                    "projects": "*",
                },
            },
        }
        with quiet():
            answer = self.api.handler(event, Invocation(self.clock, lasts_ms=29_000))
        return answer["statusCode"], json.loads(answer["body"])

    # Final state

    def rows(self) -> Rows:
        """All items of the table by key, as plain values."""
        return {
            key: {name: _deserialize(value) for name, value in item.items()}
            for key, item in self._stored().items()
        }

    def threads(self) -> list[dict[str, Any]]:
        """All heads."""
        return [row for row in self.rows().values() if "status" in row]

    def drafts(self) -> list[dict[str, Any]]:
        """All drafts, oldest change first."""
        found = [row for key, row in self.rows().items() if "#draft#" in key]
        return sorted(found, key=lambda row: str(row["updated_at"]))

    def mails(self, thread: str | None = None) -> list[dict[str, Any]]:
        """All mails, or those of a thread, by key."""
        rows = sorted(self.rows().items())
        return [row for key, row in rows if f"{thread or ''}#mail#" in key]

    def parked(self) -> list[dict[str, Any]]:
        """All parked events."""
        return [row for key, row in self.rows().items() if key.startswith("parked#")]

    def objects(self) -> dict[str, bytes]:
        """All objects of the bucket of mails."""
        return stored.objects_of(self.bucket)

    def object(self, key: str) -> bytes | None:
        """One object of the bucket of mails."""
        return self.objects().get(key)

    def forwarded(self) -> list[dict[str, Any]]:
        """The events that wait for the AI conversations."""
        messages = self.fifo_queues.queues[self.conversations].messages
        return [json.loads(message.body) for message in messages]

    def consent(self) -> list[dict[str, Any]]:
        """The consent records of the company, and the addresses that e-mail does not reach."""
        found = [
            {name: _deserialize(value) for name, value in item.items()}
            for item in stored.items_of(self.log)
        ]
        return [item for item in found if item.get("item_type") != claims.Claim.item_type]

    def spent(self) -> list[dict[str, Any]]:
        """All items of the table with the costs that outsiders have caused."""
        return [
            {name: _deserialize(value) for name, value in item.items()}
            for item in stored.items_of(self.spending)
        ]

    def reported(self) -> list[dict[str, Any]]:
        """The delivery statuses that wait for the AI conversations."""
        messages = self.fifo_queues.queues[self.statuses].messages
        return [json.loads(message.body) for message in messages]

    def _stored(self) -> Rows:
        return {item["conversation_id"]["S"]: item for item in stored.items_of(self.table)}

    def _write(
        self,
        wanted: Rows,
        logs: dict[str, list[dict[str, Any]]],
        objects: dict[str, dict[str, bytes]],
    ) -> None:
        """Replace the content of tables and buckets."""
        for name, items in logs.items():
            for item in list(stored.items_of(name)):
                stored.remove(name, item["pk"]["S"], item["sk"]["S"])
            for item in items:
                stored.put(name, item)
        now = self._stored()
        for key in now.keys() - wanted.keys():
            stored.take(self.table, key)
        for key, item in wanted.items():
            if now.get(key) != item:
                stored.put(self.table, item)
        for bucket, content in objects.items():
            stored.restore_objects(bucket, content)


def mail(
    message_id: str,
    body: str = "Hello.",
    *,
    sender: str = ANN,
    to: str = MAILBOX,
    subject: str = "Chairs",
    in_reply_to: str = "",
    references: str = "",
    dmarc: str = "pass",
    spam: str = "PASS",
    virus: str = "PASS",
    is_checked: bool = True,
    more: str = "",
) -> bytes:
    """A raw mail as SES stores it; ids without brackets, several separated by spaces. *more* are further fields."""
    block = VERDICTS.format(
        sender=sender,
        to=to,
        domain=sender.partition("@")[2].rstrip(">"),
        dmarc=dmarc,
        spam=spam,
        virus=virus,
    )
    fields = [
        block.rstrip("\n") if is_checked else "",
        f"From: {sender}",
        f"To: {to}",
        f"Subject: {subject}",
        f"Message-ID: <{message_id}>" if message_id else "",
        f"In-Reply-To: {_bracketed(in_reply_to)}" if in_reply_to else "",
        f"References: {_bracketed(references)}" if references else "",
        more,
    ]
    return ("\n".join(filter(None, fields)) + f"\n\n{body}").encode()


def _bracketed(ids: str) -> str:
    return " ".join(f"<{name}>" for name in ids.split())
