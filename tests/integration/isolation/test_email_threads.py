"""Attacks on every route and queue of e-mail threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from email_threads.inbound.events import (
    EmailAnalyse,
    EmailErase,
    EmailFeedback,
    EmailMerge,
    EmailSend,
    entry,
)
from shared.api.auth import Scope
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import body_of
from tests.integration.isolation.attacks import Attack, Call, assert_unchanged, of_document
from tests.integration.isolation.email_setup import MAILBOX_B, TwoCompanies, two_companies
from tests.integration.isolation.events_under_attack import EventAttack
from tests.integration.isolation.route_tests import suite_of
from tests.simulation.email_threads.mails import SENT
from tests.simulation.email_threads.system import BOB, MAILBOX, mail

READ = (Scope.EMAIL_READ,)
WRITE = (Scope.EMAIL_WRITE,)
APPROVE = (Scope.EMAIL_APPROVE,)
READ_PARKED = (Scope.EMAIL_READ, Scope.OPERATOR)
REPLAY = (Scope.EMAIL_ADMIN, Scope.OPERATOR)
OPERATE = (Scope.OPERATOR,)
MAILBOXES = (Scope.EMAIL_READ, Scope.EMAIL_ADMIN)
ADMIN = (Scope.EMAIL_ADMIN,)
PRIVACY = (Scope.EMAIL_PRIVACY,)
KEY = {"Idempotency-Key": "the-same-key"}
THREAD = "/email-threads/{conversation_id}"
DRAFT = f"{THREAD}/replies/{{reply_id}}"
BOX = "/email-mailboxes/{address}"
INGEST = "EmailThreadsIngest <- EmailInboundQueue"
WORKER = "EmailThreadsWorker <- EmailThreadsQueue"


def of_query(line: str, scopes: tuple[Scope, ...], **query: str) -> Attack:
    """A listing with A's ids in the query."""
    return Attack(
        line=line,
        names=", ".join(query) or "nothing",
        scopes=scopes,
        call=lambda a: Call(query={name: value.format(**a) for name, value in query.items()}),
        has_no_projects=True,
    )


def of_thread(below: str = "", **path: str) -> Attack:
    """A's thread, or a part of it."""
    return Attack(
        line=f"GET {THREAD}{below}",
        names=", ".join(["thread", *path]),
        scopes=READ,
        call=lambda a: Call(path={"conversation_id": a["thread"], **path}),
        has_no_projects=True,
    )


def of_change(line: str, **body: Any) -> Attack:
    """A change of A's thread."""
    return Attack(
        line=line,
        names=", ".join(["thread", *body]),
        scopes=WRITE,
        call=lambda a: Call(
            path={"conversation_id": a["thread"]},
            body={n: v.format(**a) if isinstance(v, str) else v for n, v in body.items()},
            headers=KEY,
        ),
        has_no_projects=True,
    )


def of_draft(line: str, scopes: tuple[Scope, ...], **body: Any) -> Attack:
    """A step of A's draft."""
    return Attack(
        line=line,
        names=", ".join(["thread, reply_id", *body]),
        scopes=scopes,
        call=lambda a: Call(
            path={"conversation_id": a["thread"], "reply_id": a["reply"]},
            body=None if line.startswith("GET") else body,
            headers={} if line.startswith("GET") else KEY,
        ),
        has_no_projects=True,
    )


def of_mailbox(
    method: str,
    scopes: tuple[Scope, ...],
    address: Callable[[Mapping[str, str]], str],
    body: Mapping[str, Any] | None = None,
    is_blind: str = "",
) -> Attack:
    return Attack(
        line=f"{method} {BOX}",
        names="mailbox",
        scopes=scopes,
        call=lambda a: Call(
            path={"address": address(a)}, body=body, headers=KEY if body is not None else {}
        ),
        has_no_projects=True,
        is_blind=is_blind,
    )


def of_person(kind: str) -> Attack:
    """A person who writes to both companies."""
    return Attack(
        line=f"POST /email-threads/contacts/{kind}",
        names="person",
        scopes=PRIVACY,
        call=lambda a: Call(body={"address": a["person"]}),
        has_no_projects=True,
        is_blind="the answer is a job, which reads the company's items later",
    )


ATTACKS = [
    of_query("GET /email-threads", READ),
    of_query("GET /email-threads", READ, participant="{person}"),
    of_query("GET /email-threads", READ, q="canary-words"),
    of_query("GET /email-threads", READ, limit="1", cursor="{cursor}"),
    of_thread(),
    of_thread("/emails"),
    of_thread("/emails/{n}", n="1"),
    of_thread("/emails/{n}/attachments/{index}", n="1", index="1"),
    of_thread("/notes"),
    of_thread("/changes"),
    of_change(f"PATCH {THREAD}", priority="high"),
    of_change(f"PATCH {THREAD}", snoozed_until=None),
    of_change(f"POST {THREAD}/archive"),
    of_change(f"POST {THREAD}/notes", text="a note of the attacker"),
    of_change(f"POST {THREAD}/merge", into="{other_thread}"),
    Attack(
        line=f"POST {THREAD}/merge",
        names="a thread of B into one of A",
        scopes=WRITE,
        call=lambda a: Call(
            path={"conversation_id": a["thread_of_b"]}, body={"into": a["thread"]}, headers=KEY
        ),
        has_no_projects=True,
        is_blind="A does not own the thread that would be merged",
    ),
    of_change(f"POST {THREAD}/analysis"),
    *(
        Attack(
            line=f"POST {THREAD}/emails/{{n}}/{step}",
            names="thread, n",
            scopes=APPROVE,
            call=lambda a: Call(path={"conversation_id": a["thread"], "n": "1"}, headers=KEY),
            has_no_projects=True,
        )
        for step in ("admit", "withhold")
    ),
    of_query("GET /email-threads/drafts", READ),
    of_query("GET /email-threads/drafts", READ, mailbox=MAILBOX),
    of_query("GET /email-threads/drafts", READ, limit="1", cursor="{draft_cursor}"),
    of_thread("/replies"),
    of_change(f"POST {THREAD}/replies", body_text="an answer of the attacker"),
    of_change(f"POST {THREAD}/uploads", filename="a.pdf", content_type="application/pdf"),
    of_draft(f"GET {DRAFT}", READ),
    of_draft(f"PATCH {DRAFT}", WRITE, version=1, body_text="a text of the attacker"),
    of_draft(f"POST {DRAFT}/approve", APPROVE, version=1),
    of_draft(f"POST {DRAFT}/send", APPROVE, version=1),
    of_draft(f"POST {DRAFT}/reject", APPROVE, version=1),
    of_draft(f"POST {DRAFT}/resolve", APPROVE, version=1, arrived=True),
    Attack(
        line="POST /email-threads",
        names="mailbox",
        scopes=WRITE,
        call=lambda _: Call(
            body={"mailbox": MAILBOX, "to": [BOB], "subject": "Hello", "body_text": "Hello."},
            headers=KEY,
        ),
        has_no_projects=True,
        is_blind="A has the mailbox in both",
    ),
    replace(of_query("GET /email-mailboxes", MAILBOXES), is_blind="A has the mailbox in both"),
    of_mailbox("GET", MAILBOXES, lambda a: a["mailbox"], is_blind="A has the mailbox in both"),
    of_mailbox("DELETE", ADMIN, lambda a: a["mailbox"], is_blind="A has the mailbox in both"),
    of_mailbox("PUT", ADMIN, lambda a: a["mailbox"], {}, is_blind="A has the mailbox in both"),
    of_query("GET /email-threads/parked", READ_PARKED),
    of_query("GET /email-threads/parked", READ_PARKED, company="acme"),
    of_query("GET /email-threads/parked", READ_PARKED, limit="1", cursor="{parked_cursor}"),
    Attack(
        line="POST /email-threads/parked/{event_id}/replay",
        names="event_id",
        scopes=REPLAY,
        call=lambda a: Call(path={"event_id": a["parked_id"]}, body={}),
        has_no_projects=True,
    ),
    Attack(
        line="POST /email-threads/parked/replay",
        names="company",
        scopes=REPLAY,
        call=lambda _: Call(body={"company": "acme"}),
        has_no_projects=True,
    ),
    of_query("GET /email-threads/dead-letters", OPERATE),
    Attack(
        line="POST /email-threads/dead-letters/redrive",
        names="letter",
        scopes=OPERATE,
        call=lambda a: Call(body={"ids": [a["letter"]]}),
    ),
    of_person("erase"),
    of_person("export"),
    Attack(
        line="GET /email-threads/privacy-jobs/{job_id}",
        names="job",
        scopes=PRIVACY,
        call=lambda a: Call(path={"job_id": a["job"]}),
        has_no_projects=True,
    ),
    of_document(
        "GET /email-threads/openapi.json",
        *READ,
        *WRITE,
        *APPROVE,
        *ADMIN,
        *PRIVACY,
        *OPERATE,
    ),
]


def _deliver(raw: bytes) -> Callable[[TwoCompanies], object]:
    return lambda companies: companies.system.deliver(raw, name="attack", address=MAILBOX_B)


def _queued(event_of: Callable[[Mapping[str, str]], Any]) -> Callable[[TwoCompanies], object]:
    return lambda companies: companies.system.fifo_queues.put(
        companies.system.queue, entry(event_of(companies.names))
    )


def _request_of_b(kind: str) -> Callable[[TwoCompanies], object]:
    return lambda companies: companies.system.call(
        "POST",
        f"/email-threads/contacts/{kind}",
        {"address": companies.names["person"]},
        scopes=Scope.EMAIL_PRIVACY,
        company=companies.company_b,
    )


EVENTS: list[EventAttack[TwoCompanies]] = [
    EventAttack(
        surface=INGEST,
        type="ObjectCreated",
        names="Message-IDs of A, and a participant of its threads",
        make=_deliver(mail("b1@x", sender=BOB, to=MAILBOX_B, references="a1@x a2@x a3@x")),
    ),
    EventAttack(
        surface=WORKER,
        type="email.received",
        names="the Message-ID of a mail of A, with another text",
        make=_deliver(mail("a3@x", "Another text.", sender=BOB, to=MAILBOX_B)),
    ),
    EventAttack(
        surface=WORKER,
        type="email.analyse",
        names="a thread of A, and a mail that it does not have",
        make=_queued(lambda a: EmailAnalyse(conversation_id=a["thread"], n=99)),
    ),
    EventAttack(
        surface=WORKER,
        type="email.send",
        names="a draft of A, in a version that it does not have",
        make=_queued(
            lambda a: EmailSend(
                conversation_id=a["thread"], reply_id=a["reply"], version=99, attempt=1
            )
        ),
    ),
    EventAttack(
        surface=WORKER,
        type="email.feedback",
        names="a draft of A, in an event about a mail of B",
        make=_queued(
            lambda a: EmailFeedback(
                event="Bounce",
                ses_id="0102-of-b",
                at="2026-01-01T12:00:00.000Z",
                source=MAILBOX_B,
                recipients=[BOB],
                tags={"thread": a["thread"], "reply": a["reply"], "action": "em_1"},
                detail={"bounceType": "Permanent"},
            )
        ),
        parked=frozenset({"unknown_reference"}),
    ),
    EventAttack(
        surface=WORKER,
        type="email.merge",
        names="a thread of A and one of B",
        make=lambda companies: companies.system.fifo_queues.put(
            companies.system.queue,
            entry(
                EmailMerge(loser=companies.names["thread"], winner=companies.names["thread_of_b"])
            ),
        ),
        parked=frozenset({"other_company"}),
    ),
    EventAttack(
        surface=WORKER,
        type="outbound_message",
        names="a mailbox of A, as a mail that B sent",
        make=lambda companies: companies.system.fifo_queues.put(
            companies.system.queue,
            Entry(
                body_of(replace(SENT, company=companies.company_b, business_address=MAILBOX)),
                digest("attack"),
                digest("attack"),
            ),
        ),
        parked=frozenset({"other_company"}),
    ),
    EventAttack(
        surface=WORKER,
        type="email.erase",
        names="a thread of A",
        make=lambda companies: companies.system.fifo_queues.put(
            companies.system.queue,
            entry(EmailErase(conversation_id=companies.names["thread"])),
        ),
    ),
    *(
        EventAttack(
            surface=WORKER,
            type="email.privacy",
            names=f"a person who writes to both companies, to {kind} them",
            make=_request_of_b(kind),
        )
        for kind in ("erase", "export")
    ),
]


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


TestRoutes = suite_of(ATTACKS)


@pytest.mark.parametrize("attack", EVENTS, ids=str)
def test_an_event_that_names_items_of_a_changes_nothing_of_a(
    companies: TwoCompanies, attack: EventAttack[TwoCompanies]
) -> None:
    companies.without_a()
    owned = companies.stored()
    companies.with_a()
    before = companies.stored()

    attack.make(companies)
    companies.system.drain()

    after = companies.stored()
    assert_unchanged(str(attack), before, after, owned, ())
    new = [after[key] for key in after.keys() - before.keys() if isinstance(after[key], dict)]
    of_a = [item for item in new if item.get("company_id", {}).get("S") == companies.company_a]
    assert not of_a
    parked = [item for item in new if "conversation_id" in item and "reason" in item]
    assert {item["reason"]["S"] for item in parked} == attack.parked
