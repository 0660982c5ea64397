"""Attacks on every route of the conversations context: the admin API and the router."""

from __future__ import annotations

from events.conversations import sample_data
from shared.api.auth import Scope
from tests.integration.isolation.attacks.attacks import Attack, Call
from tests.integration.isolation.attacks.route_attacks import Api, Special
from tests.integration.isolation.attacks.route_tests import companies_of, suite_of
from tests.integration.isolation.conversations.conversations_setup import (
    ANN,
    NOTE,
    REQUEST_ID,
    request_of,
    two_companies,
)

ONE = "/conversations/{ref}"


def of_router(request_id: str) -> Attack:
    """A request for a conversation of A's project."""
    return Attack(
        line="POST /initiate-conversation",
        scopes=(Scope.CONVERSATIONS_INITIATE,),
        call=Call(body=request_of(sample_data.COMPANY, sample_data.PROJECT, request_id, ANN)),
        is_change=True,
    )


API = Api(
    functions=("ConversationsAdmin",),
    values={
        "project_id": "{project}",
        "number": "{version}",
        "set_name": "{set}",
        "run_id": "{run}",
        "trial_id": "{trial}",
        "question_id": "{question}",
        "question": "of the attacker",
        "status": "reply_sent",
        "snoozed_until": "{later}",
        "labels": ["of the attacker"],
        "evidence": "said so",
        "channels": ["*"],
        "state": "all",
        "ids": ["{letter}"],
    },
    special={
        f"POST {ONE}/take-over": Special(inputs=({"assignee": "mallory", "force": True},)),
        f"POST {ONE}/messages": Special(inputs=({"text": "Hello"},)),
        f"POST {ONE}/hand-back": Special(inputs=({"answer_pending": True},)),
        f"POST {ONE}/release": Special(inputs=({"draft_entry_id": "{entry_id}"},)),
        f"POST {ONE}/resolve": Special(inputs=({"entry_id": "{entry_id}", "outcome": "resend"},)),
        f"POST {ONE}/ratings": Special(inputs=({"entry_id": "{entry_id}", "rating": "up"},)),
        f"POST {ONE}/playground": Special(
            inputs=({"message": "2026-01-01T12:00:00.000Z~{entry_id}"},)
        ),
        f"POST {ONE}/labels": Special(inputs=({"labels": ["of the attacker"], "revision": 0},)),
        f"POST {ONE}/memory": Special(
            inputs=({"summary": "Of the attacker", "facts": ["Of the attacker"], "revision": 1},)
        ),
        f"GET {ONE}/notes": Special(inputs=({}, {"before": "{before_note}"})),
        "POST /projects/{project_id}": Special(
            path={"project_id": "pi-new-001"},
            inputs=(
                {
                    "project_name": "New",
                    "ai_config": {"provider": "scripted"},
                    "channel_config": {"email": {"company_email": sample_data.EMAIL_SENDER}},
                },
            ),
        ),
        "POST /projects/{project_id}/switches": Special(
            inputs=({"project_status": "inactive"}, {"automation_enabled": False})
        ),
        "POST /projects/{project_id}/versions": Special(
            inputs=({"settings": {"timezone": "Europe/Berlin"}, "based_on": 2},)
        ),
        "POST /projects/{project_id}/trials": Special(
            inputs=({"mode": "shadow", "version": 2, "most_answers": 1},)
        ),
        "POST /projects/{project_id}/trials/{trial_id}/stop": Special(inputs=({"withdraw": True},)),
        "POST /projects/{project_id}/versions/{number}/live": Special(inputs=({"instead_of": 1},)),
        "POST /projects/{project_id}/playground": Special(
            inputs=({"channel": "sms", "version": 2},)
        ),
        "POST /projects/{project_id}/sets/{set_name}": Special(
            inputs=({"gate": True}, {"scenarios": [{"name": "mine", "turns": [{"says": "Hi"}]}]})
        ),
        "POST /projects/{project_id}/sets/{set_name}/runs": Special(inputs=({"recorded": True},)),
        "POST /projects/{project_id}/knowledge/search": Special(
            inputs=({"query": NOTE, "version": 2},)
        ),
        "POST /projects/{project_id}/knowledge/results": Special(inputs=({"version": 2},)),
        "POST /projects/{project_id}/knowledge/dismissals": Special(
            inputs=({"questions": ["{unanswered}"]},)
        ),
        "POST /projects/{project_id}/knowledge/acceptances": Special(
            inputs=(
                {"questions": ["{unanswered}"], "kind": "fact", "title": "Mine", "text": "Mine"},
            )
        ),
        "POST /opt-outs/search": Special(inputs=({"recipient": "{recipient_who_left}"},)),
        "POST /opt-ins": Special(
            inputs=(
                {
                    "recipient": "{recipient_who_left}",
                    "channels": ["sms"],
                    "evidence": "said so",
                },
            ),
            is_blind="an opt-in names conversations only where it reopens them",
        ),
    },
    more=(
        of_router("req-new"),
        of_router(REQUEST_ID),  # which A has answered
        Attack(
            line="OPTIONS /initiate-conversation",
            scopes=(),
            call=Call(),
            is_public=True,
            is_blind="a preflight of a browser carries no key and is answered with headers only",
        ),
    ),
)


companies = companies_of(two_companies, API)
TestRoutes = suite_of(API)
