"""Attacks on every route, webhook and queue of the help-desk middleware, which serves one company of the deployment."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from richpanel.inbound import event
from richpanel.inbound.channels import Channel
from shared.aws.sqs_fifo import Entry
from tests.integration.isolation.attacks.attacks import assert_unchanged
from tests.integration.isolation.attacks.events_under_attack import EventAttack
from tests.integration.isolation.attacks.route_attacks import Api, Special
from tests.integration.isolation.attacks.route_tests import companies_of, suite_of
from tests.integration.isolation.richpanel.richpanel_setup import (
    MESSAGE,
    OTHER_TICKET,
    SET,
    TICKET,
    TwoCompanies,
    two_companies,
)
from tests.simulation.invocations import Invocation

WEBHOOK = "POST /webhooks/richpanel"
QUEUES = {
    "RichpanelQueue": "RichpanelWorker <- RichpanelQueue",
    "RichpanelLiveQueue": "RichpanelWorker <- RichpanelLiveQueue",
}
ADMIN = "/admin/richpanel"
TICKET_LINE = f"{ADMIN}/conversations/{{ticket_id}}"
# The help desk belongs to A, and is there once per deployment.
OF_THE_DEPLOYMENT = "it is there without a ticket too"

MADE_UP = {"kind": "ticket", "name": "a", "text": "Hello", "expect": {}}

API = Api(
    functions=("RichpanelAdmin",),
    values={
        "ticket_id": "{ticket}",
        "event_id": "{parked_id}",
        "number": "1",
        "set_name": SET,
        "run_id": "{run}",
    },
    special={
        f"POST {TICKET_LINE}/replay": Special(inputs=({"mode": "dry_run"}, {"mode": "repair"})),
        f"DELETE {TICKET_LINE}": Special(
            is_blind="an erasure leaves the same tombstone either way"
        ),
        f"PUT {ADMIN}/switches": Special(inputs=({"safe_mode": True},), is_blind=OF_THE_DEPLOYMENT),
        f"POST {ADMIN}/settings/preview": Special(
            inputs=({"template": "t_return_request_intake"},), is_blind=OF_THE_DEPLOYMENT
        ),
        f"POST {ADMIN}/playground": Special(
            inputs=({"text": "Where is it?"},), is_blind=OF_THE_DEPLOYMENT
        ),
        f"PUT {ADMIN}/settings": Special(
            inputs=({"based_on": 0, "settings": {}},), is_blind=OF_THE_DEPLOYMENT
        ),
        f"POST {ADMIN}/settings/rollback": Special(
            inputs=({"based_on": 1, "number": 0},), is_blind=OF_THE_DEPLOYMENT
        ),
        f"POST {ADMIN}/settings/versions": Special(
            inputs=({"settings": {}},), is_blind=OF_THE_DEPLOYMENT
        ),
        f"POST {ADMIN}/settings/versions/{{number}}/live": Special(
            inputs=({},), is_blind=OF_THE_DEPLOYMENT
        ),
        f"GET {ADMIN}/settings/versions/{{number}}": Special(is_blind=OF_THE_DEPLOYMENT),
        f"POST {ADMIN}/sets/{{set_name}}": Special(
            inputs=({"scenarios": [MADE_UP]},), is_blind=OF_THE_DEPLOYMENT
        ),
        f"POST {ADMIN}/sets/{{set_name}}/runs": Special(
            inputs=({"recorded": True},), is_blind=OF_THE_DEPLOYMENT
        ),
        f"GET {ADMIN}/sets/{{set_name}}": Special(is_blind=OF_THE_DEPLOYMENT),
        f"GET {ADMIN}/runs/{{run_id}}": Special(is_blind=OF_THE_DEPLOYMENT),
        f"POST {ADMIN}/keys": Special(
            inputs=({"richpanel": "a-key-of-b"},), is_blind=OF_THE_DEPLOYMENT
        ),
        f"POST {ADMIN}/webhook-tokens": Special(is_blind=OF_THE_DEPLOYMENT),
        f"DELETE {ADMIN}/webhook-tokens": Special(is_blind=OF_THE_DEPLOYMENT),
        "POST /richpanel/dead-letters/redrive": Special(is_blind=OF_THE_DEPLOYMENT),
        **{
            f"GET {path}": Special(is_blind=OF_THE_DEPLOYMENT)
            for path in (
                *(
                    f"{ADMIN}/{name}"
                    for name in ("switches", "decisions", "forecast", "health", "settings")
                ),
                *(
                    f"{ADMIN}/{name}"
                    for name in ("settings/versions", "templates", "account", "sets")
                ),
                "/richpanel/dead-letters",
            )
        },
    },
)


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
            ("A's event, as another ticket's", {"event_id": EVENT_OF_A}),
            ("A's event, to be adopted", {"adopts": EVENT_OF_A}),
            ("A's message, in another ticket", {"message_id": MESSAGE}),
        )
    ),
]


companies = companies_of(two_companies, API)
TestRoutes = suite_of(API)


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
