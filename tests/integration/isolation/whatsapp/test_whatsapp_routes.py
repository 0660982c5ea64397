"""Attacks on every route of the WhatsApp API: the inbox, parked events and dead letters."""

from __future__ import annotations

from shared.api.auth import Scope
from tests.integration.isolation.attacks.attacks import Attack, Call
from tests.integration.isolation.attacks.route_attacks import KEY, Api, Special
from tests.integration.isolation.attacks.route_tests import companies_of, suite_of
from tests.integration.isolation.whatsapp.whatsapp_setup import SEND, two_companies

ONE = "/whatsapp/conversations/{key}"
CANNED = "/whatsapp/canned-replies/{name}"
A_JOB = Special(
    inputs=({"conversation": "{conversation}"}, {"phoneNumber": "{customer}"}),
    is_blind="the answer is a job, which reads the company's items later",
)


def of_key_in_the_table(line: str, scope: Scope, **body: object) -> Attack:
    """The key of A's item instead of the sealed one."""
    return Attack(
        line=line,
        scopes=(scope,),
        call=Call(
            path={"key": "CONV%23{phone}%23447700900101"},
            body=body or None,
            headers=KEY if body else {},
        ),
        is_change=bool(body),
        has_no_projects=True,
        is_blind="only sealed keys are read",
    )


API = Api(
    functions=("WhatsAppApi", "WhatsAppSending", "WhatsAppAdmin"),
    values={
        "job_id": "{job}",
        "name": "{canned}",
        "state": "all",
        "from": "2026-01-01",
        "to": "2026-01-02",
        "ids": ["{letter}"],
    },
    special={
        "GET /whatsapp/conversations": Special(
            inputs=(
                {},
                {"phone": "{phone}"},
                {"phone": "{display}"},
                {"phone": "{phone}", "unread": "true", "archived": "false", "status": "open"},
                {"assignee": "{assignee}"},
            )
        ),
        f"PATCH {ONE}": Special(
            inputs=({"archived": True}, {"assignee": "mallory", "revision": 0})
        ),
        f"POST {ONE}/read": Special(inputs=({"upTo": "{position}"},)),
        # Without a filter an operator of A replays B's events too.
        "POST /whatsapp/parked/replay": Special(
            inputs=({"reason": "{reason}"}, {"company": "{company}"})
        ),
        SEND: Special(inputs=({"text": "Hello"}, {"cannedReply": {"name": "ready"}})),
        "POST /whatsapp/uploads": Special(
            inputs=({"type": "image", "mimeType": "image/png"},), is_blind="a form names no item"
        ),
        **{
            f"{method} {CANNED}": Special(is_blind="the answer repeats the request")
            for method in ("PUT", "DELETE")
        },
        "POST /whatsapp/transcripts": Special(
            inputs=({"phone": "{phone}", "messageId": "{recording}"},)
        ),
        "POST /whatsapp/transcription": Special(
            inputs=({"phone": "{phone}", "transcription": None},)
        ),
        "POST /whatsapp/contacts/erase": A_JOB,
        "POST /whatsapp/contacts/export": A_JOB,
    },
    more=(
        of_key_in_the_table(f"GET {ONE}/messages", Scope.WHATSAPP_READ),
        of_key_in_the_table(f"GET {ONE}/notes", Scope.WHATSAPP_READ),
        of_key_in_the_table(f"PATCH {ONE}", Scope.WHATSAPP_WRITE, archived=True),
        of_key_in_the_table(f"POST {ONE}/read", Scope.WHATSAPP_WRITE, upTo="0" * 13),
        of_key_in_the_table(f"POST {ONE}/notes", Scope.WHATSAPP_WRITE, text="a note"),
    ),
)


companies = companies_of(two_companies, API)
TestRoutes = suite_of(API)
