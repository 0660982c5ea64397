"""Attacks on every route and queue of e-mail threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import pytest

from email_threads.inbound.events import (
    EmailAnalyse,
    EmailErase,
    EmailEvaluate,
    EmailFeedback,
    EmailMerge,
    EmailSend,
    EmailSeparate,
    EmailShadow,
    entry,
    evaluation_entry,
    shadow_entry,
)
from shared.api.auth import Scope
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import body_of
from shared.inbox.satisfaction.links import Link, token_of
from tests.integration.isolation.attacks.attacks import Attack, Call
from tests.integration.isolation.attacks.events_under_attack import EventAttack, items_after
from tests.integration.isolation.attacks.route_attacks import KEY, Api, Special
from tests.integration.isolation.attacks.route_tests import companies_of, suite_of
from tests.integration.isolation.email_threads.email_setup import (
    MAILBOX_B,
    SET,
    TwoCompanies,
    two_companies,
)
from tests.simulation.email_threads.mails import SENT
from tests.simulation.email_threads.system import BOB, MAILBOX, mail
from tests.simulation.invocations import Invocation

THREAD = "/email-threads/{conversation_id}"
DRAFT = f"{THREAD}/replies/{{reply_id}}"
BOX = "/email-mailboxes/{address}"
MACROS = "/email-threads/macros"
INGEST = "EmailThreadsIngest <- EmailInboundQueue"
WORKER = "EmailThreadsWorker <- EmailThreadsQueue"
IN_BOTH = Special(is_blind="A has the mailbox in both")
A_JOB = Special(
    inputs=({"address": "{person}"},),
    is_blind="the answer is a job, which reads the company's items later",
)

API = Api(
    functions=("EmailThreadsApi",),
    values={
        "conversation_id": "{thread}",
        "reply_id": "{reply}",
        "requester": "{joining}",
        "event_id": "{parked_id}",
        "job_id": "{job}",
        "address": "{mailbox}",
        "participant": "{person}",
        "q": "canary-words",
        "tag": "canary-words",
        "mailbox": MAILBOX,
        "to": [BOB],
        "into": "{other_thread}",
        "n": "1",
        "number": "1",
        "index": "1",
        "name": "{macro}",
        "set_name": SET,
        "run_id": "{run}",
        "trial_id": "{trial}",
        "filename": "a.pdf",
        "content_type": "application/pdf",
        "ids": ["{letter}"],
    },
    special={
        f"PATCH {THREAD}": Special(inputs=({"priority": "high"}, {"snoozed_until": None})),
        f"POST {THREAD}/replies": Special(inputs=({"body_text": "an answer of the attacker"},)),
        f"PATCH {DRAFT}": Special(inputs=({"version": 1, "body_text": "of the attacker"},)),
        "POST /email-threads": replace(
            IN_BOTH,
            inputs=({"mailbox": MAILBOX, "to": [BOB], "subject": "Hello", "body_text": "Hello."},),
        ),
        "GET /email-mailboxes": IN_BOTH,
        "GET /email-threads/signature": Special(is_blind="each caller has an own signature"),
        "POST /email-threads/signature": Special(
            inputs=({"text": "of the attacker"},), is_blind="each caller has an own signature"
        ),
        **{
            f"{method} {MACROS}": Special(is_blind="each company has macros of its own")
            for method in ("GET", "POST")
        },
        f"POST {THREAD}/macros/{{name}}": Special(inputs=({"variables": {}},)),
        f"POST {MACROS}/{{name}}/remove": Special(is_blind="each company has macros of its own"),
        **{f"{method} {BOX}": IN_BOTH for method in ("GET", "PUT", "DELETE")},
        f"GET {BOX}/service-levels": IN_BOTH,
        f"GET {BOX}/outcomes": IN_BOTH,
        f"POST {BOX}/versions": Special(inputs=({"settings": {"facts": ["Of the attacker."]}},)),
        f"POST {BOX}/playground": Special(
            inputs=({"mail": {"conversation_id": "{thread}", "n": 1}},)
        ),
        f"POST {BOX}/sets/{{set_name}}": Special(
            inputs=(
                {"gate": True},
                {
                    "scenarios": [
                        {"kind": "mail", "name": "m", "mails": [{"text": "Hi"}], "expect": {}}
                    ]
                },
            )
        ),
        f"POST {BOX}/sets/{{set_name}}/runs": Special(inputs=({"recorded": True},)),
        f"POST {BOX}/trials": Special(
            inputs=({"mode": "shadow", "version": 1, "most_answers": 1},)
        ),
        f"POST {BOX}/trials/{{trial_id}}/stop": Special(inputs=({"withdraw": True},)),
        f"POST {BOX}/versions/{{number}}/live": Special(inputs=({"instead_of": 2},)),
        "POST /email-threads/contacts/erase": A_JOB,
        "POST /email-threads/contacts/export": A_JOB,
    },
    more=(
        Attack(
            line=f"POST {THREAD}/merge",
            scopes=(Scope.EMAIL_WRITE,),
            call=Call(
                path={"conversation_id": "{thread_of_b}"}, body={"into": "{thread}"}, headers=KEY
            ),
            is_change=True,
            has_no_projects=True,
            is_blind="A does not own the thread that would be merged",
        ),
    ),
)


def _deliver(raw: bytes) -> Callable[[TwoCompanies], object]:
    return lambda companies: companies.system.deliver(raw, name="attack", address=MAILBOX_B)


def _queued(event_of: Callable[[Mapping[str, str]], Any]) -> Callable[[TwoCompanies], object]:
    return lambda companies: companies.system.fifo_queues.put(
        companies.system.queue, entry(event_of(companies.names))
    )


def _answer_with_the_proof_of_b(method: str) -> Callable[[TwoCompanies], object]:
    """The link of a mail to Bob of B, changed to the thread of A."""

    def make(companies: TwoCompanies) -> None:
        link = Link(
            channel="email",
            conversation_id=companies.names["thread_of_b"],
            language="en",
            expires_at=companies.system.clock.ms // 1_000 + 60,
        )
        token = token_of(link).replace(link.conversation_id, companies.names["thread"])
        event = {
            "resource": "/satisfaction/{token}",
            "httpMethod": method,
            "pathParameters": {"token": token},
            "body": "score=5",
        }
        answer = companies.system.api.handler(event, Invocation(companies.system.clock))
        assert answer["statusCode"] == HTTPStatus.NOT_FOUND

    return make


def _separation_of(
    source: str, target: str, numbers: list[int]
) -> Callable[[TwoCompanies], object]:
    return _queued(
        lambda names: EmailSeparate(
            source=names[source],
            target=names[target],
            actor="attacker",
            cause="attack",
            numbers=numbers,
        )
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
        surface=INGEST,
        type="email.send",
        names="a draft of A, in a version that it does not have",
        make=lambda companies: companies.system.fifo_queues.put(
            companies.system.inbound,
            entry(
                EmailSend(
                    conversation_id=companies.names["thread"],
                    reply_id=companies.names["reply"],
                    version=99,
                    attempt=1,
                )
            ),
        ),
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
        type="email.evaluate",
        names="a run of a mailbox of A, as one of B",
        make=lambda companies: companies.system.fifo_queues.put(
            companies.system.queue,
            evaluation_entry(
                EmailEvaluate(
                    company_id=companies.company_b,
                    address=MAILBOX,
                    run_id=companies.names["run"],
                    position=0,
                )
            ),
        ),
    ),
    EventAttack(
        surface=WORKER,
        type="email.shadow",
        names="a thread and a trial of A, and a mail that the thread does not have",
        make=lambda companies: companies.system.fifo_queues.put(
            companies.system.queue,
            shadow_entry(
                EmailShadow(
                    conversation_id=companies.names["thread"],
                    n=99,
                    email_id="of-b",
                    trial_id=companies.names["trial"],
                )
            ),
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
    *(
        EventAttack(
            surface=WORKER,
            type="email.separate",
            names=f"a thread of A and one of B, to {kind}",
            make=_separation_of(source, target, numbers),
            parked=frozenset({"other_company"}),
        )
        for kind, source, target, numbers in (
            ("move mails of A to B", "thread", "thread_of_b", [1]),
            ("move mails of B to A", "thread_of_b", "thread", [1]),
            ("undo a merge that never was", "thread_of_b", "thread", []),
        )
    ),
    *(
        EventAttack(
            surface=f"{method} /satisfaction/{{}}",
            type="answer",
            names="a thread of A, with the proof of a link to one of B",
            make=_answer_with_the_proof_of_b(method),
        )
        for method in ("GET", "POST")
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


companies = companies_of(two_companies, API)
TestRoutes = suite_of(API)


@pytest.mark.parametrize("attack", EVENTS, ids=str)
def test_an_event_that_names_items_of_a_changes_nothing_of_a(
    companies: TwoCompanies, attack: EventAttack[TwoCompanies]
) -> None:
    new = items_after(companies, attack)

    of_a = [item for item in new if item.get("company_id", {}).get("S") == companies.company_a]
    assert not of_a
    parked = [item for item in new if "conversation_id" in item and "reason" in item]
    assert {item["reason"]["S"] for item in parked} == attack.parked
