"""
WhatsApp with two companies. A has all events of the samples' day on two numbers; B has one message on each of its two
numbers: one at Meta with an app of B, and one at AWS.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from unittest import mock
from urllib.parse import unquote

import boto3
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PrivateFormat, PublicFormat

from events.whatsapp import gateway, payloads
from events.whatsapp.direct import GATEWAY_SECRET
from events.whatsapp.sample_data import (
    ADA,
    APP_ID,
    APP_SECRET,
    COMPANY,
    COUNTER,
    VERIFY_TOKEN,
    WORKSHOP,
    BusinessNumber,
)
from events.whatsapp.samples import samples
from shared.api.auth import Caller, Scope
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import digest
from tests import template
from tests.integration.isolation.attacks.attacks import Answer, Call
from tests.integration.isolation.deployed_companies import WITH_A, WITHOUT_A, DeployedCompanies
from tests.integration.isolation.whatsapp.whatsapp_items import FILE, STORED_FILE, items_of_a
from tests.simulation.kernel import running
from tests.simulation.processes import imported
from tests.simulation.queues.fifo import Queued
from tests.simulation.whatsapp.event_builders import TIMELINE, outbound_event
from tests.simulation.whatsapp.system import System, grant_numbers, registered
from whatsapp import store
from whatsapp.store.items import Message
from whatsapp.store.items.accounts.phones import CONVERSATIONS
from whatsapp.store.items.analytics.counts import Analytics
from whatsapp.store.items.contacts.customers import FlowKeys
from whatsapp.store.items.contacts.privacy import PrivacyJob
from whatsapp.store.items.sending.canned_replies import CannedReply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

    from tests.simulation.queues.fifo import FifoQueue


COMPANY_B = "globex"
APP_B, APP_SECRET_B = "5550001", "the-app-secret-of-company-b"
COUNTER_B = BusinessNumber(phone="906540352242922", display="15550783111", waba="902290129340398")
WORKSHOP_B = BusinessNumber(
    phone="916540352242933",
    display="15550783222",
    waba="912290129340399",
    arn="arn:aws:social-messaging:us-east-1:000000000000:phone-number-id/" + "b" * 32,
    waba_arn="arn:aws:social-messaging:us-east-1:000000000000:waba/" + "b" * 32,
)
CANARY = "canary-words-of-ada"
UNKNOWN_CUSTOMER = "447700900999"  # of an export without any item
ASSIGNEE = "agent-of-a"
OWNER = Caller(company=COMPANY, scopes=frozenset(map(str, Scope)), principal="api-key:owner")
SEND = "POST /whatsapp/conversations/{key}/messages"
# The parts of an upload form that have the time of the call.
SIGNED = re.compile(r'"(policy|x-amz-[a-z]+)":"[^"]*",?')
RUN = "POST /whatsapp/actions/{action}"
KEY = {"Idempotency-Key": "attack-0001", "Content-Type": "application/json"}
CANNED, TODAY = "ready", "2026-01-01T12:00:00.000Z"
# Parked for A because of its unknown shape.
ODD = {
    "id": "wamid.odd",
    "recipient_id": ADA.wa_id,
    "status": "tele#ported",
    "timestamp": "1767225600",
}


@dataclass
class TwoCompanies(DeployedCompanies[System]):
    """The simulated inbox of A and B in one deployment."""

    words: tuple[str, ...] = (CANARY,)
    form_key: str = ""  # B's public key of forms, PEM
    events_of_a: tuple[str, ...] = ()  # bodies on the queue, of all events of A's day
    api: ModuleType = field(kw_only=True)
    sending: ModuleType = field(kw_only=True)
    actions: ModuleType = field(kw_only=True)
    flows: ModuleType = field(kw_only=True)
    payments: ModuleType = field(kw_only=True)

    def __post_init__(self) -> None:
        """The day of both companies, with a snapshot before and after A's part of it."""
        self.system.reset(auto_mark_read=True, automation=CONVERSATIONS)
        self.system.replace_items({})
        apps = {APP_ID: [APP_SECRET], APP_B: [APP_SECRET_B]}
        name = self.system.webhook.settings.whatsapp_app_secret_id
        boto3.client("secretsmanager").put_secret_value(
            SecretId=name,
            SecretString=json.dumps(
                {
                    "verify_token": VERIFY_TOKEN,
                    "apps": apps,
                    "gateways": dict.fromkeys(("razorpay", "payu"), GATEWAY_SECRET),
                }
            ),
        )
        self._register(COUNTER_B, company=COMPANY_B, app_id=APP_B)
        self._register(WORKSHOP_B, company=COMPANY_B, app_id=APP_B)
        self._b_has_a_key_of_forms()
        self.deliver(
            payloads.messages_change(COUNTER_B, [said("wamid.b", "Hello B")], [ADA]), COUNTER_B
        )
        self.system.drain()
        # The deployment has one item each, of no company: it exists in both states.
        for name in ("refresh_infra", "refresh_media_types"):
            call = Call(path={"action": name}, body={}, headers=KEY | {"Idempotency-Key": name})
            answer = self.send(RUN, call, OWNER)
            assert answer.status == 200, answer
        without = self.system.snapshot()
        self._a_has_its_day()
        self.keep({WITH_A: self.system.snapshot(), WITHOUT_A: without})
        self.names = self._names()
        self.ids = tuple(self.names[name] for name in ("phone", "display", "event_id", "assignee"))

    def module_of(self, line: str) -> ModuleType:
        route = line.partition(" ")[2]
        of_admin = (
            *("/whatsapp/parked", "/whatsapp/dead-letters", "/whatsapp/recovery"),
            *("/whatsapp/contacts", "/whatsapp/privacy-jobs", "/whatsapp/transcri"),
        )
        of_sending = ("/whatsapp/uploads", "/whatsapp/canned-replies", "/whatsapp/sending")
        if route.startswith("/whatsapp/actions"):
            return self.actions
        if route.startswith(of_admin):
            return self.system.admin
        if route.startswith(of_sending) or line == SEND:
            return self.sending
        return self.api

    def send(self, line: str, call: Call, caller: Caller | None) -> Answer:
        answer = super().send(line, call, caller)
        return replace(answer, text=SIGNED.sub("", answer.text))

    def queues(self) -> Iterable[tuple[str, FifoQueue]]:
        return {"whatsapp": self.system.queue, **self.system.queue.elsewhere}.items()

    def deliver(
        self, change: dict[str, Any], number: BusinessNumber, secret: str = APP_SECRET_B
    ) -> bool:
        """Post a signed webhook of Meta about a number's account; returns whether it was accepted."""
        body = payloads.webhook(payloads.entry(number.waba, change))
        event = gateway.post("isolation", TIMELINE.at(770), gateway.meta_bytes(body), secret=secret)
        return self.system.deliver(event)

    def _register(self, number: BusinessNumber, **facts: Any) -> None:
        phone = registered(number, auto_mark_read=True, automation=CONVERSATIONS)
        store.phones.register(self.system.table, phone.model_copy(update=facts))

    def _b_has_a_key_of_forms(self) -> None:
        key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
        private = key.private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        self.form_key = public.decode()
        name = f"{self.flows.settings.flow_keys_path}/{COUNTER_B.waba}"
        boto3.client("ssm").put_parameter(Name=name, Value=private, Type="SecureString")
        keys = FlowKeys(
            pk=FlowKeys.key(COUNTER_B.waba),
            company=COMPANY_B,
            keys=[{"version": 1, "publicKey": self.form_key, "cause": "setup"}],
        )
        self.system.table.put(keys.attributes())

    def _a_has_its_day(self) -> None:
        for number in (COUNTER, WORKSHOP):
            self._register(number, transcription={"provider": "openai", "automatic": False})
        before = len(self.system.queue.accepted)
        for sample in samples():
            self.system.deliver(sample.event)
            self.system.drain()
        self.system.deliver(outbound_event("wamid.sent-by-parley"))
        messages = [said("wamid.canary", CANARY)]
        self.deliver(payloads.messages_change(COUNTER, messages, [ADA]), COUNTER, APP_SECRET)
        self.deliver(payloads.change("messages", COUNTER, statuses=[ODD]), COUNTER, APP_SECRET)
        own = self.system.admin.privacy_jobs
        own.start("export", COMPANY, UNKNOWN_CUSTOMER, by="an agent of A")
        self.system.drain()
        self.events_of_a = tuple(list(self.system.queue.accepted.values())[before:])
        day = Analytics(
            pk=Analytics.key(COUNTER.waba, "2026-01-01"),
            company=COMPANY,
            waba_meta_id=COUNTER.waba,
            date="2026-01-01",
            messages_sent=4711,
        )
        self.system.table.put(day.attributes())
        reply = CannedReply(
            pk=CannedReply.key(COMPANY, CANNED),
            company=COMPANY,
            name=CANNED,
            text=CANARY,
            updated_at=TODAY,
            updated_by="api-key:owner",
        )
        store.canned_replies.put(self.system.table, reply)
        for item in items_of_a():
            self.system.table.put(item.attributes())
        for key in (FILE, STORED_FILE):
            self.system.s3.put_object(Bucket=self.system.bucket, Key=key, Body=b"a picture")
        letter = Queued("letter-of-a", self.events_of_a[0], "g", "d", self.system.clock.ms)
        self.system.queue.dead_letters.append(letter)
        self._agents_of_a_work()

    def _agents_of_a_work(self) -> None:
        """Two conversations are assigned, and the first one has two notes."""
        listed = self.shown("GET /whatsapp/conversations", phone=COUNTER.phone)
        keys = [one["key"] for one in listed["result"]["conversations"][:2]]
        line = "/whatsapp/conversations/{key}"
        calls = [(f"PATCH {line}", key, {"assignee": ASSIGNEE}) for key in keys]
        calls += [(f"POST {line}/notes", keys[0], {"text": f"{CANARY} {n}"}) for n in range(2)]
        for line, key, body in calls:
            headers = {"Idempotency-Key": digest(line, key, str(body))}
            answer = self.send(line, Call(path={"key": key}, body=body, headers=headers), OWNER)
            assert answer.status in {200, 201}, answer

    def _names(self) -> dict[str, str]:
        self.with_a()
        shown = self.shown
        listed = shown("GET /whatsapp/conversations", phone=COUNTER.phone, limit="1")
        key = listed["result"]["conversations"][0]["key"]
        event = next(
            one
            for one in shown("GET /whatsapp/parked", company=COMPANY)["result"]["events"]
            if one["reason"] == "unknown_status"
        )
        letters = shown("GET /whatsapp/dead-letters")["result"]["letters"]
        return {
            "company": COMPANY,
            "phone": COUNTER.phone,
            "display": COUNTER.display,
            "waba": COUNTER.waba,
            "key": key,
            "position": listed["result"]["conversations"][0]["position"],
            "assignee": ASSIGNEE,
            "conversation": unquote(key),
            "event_id": event["eventId"],
            "reason": event["reason"],
            "letter": letters[0]["id"],
            "customer": f"+{ADA.wa_id}",
            "job": PrivacyJob.ids_of("export", COMPANY, UNKNOWN_CUSTOMER)[0],
            "canned": CANNED,
            "recording": self._recording(),
        }

    def _recording(self) -> str:
        """The id of a message of A with a stored recording, at a number with a transcriber."""
        items = self.system.items().values()
        messages = [Message.read(one) for one in items if one["itemType"] == Message.item_type]
        return next(
            one.message_id for one in messages if one.is_recording and one.phone == COUNTER.phone
        )


def said(message_id: str, words: str) -> dict[str, Any]:
    """A text message from Ada."""
    return payloads.message(ADA, message_id, TIMELINE.at(770), payloads.text(words))


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """The system, created once per module."""
    with running(System) as system:
        given = {"Stage": "local", "SandboxUrl": system.sandbox.url}
        seal = template.properties("ApiSealSecret", **given)["Name"]
        # moto finds a secret by its name.
        variables = template.environment("WhatsAppApi", **given) | {"API_SEAL_SECRET_ID": seal}
        api = imported("whatsapp.handlers.api", variables)
        dynamodb = boto3.Session().client("dynamodb")
        log = Table(dynamodb, template.create_table(dynamodb, "ConversationLogTable", **given))
        template.create_table(dynamodb, "ContactsTable", **given)
        switch = template.properties("WhatsAppSwitchSafeMode", **given)["Name"]
        boto3.client("ssm").put_parameter(Name=switch, Value="false", Type="String")
        variables = template.environment("WhatsAppSending", **given)
        sending = imported("whatsapp.handlers.sending", variables | {"API_SEAL_SECRET_ID": seal})
        variables = template.environment("WhatsAppActions", **given)
        actions = imported("whatsapp.handlers.actions", variables | {"API_SEAL_SECRET_ID": seal})
        variables = template.environment("WhatsAppFlows", **given)
        flows = imported("whatsapp.handlers.flows", variables)
        variables = template.environment("WhatsAppPayments", **given)
        payments = imported("whatsapp.handlers.webhooks.payments", variables)
        with mock.patch.dict(os.environ, template.environment("WhatsAppJobs", **given)):
            system.media._resources_of_actions()  # kept by the module
        companies = TwoCompanies(
            system, api=api, sending=sending, actions=actions, flows=flows, payments=payments
        )
        numbers = [entry["phone"] for entry in store.phones.listed(system.table)]
        grant_numbers(log, filter(None, (store.phones.get(system.table, one) for one in numbers)))
        yield companies
