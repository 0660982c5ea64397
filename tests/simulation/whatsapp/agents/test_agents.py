"""
The inbox API may be killed before or after any call it makes: the agent's repeated request, with the same
Idempotency-Key, results in the state of an undisturbed run. So do messages that arrive in between.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import COMPANY, COUNTER
from shared.api.auth import Caller, Scope
from tests import template
from tests.aws import api_gateway
from tests.simulation.crashes.disturbances import deaths, deaths_in
from tests.simulation.interceptor import Died
from tests.simulation.invocations import Invocation
from tests.simulation.processes import imported, quiet
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of
from tests.simulation.whatsapp.final_state import check_at_rest
from tests.simulation.whatsapp.system import Items, System

CALLER = Caller(company=COMPANY, scopes=frozenset(map(str, Scope)), principal="api-key:agent")
# A note is written when the call is made, and a change is recorded with the time of its attempt.
VARIES = {"NOTE": {"receivedAt"}, "CONVERSATION": {"readAt"}, "CONVERSATION_CHANGE": {"at"}}
STATE = {"assignee": "ada", "status": "resolved"}

type Send = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def api(_system: System) -> ModuleType:
    given = {"Stage": "local", "SandboxUrl": _system.sandbox.url}
    seal = template.properties("ApiSealSecret", **given)["Name"]
    variables = template.environment("WhatsAppApi", **given) | {"API_SEAL_SECRET_ID": seal}
    return imported("whatsapp.handlers.api", variables)


@pytest.fixture
def send(system: System, api: ModuleType) -> Send:
    """Call the API as the agent; two unread messages of Ada exist."""

    def call(
        line: str, body: dict[str, Any] | None = None, request: str = "", **query: str
    ) -> dict[str, Any]:
        headers = {"Idempotency-Key": request} if request else {}
        event = api_gateway.request(line, body, CALLER, query=query, headers=headers)
        with quiet():
            answer = api.handler(event, Invocation(system.clock, lasts_ms=29_000))
        assert answer["statusCode"] in {200, 201}, answer["body"]
        result: dict[str, Any] = json.loads(answer["body"])["result"]
        return result

    messages = [ada_message(f"m{n}", text(str(n)), 760 + n) for n in range(2)]
    for message in messages:
        system.deliver_until_accepted(webhook_of(message))
    system.drain()
    return call


@pytest.mark.parametrize("earlier", [0, 1], ids=["the first change", "a later change"])
@pytest.mark.parametrize("request_", ["change", "read", "note"])
def test_a_crash_at_any_call_of_a_change_and_its_repetition_make_it_once(
    system: System, send: Send, request_: str, earlier: int
) -> None:
    [seen] = send("GET /whatsapp/conversations", phone=COUNTER.phone)["conversations"]
    path = f"/whatsapp/conversations/{seen['key']}"
    for number in range(earlier):
        send(f"PATCH {path}", {"assignee": "bob", "archived": True}, f"earlier-{number}")
    line, body = {
        "change": (f"PATCH {path}", STATE),
        "read": (f"POST {path}/read", {"upTo": seen["position"]}),
        "note": (f"POST {path}/notes", {"text": "call back"}),
    }[request_]
    start = system.snapshot()
    system.restore(start)
    send(line, body, "the-request")
    calls = list(system.interceptor.calls)
    clean = comparable(system)

    for number, when in deaths(calls):
        system.restore(start)
        system.interceptor.die_at = (number, when)
        with pytest.raises(Died):
            send(line, body, "the-request")
        system.new_process()
        system.interceptor.rewind()
        system.clock.sleep(30)  # until the claim of the dead call is over

        send(line, body, "the-request")

        assert comparable(system) == clean, f"died {when} call {number}, {calls[number - 1]}"
    check_at_rest(system, system.items())


def test_a_worker_that_dies_while_it_moves_a_conversation_between_lists_leaves_it_in_one(
    system: System, send: Send
) -> None:
    [seen] = send("GET /whatsapp/conversations", phone=COUNTER.phone)["conversations"]
    path = f"/whatsapp/conversations/{seen['key']}"
    send(f"PATCH {path}", STATE, "the-request")
    send(f"POST {path}/read", {"upTo": seen["position"]}, "the-mark")
    system.deliver_until_accepted(webhook_of(ada_message("m9", text("again"), 780)))
    start = system.snapshot()
    system.restore(start)
    system.drain()
    moments = deaths_in(system.interceptor)

    for moment in moments:
        system.restore(start)
        system.interceptor.die_at = moment
        system.run_worker()
        check_lists(system.items())
        system.interceptor.rewind()
        system.drain()

        check_at_rest(system, system.items())
        head = conversation(system.items())
        assert (head["unreadCount"], "status" in head) == (1, False)
        assert head["assigneePk"] == f"{COMPANY}#ada#open#unread"


def conversation(items: Items) -> dict[str, Any]:
    (head,) = (item for item in items.values() if item["itemType"] == "CONVERSATION")
    return head


def check_lists(items: Items) -> None:
    """At any time the lists agree with the unread count, and with each other."""
    head = conversation(items)
    mark = f"{head.get('status', 'open')}#{'unread' if head['unreadCount'] else 'read'}"
    assert head["listPk"] == f"{COUNTER.phone}#{mark}"
    assert head["assigneePk"] == f"{COMPANY}#ada#{mark}"


def comparable(system: System) -> Items:
    """The items without requests and without the times of attempts."""
    found = {}
    for key, item in system.items().items():
        if item["itemType"] == "IDEMPOTENCY":
            continue
        kept = {n: v for n, v in item.items() if n not in VARIES.get(item["itemType"], ())}
        if change := kept.get("lastChange"):
            kept["lastChange"] = {n: v for n, v in change.items() if n != "at"}
        found[key] = kept
    return found
