"""
A simulated mail system: ingest and worker over moto, in-memory queues, the provider sandbox, one clock.

A test delivers mails and events as SES does, runs workers, kills them, and compares final states.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from email_threads.store.configuration import mailboxes
from email_threads.store.items import Automation, Mailbox
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.api.auth import Caller
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry
from shared.runtime import clock as shared_clock
from tests import keyring
from tests.aws import api_gateway
from tests.simulation import processes, simulated_system, stored
from tests.simulation.invocations import Invocation
from tests.simulation.kernel import Parts
from tests.simulation.processes import quiet
from tests.simulation.queues.workers import Workers

if TYPE_CHECKING:
    from tests.simulation.queues.fifo_queues import FifoQueues

COMPANY = "acme"
MAILBOX = "support@shop.example"
AUTOMATED = "hello@shop.example"
ASSISTED = "desk@shop.example"  # a model drafts answers, people approve them
MODEL_KEY = "parley/local/companies/acme/openai"
MODEL = {"provider": "openai", "model": "gpt-made-up", "api_key_reference": MODEL_KEY}
SCOPES = "email_threads:read email_threads:write email_threads:approve email_threads:admin"
ANN, BOB = "ann@orchard.example", "bob@mill.example"
VERDICTS = """Return-Path: <{sender}>
Received: from mail by inbound-smtp.eu-west-1.amazonaws.com with SMTP id 1 for {to}; Mon, 2 Nov 2026 12:00:00 +0000
X-SES-Spam-Verdict: {spam}
X-SES-Virus-Verdict: {virus}
Authentication-Results: amazonses.com; spf=pass; dmarc={dmarc} header.from={domain}
X-SES-RECEIPT: AE
"""

type Rows = dict[str, dict[str, Any]]
type Snapshot = simulated_system.Snapshot[FifoQueues]


@dataclass(kw_only=True)
class System(Workers):
    """
    Everything a handler can reach, and the handlers. *table* and *bucket* are names; *inbound* is the queue of S3's
    notifications and SES's events, *queue* is the worker's; *conversations* and *statuses* belong to the AI
    conversations, which have no worker here, *log* their table.
    """

    parts: ClassVar = Parts(
        functions=(
            "EmailThreadsIngest",
            "EmailThreadsWorker",
            "EmailThreadsScheduled",
            "EmailThreadsApi",
        ),
        queues=(
            "EmailInboundQueue",
            "EmailThreadsQueue",
            "ConversationsInboundQueue",
            "ConversationsStatusesQueue",
            "NewsletterStepsQueue",
        ),
        tables={
            "threads": "EmailThreadsTable",
            "log": "ConversationLogTable",
            "spending": "SpendingTable",
            "canned": "WhatsAppTable",
            "contacts": "ContactsTable",
        },
        buckets=("EmailBucket", "MediaBucket"),
        secrets={
            "IdentifierKeysSecret": keyring.SECRET,
            "ApiSealSecret": {"seal_key": "sealed"},
            MODEL_KEY: {"ai_api_key": "a key"},
        },
        services=("SESV2",),
        switches_at="/parley/local/email-threads",
        switches={"safe_mode": "false", "automation_enabled": "true"},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.ingest, self.worker, self.scheduled, self.api = self.functions.values()
        self.table, self.log = self.tables["threads"], self.tables["log"]
        self.bucket, self.media = self.buckets
        self.inbound, self.queue, self.conversations, self.statuses, self.newsletters = (
            self.fifo_queues.queues
        )

    def prepare(self) -> None:
        """Three mailboxes, nothing else."""
        self.grant("@shop.example")
        self.register(MAILBOX)
        self.register(AUTOMATED, automation=Automation.CONVERSATIONS)
        self.register(ASSISTED, automation=Automation.EMAIL_THREADS, ai=MODEL)

    def new_process(self) -> None:
        super().new_process()
        self.api.seal_secret._value = None
        self.worker.resources.models.credentials._cache.clear()
        self.worker.resources.owners.forget()
        self.forget_switches()

    def forget_switches(self) -> None:
        processes.forget_switches(self.worker.resources.switches)

    # People and providers

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
        table = Table(self.dynamodb, self.table)
        assert mailboxes.put(table, mailbox, mailboxes.get(table, mailbox.address))

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
        principal: str = "key-1",
    ) -> tuple[int, dict[str, Any]]:
        """Call the API; return status and body."""
        event = api_gateway.request(
            f"{method} {path}",
            body,
            Caller(company=company, scopes=frozenset(scopes.split()), principal=principal),
            query=query,
            headers={"Idempotency-Key": key} if key else {},
            resource="/email-threads/{proxy+}",
            request_id=f"request-{uuid.uuid4()}",
        )
        with quiet():
            answer = self.api.handler(event, Invocation(self.clock, lasts_ms=29_000))
        return answer["statusCode"], json.loads(answer["body"])

    # Final state

    def rows(self) -> Rows:
        """All items of the table by key, as plain values."""
        return {key: row for (key,), row in self.plain("threads").items()}

    def threads(self) -> list[dict[str, Any]]:
        """All heads."""
        return [row for row in self.rows().values() if "status" in row]

    def drafts(self) -> list[dict[str, Any]]:
        """All drafts, oldest change first."""
        found = [row for key, row in self.rows().items() if "#draft#" in key]
        return sorted(found, key=lambda row: str(row["updated_at"]))

    def mails(self, thread: str | None = None) -> list[dict[str, Any]]:
        """All mails, or the mails of a thread, by key."""
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
        found = self.plain("log").values()
        return [item for item in found if item.get("item_type") != claims.Claim.item_type]

    def spent(self) -> list[dict[str, Any]]:
        """All items of the table with the costs that outsiders have caused."""
        return list(self.plain("spending").values())

    def reported(self) -> list[dict[str, Any]]:
        """The delivery statuses that wait for the AI conversations."""
        messages = self.fifo_queues.queues[self.statuses].messages
        return [json.loads(message.body) for message in messages]


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
