"""Attacks on every route of the WhatsApp API: the inbox, parked events and dead letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote

import pytest

from shared.api.auth import Scope
from tests.integration.isolation.attacks import Attack, Call, of_document
from tests.integration.isolation.route_tests import suite_of
from tests.integration.isolation.whatsapp_setup import SEND, TwoCompanies, two_companies

READ = (Scope.WHATSAPP_READ,)
WRITE = (Scope.WHATSAPP_WRITE,)
READ_PARKED = (Scope.WHATSAPP_READ, Scope.OPERATOR)
SENDS = (Scope.WHATSAPP_SEND,)
READ_CANNED = (Scope.WHATSAPP_READ, Scope.WHATSAPP_SEND)
KEY = {"Idempotency-Key": "attack-0001"}
REPLAY = (Scope.WHATSAPP_ADMIN, Scope.OPERATOR)
OPERATE = (Scope.OPERATOR,)
PRIVACY = (Scope.WHATSAPP_PRIVACY,)


def of_query(
    line: str,
    scopes: tuple[Scope, ...],
    **query: str,
) -> Attack:
    """A listing with A's ids in the query."""
    return Attack(
        line=line,
        names=", ".join(query) or "nothing",
        scopes=scopes,
        call=lambda a: Call(query={name: value.format(**a) for name, value in query.items()}),
        has_no_projects=True,
    )


def of_key(names: str, key: str, below: str = "/messages", **query: str) -> Attack:
    """A's conversation, or what is *below* it."""
    return Attack(
        line=f"GET /whatsapp/conversations/{{key}}{below}",
        names=names,
        scopes=READ,
        call=lambda a: Call(
            path={"key": key.format(**a)},
            query={name: value.format(**a) for name, value in query.items()},
        ),
        has_no_projects=True,
    )


def of_contact(kind: str) -> list[Attack]:
    """A's customer, by the key of a conversation and by number."""
    calls: dict[str, Callable[[Mapping[str, str]], Call]] = {
        "conversation": lambda a: Call(body={"conversation": unquote(a["key"])}),
        "phoneNumber": lambda a: Call(body={"phoneNumber": a["customer"]}),
    }
    return [
        Attack(
            line=f"POST /whatsapp/contacts/{kind}",
            names=names,
            scopes=PRIVACY,
            call=call,
            has_no_projects=True,
            is_blind="the answer is a job, which reads the company's items later",
        )
        for names, call in calls.items()
    ]


def of_change(line: str, **body: Any) -> Attack:
    """A change of A's conversation."""
    return Attack(
        line=line,
        names=", ".join(("key", *body)),
        scopes=WRITE,
        call=lambda a: Call(
            path={"key": a["key"]},
            body={
                name: value.format(**a) if isinstance(value, str) else value
                for name, value in body.items()
            },
            headers={"Idempotency-Key": "the-same-key"},
        ),
        has_no_projects=True,
    )


def of_key_in_the_table(line: str, scopes: tuple[Scope, ...], **body: Any) -> Attack:
    """The key of A's item instead of the sealed one."""
    return Attack(
        line=line,
        names="the key of the item in the table",
        scopes=scopes,
        call=lambda a: Call(path={"key": f"CONV%23{a['phone']}%23447700900101"}, body=body or None),
        has_no_projects=True,
        is_blind="only sealed keys are read",
    )


def _message(body: Mapping[str, Any], a: Mapping[str, str]) -> Call:
    """A message in A's conversation."""
    return Call(path={"key": a["key"]}, body=body, headers=KEY)


def _canned(body: Mapping[str, Any] | None, a: Mapping[str, str]) -> Call:
    """A change of A's canned reply."""
    return Call(path={"name": a["canned"]}, body=body, headers=KEY)


ATTACKS = [
    of_query("GET /whatsapp/numbers", READ),
    of_query("GET /whatsapp/conversations", READ, assignee="{assignee}"),
    of_query(
        "GET /whatsapp/conversations",
        READ,
        assignee="{assignee}",
        limit="1",
        cursor="{assignee_cursor}",
    ),
    of_query(
        "GET /whatsapp/conversations",
        READ,
        phone="{phone}",
        unread="true",
        archived="false",
        status="open",
    ),
    of_key("key", "{key}", below=""),
    of_key("key", "{key}", below="/notes"),
    of_key("key and cursor", "{key}", below="/notes", limit="1", cursor="{notes_cursor}"),
    of_key("key", "{key}", below="/changes"),
    of_change("PATCH /whatsapp/conversations/{key}", archived=True),
    of_change("PATCH /whatsapp/conversations/{key}", assignee="mallory", revision=0),
    of_change("POST /whatsapp/conversations/{key}/read", upTo="{position}"),
    of_change("POST /whatsapp/conversations/{key}/notes", text="a note of the attacker"),
    of_key_in_the_table("PATCH /whatsapp/conversations/{key}", WRITE, archived=True),
    of_key_in_the_table("POST /whatsapp/conversations/{key}/read", WRITE, upTo="0" * 13),
    of_key_in_the_table("POST /whatsapp/conversations/{key}/notes", WRITE, text="a note"),
    of_key_in_the_table("GET /whatsapp/conversations/{key}/notes", READ),
    of_query("GET /whatsapp/conversations", READ),
    of_query("GET /whatsapp/conversations", READ, phone="{phone}"),
    of_query("GET /whatsapp/conversations", READ, phone="{display}"),
    of_query("GET /whatsapp/conversations", READ, phone="{phone}", limit="1", cursor="{cursor}"),
    of_key("key", "{key}"),
    of_key("key and cursor", "{key}", limit="1", cursor="{messages_cursor}"),
    Attack(
        line="GET /whatsapp/conversations/{key}/messages",
        names="the key of the item in the table",
        scopes=READ,
        call=lambda a: Call(path={"key": f"CONV%23{a['phone']}%23447700900101"}),
        has_no_projects=True,
        is_blind="only sealed keys are read",
    ),
    of_query(
        "GET /whatsapp/analytics",
        READ,
        waba="{waba}",
        to="2026-01-02",
        **{"from": "2026-01-01"},
    ),
    of_query("GET /whatsapp/parked", READ_PARKED),
    of_query("GET /whatsapp/parked", READ_PARKED, state="all", reason="{reason}"),
    of_query("GET /whatsapp/parked", READ_PARKED, company="{company}"),
    of_query(
        "GET /whatsapp/parked",
        READ_PARKED,
        limit="1",
        cursor="{parked_cursor}",
    ),
    Attack(
        line="POST /whatsapp/parked/{event_id}/replay",
        names="event_id",
        scopes=REPLAY,
        call=lambda a: Call(path={"event_id": a["event_id"]}),
        has_no_projects=True,
    ),
    Attack(
        line="POST /whatsapp/parked/replay",
        names="reason",
        scopes=REPLAY,
        call=lambda a: Call(body={"reason": a["reason"]}),
        has_no_projects=True,
    ),
    Attack(
        line="POST /whatsapp/parked/replay",
        names="company",
        scopes=REPLAY,
        call=lambda a: Call(body={"company": a["company"]}),
        has_no_projects=True,
    ),
    of_query("GET /whatsapp/dead-letters", OPERATE),
    Attack(
        line="POST /whatsapp/dead-letters/redrive",
        names="letter",
        scopes=OPERATE,
        call=lambda a: Call(body={"ids": [a["letter"]]}),
    ),
    *of_contact("erase"),
    *of_contact("export"),
    Attack(
        line="GET /whatsapp/privacy-jobs/{job_id}",
        names="job",
        scopes=PRIVACY,
        call=lambda a: Call(path={"job_id": a["job"]}),
        has_no_projects=True,
    ),
    *(
        Attack(
            line=SEND,
            names=f"key, {kind}",
            scopes=SENDS,
            call=partial(_message, body),
            has_no_projects=True,
        )
        for kind, body in (
            ("text", {"text": "Hello"}),
            ("canned reply", {"cannedReply": {"name": "ready"}}),
        )
    ),
    Attack(
        line="POST /whatsapp/uploads",
        names="nothing",
        scopes=SENDS,
        call=lambda _: Call(body={"type": "image", "mimeType": "image/png"}, headers=KEY),
        has_no_projects=True,
        is_blind="a form names no item",
    ),
    of_query("GET /whatsapp/canned-replies", READ_CANNED),
    *(
        Attack(
            line=f"{method} /whatsapp/canned-replies/{{name}}",
            names="name",
            scopes=SENDS,
            call=partial(_canned, body),
            has_no_projects=True,
            is_blind="the answer repeats the request",
        )
        for method, body in (("PUT", {"text": "Hello"}), ("DELETE", None))
    ),
    of_document("GET /whatsapp/sending/openapi.json", *READ_CANNED),
    of_document("GET /whatsapp/openapi.json", *READ, *WRITE),
    of_document("GET /whatsapp/recovery/openapi.json", *READ_PARKED, *REPLAY, *PRIVACY),
]


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


TestRoutes = suite_of(ATTACKS)
