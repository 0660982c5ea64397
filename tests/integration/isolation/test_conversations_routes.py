"""Attacks on every route of the conversations context: the admin API and the router."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from shared.api.auth import Scope
from tests.integration.isolation.attacks import Attack, Call, of_document
from tests.integration.isolation.conversations_setup import (
    TwoCompanies,
    request_of,
    two_companies,
)
from tests.integration.isolation.route_tests import suite_of

READ, REPLY, MANAGE = (
    Scope.CONVERSATIONS_READ,
    Scope.CONVERSATIONS_REPLY,
    Scope.CONVERSATIONS_MANAGE,
)
ADMIN = (Scope.CONVERSATIONS_ADMIN, Scope.OPERATOR)
OPERATE = (Scope.OPERATOR,)
# Each of these scopes allows reading the OpenAPI document.
OF_THE_API = (
    Scope.CONVERSATIONS_INITIATE,
    *(READ, REPLY, MANAGE),
    *(Scope.CONSENT_READ, Scope.CONSENT_WRITE),
    *ADMIN,
)


def of_ref(line: str, scope: Scope, body: Mapping[str, Any] | None = None) -> Attack:
    """A's conversation, by its ref; a change with the idempotency key that A has used for it."""

    def call(a: Mapping[str, str]) -> Call:
        given = {
            name: value.format(**a) if isinstance(value, str) else value
            for name, value in (body or {}).items()
        }
        if line.startswith("GET"):
            return Call(path={"ref": a["ref"]}, query=given)
        return Call(
            path={"ref": a["ref"]}, body=given, headers={"idempotency-key": a["key"] + line[-12:]}
        )

    return Attack(line=line, names="ref", scopes=(scope,), call=call)


def of_list(line: str, scope: Scope, **query: str) -> Attack:
    """A listing with A's ids in the query."""
    return Attack(
        line=line,
        names=", ".join(query) or "nothing",
        scopes=(scope,),
        call=lambda a: Call(query={name: value.format(**a) for name, value in query.items()}),
    )


def of_person(line: str, scope: Scope, **how: Any) -> Attack:
    """A's customer, by address; a change with the idempotency key that A has used for it."""
    body, person = how.pop("body", {}), how.pop("person", "recipient")
    key = {"idempotency-key"} if how.pop("is_change", False) else set()
    return Attack(
        line=line,
        names=person,
        scopes=(scope,),
        call=lambda a: Call(
            body={"recipient": a[person], **body}, headers=dict.fromkeys(key, a["key"])
        ),
        **how,
    )


def of_parked(line: str, **given: str) -> Attack:
    """A's parked events; a change with an idempotency key that A has used for it."""

    def call(a: Mapping[str, str]) -> Call:
        named = {name: value.format(**a) for name, value in given.items()}
        path = {"event_id": a["event_id"]}
        if line.startswith("GET"):
            return Call(path=path, query=named)
        key = a["key"] + "-".join(given)
        return Call(path=path, body=named, headers={"idempotency-key": key})

    names = ", ".join(given) or "parked event"
    return Attack(line=line, names=names, scopes=ADMIN, call=call, has_no_projects=True)


ATTACKS = [
    of_ref("GET /conversations/{ref}", READ),
    of_ref("GET /conversations/{ref}/messages", READ),
    of_ref("GET /conversations/{ref}/messages", READ, {"before": "{before}"}),
    of_ref("POST /conversations/{ref}/take-over", REPLY, {"assignee": "mallory", "force": True}),
    of_ref("POST /conversations/{ref}/messages", REPLY, {"text": "Hello"}),
    of_ref("POST /conversations/{ref}/hand-back", REPLY, {"answer_pending": True}),
    of_ref("POST /conversations/{ref}/release", REPLY, {"draft_entry_id": "{entry_id}"}),
    of_ref(
        "POST /conversations/{ref}/resolve", REPLY, {"entry_id": "{entry_id}", "outcome": "resend"}
    ),
    of_ref(
        "POST /conversations/{ref}/labels", REPLY, {"labels": ["of the attacker"], "revision": 0}
    ),
    of_ref("POST /conversations/{ref}/snooze", REPLY, {"snoozed_until": "{later}"}),
    of_ref("POST /conversations/{ref}/wake", REPLY),
    of_ref("POST /conversations/{ref}/notes", REPLY, {"text": "a note of the attacker"}),
    of_ref("GET /conversations/{ref}/notes", READ),
    of_ref("GET /conversations/{ref}/notes", READ, {"before": "{before_note}"}),
    of_ref("POST /conversations/{ref}/close", MANAGE),
    of_ref("POST /conversations/{ref}/reopen", MANAGE),
    of_list("GET /conversations", READ),
    of_list("GET /conversations", READ, status="reply_sent"),
    of_list("GET /conversations", READ, project_id="{project}"),
    of_list("GET /conversations", READ, limit="1", cursor="{cursor}"),
    of_list("GET /unmatched", MANAGE),
    of_list("GET /unmatched", MANAGE, project_id="{project}"),
    of_list("GET /unmatched", MANAGE, limit="1", cursor="{unmatched_cursor}"),
    of_person("POST /conversations/search", READ),
    of_person(
        "POST /opt-outs/search",
        Scope.CONSENT_READ,
        person="recipient_who_left",
        has_no_projects=True,
    ),
    of_person(
        "POST /opt-outs",
        Scope.CONSENT_WRITE,
        body={"channels": ["*"], "evidence": "said so"},
        is_change=True,
        has_no_projects=True,
    ),
    of_person(
        "POST /opt-ins",
        Scope.CONSENT_WRITE,
        body={"channels": ["sms"], "evidence": "said so"},
        person="recipient_who_left",
        is_change=True,
        has_no_projects=True,
        is_blind="an opt-in names conversations only where it reopens them",
    ),
    Attack(
        line="POST /unmatched/{unmatched_id}/attach",
        names="unmatched_id and ref",
        scopes=(MANAGE,),
        call=lambda a: Call(
            path={"unmatched_id": a["unmatched_id"]},
            body={"ref": a["ref"]},
            headers={"idempotency-key": a["key"]},
        ),
    ),
    of_parked("GET /conversations/parked"),
    of_parked("GET /conversations/parked", state="all", reason="{reason}"),
    of_parked("GET /conversations/parked", company="{company}"),
    of_parked("GET /conversations/parked", limit="1", cursor="{parked_cursor}"),
    of_parked("POST /conversations/parked/{event_id}/replay"),
    of_parked("POST /conversations/parked/replay", reason="{reason}"),
    of_parked("POST /conversations/parked/replay", company="{company}"),
    of_list("GET /conversations/dead-letters", Scope.OPERATOR),
    Attack(
        line="POST /conversations/dead-letters/redrive",
        names="letter",
        scopes=OPERATE,
        call=lambda a: Call(
            body={"ids": [a["letter"]]}, headers={"idempotency-key": a["key"] + "letter"}
        ),
    ),
    of_document("GET /conversations/openapi.json", *OF_THE_API),
    Attack(
        line="POST /initiate-conversation",
        names="company and project",
        scopes=(Scope.CONVERSATIONS_INITIATE,),
        call=lambda a: Call(body=request_of(a["company"], a["project"], "req-new", a["recipient"])),
    ),
    Attack(
        line="POST /initiate-conversation",
        names="request_id, by an answered request",
        scopes=(Scope.CONVERSATIONS_INITIATE,),
        call=lambda a: Call(
            body=request_of(a["company"], a["project"], a["request_id"], a["recipient"])
        ),
    ),
    Attack(
        line="OPTIONS /initiate-conversation",
        names="nothing",
        scopes=(),
        call=lambda _: Call(),
        is_public=True,
        is_blind="a preflight of a browser carries no key and is answered with headers only",
    ),
]


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


TestRoutes = suite_of(ATTACKS)
