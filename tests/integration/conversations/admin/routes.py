"""The routes of the admin API, each with a call that it accepts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conversations.store.items.records import Unmatched
from conversations.store.recovery import unhandled
from shared.api.auth import Scope
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import ANN, COMPANY, PROJECT, Harness, caller
from tests.simulation.conversations.invocations import PERSON

ENTRY = "0" * 8 + "-0000" * 3 + "-" + "0" * 12


@dataclass(frozen=True)
class Route:
    """A route, its scope, and a call that it accepts."""

    line: str
    scope: Scope
    body: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)

    @property
    def is_change(self) -> bool:
        reads = ("/search", "/playground", "/results")
        return not self.line.startswith("GET") and not self.line.endswith(reads)

    def call(self, harness: Harness, ref: str, message: str, **how: Any) -> Answer:
        names = {"ref": ref} if "{ref}" in self.line else {}
        names |= {"unmatched_id": message} if "{unmatched_id}" in self.line else {}
        names |= {"project_id": PROJECT} if "{project_id}" in self.line else {}
        names |= {"set_name": "tea"} if "{set_name}" in self.line else {}
        names |= {"question_id": "none"} if "{question_id}" in self.line else {}
        names |= {"run_id": "none"} if "{run_id}" in self.line else {}
        names |= {"number": "1"} if "{number}" in self.line else {}
        body = self.body | ({"ref": ref} if "ref" in self.body else {})
        given = body if self.line.startswith("POST") else None
        return harness.call(self.line, given, query=self.query, names=names, **how)


READ, REPLY = Scope.CONVERSATIONS_READ, Scope.CONVERSATIONS_REPLY
MANAGE = Scope.CONVERSATIONS_MANAGE
CONSENT = {"recipient": ANN, "channels": ["sms"], "evidence": "ticket 7"}
OF_ONE = [
    Route("GET /conversations/{ref}", READ),
    Route("GET /conversations/{ref}/messages", READ),
    Route("POST /conversations/{ref}/take-over", REPLY, {PERSON: "carol"}),
    Route("POST /conversations/{ref}/messages", REPLY, {"text": "Hello"}),
    Route("POST /conversations/{ref}/hand-back", REPLY, {"answer_pending": True}),
    Route("POST /conversations/{ref}/release", REPLY),
    Route("POST /conversations/{ref}/resolve", REPLY, {"entry_id": ENTRY, "outcome": "sent"}),
    Route("POST /conversations/{ref}/labels", REPLY, {"labels": ["vip"], "revision": 0}),
    Route("POST /conversations/{ref}/snooze", REPLY, {"snoozed_until": "2026-06-01T12:00:00Z"}),
    Route("POST /conversations/{ref}/wake", REPLY),
    Route("POST /conversations/{ref}/ratings", REPLY, {"entry_id": ENTRY, "rating": "up"}),
    Route("GET /conversations/{ref}/notes", READ),
    Route("GET /conversations/{ref}/memory", READ),
    Route(
        "POST /conversations/{ref}/memory", REPLY, {"summary": "", "facts": ["A"], "revision": 0}
    ),
    Route("POST /conversations/{ref}/notes", REPLY, {"text": "Prefers nights"}),
    Route("POST /conversations/{ref}/close", MANAGE),
    Route("POST /conversations/{ref}/reopen", MANAGE),
    Route("POST /unmatched/{unmatched_id}/attach", MANAGE, {"ref": ""}),
]
OF_COMPANY = [
    Route("GET /conversations", READ),
    Route("POST /conversations/search", READ, {"recipient": ANN}),
    Route("GET /unmatched", MANAGE),
    Route("POST /opt-outs/search", Scope.CONSENT_READ, {"recipient": ANN}),
    Route("POST /opt-outs", Scope.CONSENT_WRITE, CONSENT),
    Route("POST /opt-ins", Scope.CONSENT_WRITE, CONSENT),
]
ADMIN = Scope.CONVERSATIONS_ADMIN
OF_PROJECTS = [
    Route("GET /projects", ADMIN),
    Route("POST /projects/{project_id}", ADMIN),
    Route(
        "POST /conversations/{ref}/playground",
        ADMIN,
        {"message": f"2026-01-01T12:00:00.000Z~{ENTRY}"},
    ),
    Route("GET /projects/{project_id}/spending", ADMIN),
    Route("POST /projects/{project_id}/switches", ADMIN, {"automation_enabled": False}),
    Route("GET /projects/{project_id}/versions", ADMIN),
    Route("GET /projects/{project_id}/versions/{number}", ADMIN),
    Route("POST /projects/{project_id}/versions", ADMIN, {"settings": {}}),
    Route("POST /projects/{project_id}/versions/{number}/live", ADMIN),
    Route("POST /projects/{project_id}/playground", ADMIN, {"channel": "sms"}),
    Route("GET /projects/{project_id}/sets", ADMIN),
    Route("GET /projects/{project_id}/sets/{set_name}", ADMIN),
    Route(
        "POST /projects/{project_id}/sets/{set_name}",
        ADMIN,
        {"scenarios": [{"name": "a", "turns": [{"says": "Hi"}]}]},
    ),
    Route("POST /projects/{project_id}/sets/{set_name}/runs", ADMIN),
    Route("GET /projects/{project_id}/runs/{run_id}", ADMIN),
    Route("GET /projects/{project_id}/trials", ADMIN),
    Route("GET /projects/{project_id}/trials/{trial_id}", ADMIN),
    Route("GET /projects/{project_id}/trials/{trial_id}/answers", ADMIN),
    Route("POST /projects/{project_id}/trials", ADMIN, {"mode": "shadow", "version": 2}),
    Route("POST /projects/{project_id}/trials/{trial_id}/stop", ADMIN),
    Route("POST /projects/{project_id}/knowledge/search", ADMIN, {"query": "tea"}),
    Route("GET /projects/{project_id}/knowledge/questions", ADMIN),
    Route("POST /projects/{project_id}/knowledge/questions", ADMIN, {"question": "Tea?"}),
    Route("DELETE /projects/{project_id}/knowledge/questions/{question_id}", ADMIN),
    Route("POST /projects/{project_id}/knowledge/results", ADMIN),
    Route("GET /projects/{project_id}/knowledge/suggestions", ADMIN),
    Route("POST /projects/{project_id}/knowledge/dismissals", ADMIN, {"questions": ["a"]}),
    Route(
        "POST /projects/{project_id}/knowledge/acceptances",
        ADMIN,
        {"questions": ["a"], "kind": "fact", "title": "Tea", "text": "Tea at five."},
    ),
]
ROUTES = OF_ONE + OF_COMPANY
CHANGES = [route for route in ROUTES if route.is_change]


def store_unmatched(harness: Harness, company: str = COMPANY, number: int = 1) -> str:
    """Store an unmatched message; returns the id that the company sees."""
    at = harness.later()
    event = {
        "type": "inbound_message",
        "provider": "twilio",
        "provider_message_id": f"SM{number}",
        "account": "AC1",
        "channel_method": "sms",
        "business_address": "+12025550142",
        "customer_address": "+447700900555",
        "received_at": at,
        "kind": "text",
        "text": "Is anybody there?",
    }
    unmatched_item = Unmatched(
        unmatched_id=f"{number:024}",
        project_id=PROJECT,
        channel_method="sms",
        received_at=at,
        event=event,
    )
    unhandled.keep_unmatched(harness.resources.log, company, unmatched_item, [])
    shown = harness.call("GET /unmatched", who=caller(company)).result["messages"]
    return str(shown[0]["id"])
