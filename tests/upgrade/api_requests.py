"""
Requests to every route of the APIs, for the record, and the answers of today's handlers.

A record is `{"line", "path", "query", "body", "headers", "status", "result"}`: *line* is method and route, *result* the
shape of the answer's JSON (see `shapes`). Ids that a deployment generates are written as `{name}` and filled in from
the system of company A in `tests/integration/isolation`, whose attacks call every route.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tests.integration.isolation.attacks.attacks import Attack, Call, System, owner_of
from tests.integration.isolation.attacks.route_attacks import Api, with_cursors
from tests.integration.isolation.conversations import conversations_setup, test_conversations_routes
from tests.integration.isolation.email_threads import email_setup, test_email_threads
from tests.integration.isolation.inbox import inbox_setup, test_inbox, test_operations
from tests.integration.isolation.newsletters import newsletters_setup, test_newsletters
from tests.integration.isolation.richpanel import richpanel_setup, test_richpanel
from tests.integration.isolation.whatsapp import (
    test_whatsapp_actions,
    test_whatsapp_routes,
    whatsapp_setup,
)
from tests.upgrade.shapes import Shape, shape_of

type Record = dict[str, Any]

CONTEXTS: dict[str, tuple[Callable[[], AbstractContextManager[System]], Api, list[Attack]]] = {
    "whatsapp": (
        whatsapp_setup.two_companies,
        test_whatsapp_routes.API,
        test_whatsapp_actions.ATTACKS,
    ),
    "conversations": (conversations_setup.two_companies, test_conversations_routes.API, []),
    "richpanel": (richpanel_setup.two_companies, test_richpanel.API, []),
    "email_threads": (email_setup.two_companies, test_email_threads.API, []),
    "newsletters": (newsletters_setup.two_companies, test_newsletters.API, []),
    "console": (inbox_setup.two_companies, test_inbox.API, []),
    "operations": (test_operations.two_companies, test_operations.API, []),
}


def running(name: str) -> AbstractContextManager[System]:
    """The running system of a context, with all that requests name."""
    companies, api, _ = CONTEXTS[name]
    return with_cursors(companies, api)


def recorded(name: str, system: System) -> list[Record]:
    """A record of each call of a context, as the company itself makes it."""
    _, api, further = CONTEXTS[name]
    records = []
    for attack in (*api.attacks(system.names), *further):
        call = attack.call
        record = {
            "line": attack.line,
            "path": dict(call.path),
            "query": dict(call.query),
            "body": call.body,
            "headers": dict(call.headers),
        }
        records.append(record | answer(system, record))
    return records


def answer(system: System, record: Record) -> Record:
    """Status and shape of today's answer to a recorded call."""
    call = Call(**{part: record[part] for part in ("path", "query", "body", "headers")})
    system.with_a()
    answered = system.send(record["line"], call.filled(system.names), owner_of(system))
    # The names in an OpenAPI document are those of classes.
    is_document = record["line"].endswith("/openapi.json")
    return {"status": answered.status, "result": {} if is_document else _shape(answered.text)}


def _shape(text: str) -> Shape:
    """The shape of a JSON text; empty for a text that is no JSON."""
    try:
        return shape_of(json.loads(text))
    except ValueError:
        return {}
