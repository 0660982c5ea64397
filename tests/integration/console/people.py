"""A person in every context, other people beside them, and the workers that act while an erasure waits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import boto3

from console.privacy import jobs
from console.privacy.jobs import PersonDependencies
from console.store.person_jobs import PersonJob
from conversations.configuration.bootstrap import ledger_of
from conversations.privacy.dependencies import ErasureDependencies
from conversations.privacy.erasure import ConversationPart
from conversations.store import conversations, messages, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod, Conversation
from conversations.store.items.log import Message
from conversations.store.items.parts.state import State
from conversations.store.lists.inbox_heads import ConversationHeads
from email_threads.inbound.events import EmailPrivacy
from email_threads.privacy import jobs as email_jobs
from email_threads.privacy import requests as email_requests
from email_threads.store.lists.inbox_heads import EmailHeads
from richpanel.guards.customer_hash import customer_hmac
from richpanel.privacy.part import HelpDeskPart
from richpanel.privacy.tickets import Tables as HelpDeskTables
from richpanel.store.items import CustomerState
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret
from shared.inbox.items import Context
from shared.privacy.parts import JobsPart, Named, NameKind
from shared.providers.company_secrets import CompanySecrets
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.aws import client_pool
from tests.erasure.runs import run
from tests.integration.console.bylines import Bylines, bylines_on_moto
from tests.integration.email_threads.inbox import Inbox
from tests.integration.whatsapp.conftest import NOW, Harness, Outbox
from tests.template import create_table, name_of
from whatsapp.privacy.requests import WhatsAppPart
from whatsapp.store.conversations.inbox_heads import WhatsAppHeads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pytest

    from shared.inbox.entries import BatchHeads
    from shared.privacy.parts import Part
    from tests.integration.console.system import Fed, InboxSystem

COMPANY: Final = "acme"
ADA, BEN = "447700900101", "447700900102"
MAIL, BOBS_MAIL = "ada@orchard.example", "bob@mill.example"
CANARY, NAME, OTHER = "canary-words", "Adaline Canary", "of another person"
WORDS = (ADA, MAIL, CANARY, NAME, "Adaline")
GIVEN = [Named(NameKind.PHONE, f"+{ADA}")]
MAILS: Final = "mails"
MOST_WAITS: Final = 400


@dataclass
class People:
    """The contexts, and the time; *meanwhile* runs once each time that the erasure waits."""

    harness: Harness
    inbox: InboxSystem
    mails: Inbox
    deps: PersonDependencies
    feeds: list[Fed]
    email_queue: Outbox
    bylines: Bylines
    conversations: ErasureDependencies
    meanwhile: Callable[[], object] = lambda: None
    now: list[int] = field(default_factory=lambda: [NOW])
    waits: int = 0
    is_waiting: bool = False

    def store(self) -> None:
        """Ada in all contexts, Ben and Bob beside her."""
        self.write("wamid.1", ADA, CANARY, NAME)
        self.write("wamid.2", BEN, OTHER, "Ben")
        self.mails.receive("a@x", sender=MAIL, subject=CANARY, body=CANARY)
        self.mails.receive("b@x", sender=BOBS_MAIL, subject="Bob", body=OTHER)
        self.converse(CANARY, "req-1")
        self.bylines.write(COMPANY, 1, MAIL.title(), NAME)
        self.bylines.write(COMPANY, 2, BOBS_MAIL, "Bob")
        state = self.help_desk.jobs.table
        for mail in (MAIL, BOBS_MAIL):
            row = CustomerState(
                conversation_id=CustomerState.key(customer_hmac(self.help_desk.secret, mail)),
                updated_at=clock.to_text(clock.now_ms()),
                expires_at=4_000_000_000,
                auto_reply_times=["2026-01-01T12:00:00.000Z"],
            )
            state.put(row.attributes())
        self.show()

    @property
    def help_desk(self) -> HelpDeskPart:
        part = self.deps.parts["richpanel"]
        assert isinstance(part, HelpDeskPart)
        return part

    def write(self, identity: str, sender: str, body: str, name: str) -> None:
        """A message by WhatsApp."""
        message = {
            "id": identity,
            "from": sender,
            "timestamp": str(clock.now_ms() // 1_000),
            "type": "text",
            "text": {"body": body},
        }
        contact = {"profile": {"name": name}, "wa_id": sender}
        self.harness.take({"contacts": [contact], "messages": [message]})

    def show(self) -> None:
        """The feeds show what has changed."""
        for fed in self.feeds:
            assert fed.take() == []

    def run(self, kind: str = "erase", given: Sequence[Named] = GIVEN) -> PersonJob:
        """Request an erasure or export of Ada, and work on it until it is done."""
        assert kind in {"erase", "export"}
        job = jobs.start(
            self.deps,
            "erase" if kind == "erase" else "export",
            COMPANY,
            given,
            by="an operator",
            reason="asked by mail",
        )
        return run(jobs.engine_of(self.deps), job.job_id)

    def begin_process(self) -> None:
        """The next run is in another process."""
        self.deps.queued.clear()

    def pass_time(self, ms: int) -> None:
        """The workers and feeds run while the erasure waits."""
        self.is_waiting = True
        try:
            self._work(ms)
        finally:
            self.is_waiting = False

    def _work(self, ms: int) -> None:
        self.now[0] += ms
        self.waits += 1
        assert self.waits < MOST_WAITS, "the request does not end"
        self.meanwhile()
        waiting = [*self.harness.outbox.entries]
        self.harness.outbox.entries.clear()
        for entry in waiting:
            try:
                self.harness.handle(entry.body)
            except Transient:
                self.harness.outbox.entries.append(entry)
        mails = [*self.email_queue.entries]
        self.email_queue.entries.clear()
        for entry in mails:
            event = EmailPrivacy(job_id=json.loads(entry.body)["job_id"])
            try:
                email_jobs.work(self._email, event)
            except Transient:
                self.email_queue.entries.append(entry)
        self.bylines.work()
        self.show()

    def left(self, *words: str) -> list[str]:
        """The tables and buckets that have one of these words, in a key or a value."""
        found: list[str] = []
        dynamodb, s3 = boto3.client("dynamodb"), boto3.client("s3")
        for table in dynamodb.list_tables()["TableNames"]:
            for item in dynamodb.scan(TableName=table)["Items"]:
                found += [f"{table} {item}" for word in words if word in str(item)]
        for bucket in s3.list_buckets()["Buckets"]:
            for one in s3.list_objects_v2(Bucket=bucket["Name"]).get("Contents", []):
                body = s3.get_object(Bucket=bucket["Name"], Key=one["Key"])["Body"].read()
                text = f"{one['Key']} {body.decode('utf-8', 'replace')}"
                found += [f"{bucket['Name']} {one['Key']}" for word in words if word in text]
        return found

    def contact_items(self) -> list[dict[str, Any]]:
        """All items of the contacts table but jobs."""
        table = self.deps.tables.contacts
        client = client_pool.direct("dynamodb")
        items: list[dict[str, Any]] = client.scan(TableName=table.name)["Items"]
        return [item for item in items if not item["pk"]["S"].startswith("PRIVACY#")]

    @property
    def _email(self) -> Any:
        """What jobs of the threads use of the worker's resources."""
        log = self.conversations.log
        return SimpleNamespace(
            table=self.mails.table,
            bucket=self.mails.bucket,
            queue=self.email_queue,
            owners=SimpleNamespace(table=log),
        )

    def converse(self, text: str, request: str) -> None:
        """An AI conversation by SMS with Ada's number and address, and a first message of Ada's."""
        at = clock.to_text(clock.now_ms())
        tel = f"+{ADA}"
        item = conversations.create(
            self.conversations.table,
            Conversation(
                primary_channel=tel,
                conversation_id=f"{COMPANY}#hiring#{request}#{ADA}",
                company_id=COMPANY,
                project_id="hiring",
                channel_method=ChannelMethod.SMS,
                conversation_status="reply_sent",
                request_id=request,
                recipient_first_name=NAME,
                recipient_tel=tel,
                recipient_email=MAIL,
                created_at=at,
                updated_at=at,
            ),
        )
        named = conversations.name(self.conversations.table, item)
        assert named is not None
        ref = identifiers.ref_of_item(named)
        log = self.conversations.log
        states.create(
            log,
            ref,
            State(
                primary_channel=tel,
                conversation_id=item.conversation_id,
                company_id=COMPANY,
                project_id="hiring",
                channel_method=ChannelMethod.SMS,
                business_address="+12025550143",
                created_at=at,
                context_hash="-",
                last_message_at=at,
            ),
        )
        messages.add(
            log,
            ref,
            Message(
                entry_id="1", message_timestamp=at, role="user", content=text, author="customer"
            ),
        )


def people_on_moto(harness: Harness, inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch) -> People:
    """The contexts beside the WhatsApp inbox of *harness*, empty."""
    client, s3 = boto3.client("dynamodb"), boto3.client("s3")
    s3.create_bucket(Bucket=MAILS, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    secrets = boto3.client("secretsmanager")
    secrets.create_secret(Name="help desk", SecretString='{"salt": "a salt"}')
    mails = Inbox(
        Table(client, create_table(client, "EmailThreadsTable")), client, Bucket(lambda: s3, MAILS)
    )
    own = ErasureDependencies(
        table=Table(client, create_table(client, "ConversationsTable")),
        log=Table(client, name_of("ConversationLogTable")),
        bucket=harness.resources.bucket,
        ledger=ledger_of(Table(client, name_of("ConversationLogTable"))),
        credentials=CompanySecrets(lambda: secrets),
        openai_url="http://127.0.0.1:9",
    )
    whatsapp_table, email_queue = harness.resources.table, Outbox()
    heads: dict[Context, BatchHeads] = {
        Context.WHATSAPP: WhatsAppHeads(whatsapp_table),
        Context.CONVERSATIONS: ConversationHeads(own.table, own.log),
        Context.EMAIL_THREADS: EmailHeads(mails.table),
    }
    bylines = bylines_on_moto()
    parts: tuple[Part, ...] = (
        WhatsAppPart(jobs=harness.privacy_jobs),
        JobsPart(
            context="email_threads",
            subject_of=email_requests.subject_of,
            jobs=email_requests.jobs_of(
                mails.table,
                mails.bucket,
                email_queue,  # type: ignore[arg-type]  # has the one method that is used
            ),
        ),
        ConversationPart.of(own),
        bylines.part,
        HelpDeskPart.of(
            HelpDeskTables(
                Table(client, create_table(client, "RichpanelConversationStateTable")),
                Table(client, create_table(client, "RichpanelAuditActionsTable")),
                inbox.tables.contacts,
            ),
            harness.resources.bucket,
            JsonSecret(lambda: secrets, "help desk"),
            lambda: COMPANY,
        ),
    )
    deps = PersonDependencies(
        tables=inbox.tables,
        consents=own.log,
        heads=heads,
        parts={one.context: one for one in parts},
        bucket=harness.resources.bucket,
    )
    feeds = [
        inbox.fed_by(heads[Context.WHATSAPP], whatsapp_table.name),
        inbox.fed_by(heads[Context.CONVERSATIONS], own.table.name, own.log.name),
        inbox.fed_by(heads[Context.EMAIL_THREADS], mails.table.name),
    ]
    people = People(harness, inbox, mails, deps, feeds, email_queue, bylines, own)
    monkeypatch.setattr(clock, "now_ms", lambda: people.now[0])
    monkeypatch.setattr(clock, "sleep_ms", people.pass_time)
    return people
