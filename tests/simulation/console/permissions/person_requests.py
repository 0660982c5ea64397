"""Requests about a person: an export and an erasure."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any
from unittest import mock

from events.whatsapp.sample_data import ADA, COMPANY
from shared.aws.dynamodb import Table
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.resolution import resolve
from shared.identity.identifiers import IdentifierKind, identifier
from shared.inbox.items import Channel, Context, Entry, Head
from shared.privacy.part_calls import ContextFunction, RemotePart
from shared.privacy.parts import PartJob
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.simulation.console.permissions.calls import STAGE, asked, last_run, watched
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.processes import imported
from tests.template import environment, properties


def request_person(system: Any, observer: CallObserver) -> None:
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
            answer = watched(system, observer, "InboxApi", api, event)
            assert answer["statusCode"] == 202, answer
            request_id = json.loads(answer["body"])["result"]["id"]
            run = last_run("person", request_id)
            stage = ""
            while stage != "done":
                watched(system, observer, "InboxApi", api, run)
                system.clock.ms += 60_000
                event = asked("GET", f"/privacy/requests/{request_id}")
                answer = watched(system, observer, "InboxApi", api, event)
                stage = json.loads(answer["body"])["result"]["stage"]

    def ask_each() -> dict[str, Any]:
        for function in api.OF_PARTS.values():
            with suppress(Transient):
                RemotePart("any", function).stored("1")
        return {}

    with mock.patch.object(api, "handler", side_effect=lambda *_: ask_each()):
        watched(system, observer, "InboxApi", api, {})
    watched(system, observer, "InboxApi", api, asked("GET", "/privacy/requests"))
