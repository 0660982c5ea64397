"""Attacks on every route, webhook and queue of the help-desk middleware, which serves one company of the deployment."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from richpanel.inbound import event
from richpanel.inbound.channels import Channel
from shared.api.auth import Scope
from shared.aws.sqs_fifo import Entry
from tests.integration.isolation.attacks import Attack, Call, assert_unchanged, of_document
from tests.integration.isolation.events_under_attack import EventAttack
from tests.integration.isolation.richpanel_setup import (
    MESSAGE,
    OTHER_TICKET,
    TICKET,
    TwoCompanies,
    two_companies,
)
from tests.integration.isolation.route_tests import suite_of
from tests.simulation.invocations import Invocation

READ = (Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE)
OPERATE = (Scope.RICHPANEL_OPERATE,)
WEBHOOK = "POST /webhooks/richpanel"
QUEUES = {
    "RichpanelQueue": "RichpanelWorker <- RichpanelQueue",
    "RichpanelLiveQueue": "RichpanelWorker <- RichpanelLiveQueue",
}


def of_ticket(
    line: str,
    scopes: tuple[Scope, ...],
    body: dict[str, Any] | None = None,
    *,
    is_blind: str = "",
    **query: str,
) -> Attack:
    """A's ticket."""
    return Attack(
        line=line,
        names=", ".join(["ticket", *query]),
        scopes=scopes,
        call=lambda a: Call(
            path={"ticket_id": a["ticket"]},
            query={name: value.format(**a) for name, value in query.items()},
            body=body,
        ),
        is_blind=is_blind,
        has_no_projects=True,
    )


def of_deployment(
    line: str, scopes: tuple[Scope, ...], body: dict[str, Any] | None = None
) -> Attack:
    """Resources that exist once per deployment and belong to A, like the help desk."""
    return Attack(
        line=line,
        names="nothing",
        scopes=scopes,
        call=lambda _: Call(body=body),
        is_blind="it is there without a ticket too",
        has_no_projects=True,
    )


def of_parked(line: str, scopes: tuple[Scope, ...], **query: str) -> Attack:
    """A's parked events."""
    return Attack(
        line=line,
        names=", ".join(["parked event", *query]),
        scopes=scopes,
        call=lambda a: Call(
            path={"event_id": a["parked_id"]},
            query={name: value.format(**a) for name, value in query.items()},
            body=None if line.startswith("GET") else {},
        ),
        has_no_projects=True,
    )


PREVIEW = {"template": "t_return_request_intake"}
TICKETS = "/admin/richpanel/conversations/{ticket_id}"
ATTACKS = [
    of_ticket(f"GET {TICKETS}", READ),
    of_ticket(f"GET {TICKETS}", READ, limit="1", cursor="{cursor}"),
    of_ticket(f"POST {TICKETS}/replay", OPERATE, {"mode": "dry_run"}),
    of_ticket(f"POST {TICKETS}/replay", OPERATE, {"mode": "repair"}),
    of_ticket(f"POST {TICKETS}/clear-risk", OPERATE, {}),
    of_ticket(
        f"DELETE {TICKETS}", OPERATE, {}, is_blind="an erasure leaves the same tombstone either way"
    ),
    of_deployment("GET /admin/richpanel/switches", READ),
    of_deployment("PUT /admin/richpanel/switches", OPERATE, {"safe_mode": True}),
    of_deployment("GET /admin/richpanel/decisions", READ),
    of_deployment("GET /admin/richpanel/health", READ),
    of_deployment("GET /admin/richpanel/settings", READ),
    of_deployment("GET /admin/richpanel/settings/versions", READ),
    of_deployment("GET /admin/richpanel/templates", READ),
    of_deployment("POST /admin/richpanel/settings/preview", READ, PREVIEW),
    of_deployment("PUT /admin/richpanel/settings", OPERATE, {"based_on": 0, "settings": {}}),
    of_deployment("POST /admin/richpanel/settings/rollback", OPERATE, {"based_on": 1, "number": 0}),
    of_parked("GET /richpanel/parked", (*READ, Scope.OPERATOR)),
    of_parked(
        "GET /richpanel/parked", (*READ, Scope.OPERATOR), limit="1", cursor="{parked_cursor}"
    ),
    of_parked("POST /richpanel/parked/{event_id}/replay", (*OPERATE, Scope.OPERATOR)),
    of_parked("POST /richpanel/parked/replay", (*OPERATE, Scope.OPERATOR)),
    of_deployment("GET /richpanel/dead-letters", (Scope.OPERATOR,)),
    of_deployment("POST /richpanel/dead-letters/redrive", (Scope.OPERATOR,), {}),
    of_document("GET /admin/richpanel/openapi.json", *READ, Scope.OPERATOR),
]


# Webhook and queues


def posted(companies: TwoCompanies, **headers: str) -> int:
    """Post to the webhook about A's ticket; returns the status of the response."""
    call = {
        "requestContext": {"requestId": "attack"},
        "headers": {"Content-Type": "application/json", **headers},
        "body": json.dumps({"ticket_id": TICKET, "message_id": "another"}),
        "isBase64Encoded": False,
    }
    status = companies.system.webhook.handler(call, Invocation(companies.system.clock))[
        "statusCode"
    ]
    return int(status)


def queued(queue: str, source: str, **facts: Any) -> Callable[[TwoCompanies], None]:
    """Enqueue an event about another ticket, with A's ids."""

    def make(companies: TwoCompanies) -> None:
        known: dict[str, Any] = {
            "conversation_id": OTHER_TICKET, "event_id": None, "adopts": None, "message_id": None,
            "source": source, "channel": Channel.EMAIL, "trigger": "-", "created_at": None,
            "received_at": companies.system.clock.ms, "accepted_at": companies.system.clock.ms,
            "text": "", "attachments": 0,
        }  # fmt: skip
        body = event.RichpanelEvent(**known | facts).to_json()
        fifo_queues = companies.system.fifo_queues
        name = next(
            n for n in fifo_queues.queues if ("live" in n) == (queue == "RichpanelLiveQueue")
        )
        fifo_queues.put(name, Entry(body, OTHER_TICKET, event.deduplication_id(body)))

    return make


EVENT_OF_A = f"evt:rp:{TICKET}:{MESSAGE}"
EVENTS: list[EventAttack[TwoCompanies]] = [
    EventAttack(surface=WEBHOOK, type="ticket", names="A's ticket, without a token", make=posted),
    EventAttack(
        surface=WEBHOOK,
        type="ticket",
        names="A's ticket, with another token",
        make=lambda c: posted(c, **{"X-Middleware-Token": "a token of company B"}),
    ),
    EventAttack(
        surface=WEBHOOK,
        type="ticket",
        names="A's ticket, with a forged signature",
        make=lambda c: posted(
            c, **{"X-Timestamp": str(c.system.clock.ms), "X-Signature": "0" * 64}
        ),
    ),
    *(
        EventAttack(surface=surface, type=source, names=names, make=queued(queue, source, **facts))
        for queue, surface in QUEUES.items()
        for source in sorted(event.SOURCES)
        for names, facts in (
            ("A's event, as that of another ticket", {"event_id": EVENT_OF_A}),
            ("A's event, to be adopted", {"adopts": EVENT_OF_A}),
            ("A's message, in another ticket", {"message_id": MESSAGE}),
        )
    ),
]


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


TestRoutes = suite_of(ATTACKS)


@pytest.mark.parametrize("attack", EVENTS, ids=str)
def test_an_event_of_another_sender_or_ticket_does_not_change_items_of_a(
    companies: TwoCompanies, attack: EventAttack[TwoCompanies]
) -> None:
    companies.without_a()
    owned = companies.stored()
    companies.with_a()
    before = companies.stored()

    answered = attack.make(companies)
    companies.system.drain()

    if attack.surface == WEBHOOK:
        assert answered == 401, f"{attack}: answered {answered}"
        owned_or_none = None
    else:
        owned_or_none = owned
    assert_unchanged(str(attack), before, companies.stored(), owned_or_none, ("canary-words",))
