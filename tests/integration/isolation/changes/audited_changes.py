"""Calls each changing route as its owner, and returns the rows of the audit log that it left."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shared.api.audit_log.items import Outcome
from shared.api.audit_log.log import AuditLog
from tests.integration.isolation.attacks.attacks import owner_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pytest

    from shared.api.audit_log.items import Change
    from tests.integration.isolation.attacks.attacks import Attack, System


def rows_of(
    companies: System, attacks: Iterable[Attack], monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[Change]]:
    """The rows of changes that the owner made, by route; a route that refused all of its calls has none."""
    ended: list[Change] = []
    end = AuditLog._end

    def kept(log: AuditLog, item: Change) -> None:
        ended.append(item)
        end(log, item)

    monkeypatch.setattr(AuditLog, "_end", kept)
    found: dict[str, list[Change]] = defaultdict(list)
    for number, attack in enumerate(attacks):
        ended.clear()
        companies.with_a()
        headers = {"Idempotency-Key": f"audited-{number:08}"} if attack.call.headers else {}
        body = BODIES.get(attack.line, attack.call.body)
        call = replace(attack.call, body=body, headers=headers)
        companies.send(attack.line, call.filled(companies.names), owner_of(companies))
        found[attack.line] += [one for one in ended if one.outcome in {Outcome.MADE, Outcome.OPEN}]
    return found


# Bodies that change something, of routes whose derived body changes nothing.
BODIES: Mapping[str, Mapping[str, Any]] = {
    "PUT /email-mailboxes/{address}": {"retention_days": 90},
    "PUT /newsletters/settings": {"version": 1, "ai_daily_units": 7},
    "PATCH /newsletters/issues/{issue_id}": {"version": 1, "subject": "Other news"},
    "PATCH /contacts/{contact_id}": {"language": "de", "name": "Ann Doe"},
    "PATCH /contacts/segments/{segment_id}": {"name": "Friends"},
    "PATCH /contacts/lists/{list_id}": {"name": "Regulars"},
    "POST /operations/people/{person_id}": {"roles": ["agent"], "teams": ["night"]},
    "POST /operations/switches": {"context": "whatsapp", "name": "safe_mode", "on": False},
    "POST /admin/richpanel/settings/versions": {"settings": {"languages": ["en", "es"]}},
    "POST /email-threads/macros": {"name": "later", "add_tags": ["late"]},
}

_PARKED = "it puts parked events back, and changes no settings"
_CONVERSATION = "it acts on one conversation, and the history of the conversation has it"
_CONTENT = "it changes the content of a newsletter, and revisions have it"
_PERSON = (
    "it acts on one person, and the receipt of the request or the record of the contact has it"
)
_WORK = "it starts or ends work, and changes no settings"
_SUGGESTION = (
    "it sorts questions of customers, which are no settings; the log has what the call asked"
)
# Routes without a difference of settings, by the beginning of their lines, with the reason.
WITHOUT_SETTINGS: Mapping[str, str] = {
    **dict.fromkeys(("POST /conversations/parked", "POST /conversations/dead-letters"), _PARKED),
    **dict.fromkeys(("POST /email-threads/parked", "POST /email-threads/dead-letters"), _PARKED),
    **dict.fromkeys(("POST /newsletters/parked", "POST /newsletters/dead-letters"), _PARKED),
    **dict.fromkeys(("POST /richpanel/parked", "POST /richpanel/dead-letters"), _PARKED),
    **dict.fromkeys(("POST /whatsapp/parked", "POST /whatsapp/dead-letters"), _PARKED),
    "POST /conversations/{ref}/": _CONVERSATION,
    "POST /initiate-conversation": _CONVERSATION,
    "POST /unmatched/": _CONVERSATION,
    "POST /email-threads/{conversation_id}": _CONVERSATION,
    "PATCH /email-threads/{conversation_id}": _CONVERSATION,
    "POST /email-threads": _CONVERSATION,
    "PATCH /whatsapp/conversations/{key}": _CONVERSATION,
    "POST /whatsapp/conversations/{key}": _CONVERSATION,
    "POST /whatsapp/uploads": _CONVERSATION,
    "POST /whatsapp/transcripts": _CONVERSATION,
    "POST /admin/richpanel/conversations/{ticket_id}": _CONVERSATION,
    "DELETE /admin/richpanel/conversations/{ticket_id}": _CONVERSATION,
    "POST /inbox/bulk": _CONVERSATION,
    "POST /opt-": "it is evidence of consent, and the record of consent has it",
    "POST /contacts/{contact_id}/": _PERSON,
    "PATCH /contacts/{contact_id}/notes": _PERSON,
    "DELETE /contacts/{contact_id}/notes": _PERSON,
    "POST /contacts/merges": _PERSON,
    "POST /contacts/lists/{list_id}/members": _PERSON,
    "DELETE /contacts/lists/{list_id}/members": _PERSON,
    "POST /privacy/requests": _PERSON,
    "POST /email-threads/contacts": _PERSON,
    "POST /whatsapp/contacts": _PERSON,
    "POST /newsletters/users": _PERSON,
    "POST /contacts/imports": _WORK,
    "POST /contacts/exports": _WORK,
    "POST /inbox/webhooks/{webhook_id}/test": _WORK,
    "POST /inbox/webhooks/{webhook_id}/deliveries": _WORK,
    "POST /email-mailboxes/{address}/trials": "the record of the trial has who began and stopped it, and why",
    "POST /projects/{project_id}/trials": "the record of the trial has who began and stopped it, and why",
    "POST /projects/{project_id}/knowledge/questions": _SUGGESTION,
    "DELETE /projects/{project_id}/knowledge/questions": _SUGGESTION,
    "POST /projects/{project_id}/knowledge/dismissals": _SUGGESTION,
    "PUT /newsletters/{code}/": _CONTENT,
    "DELETE /newsletters/{code}/": _CONTENT,
    "POST /newsletters/{code}/": _CONTENT,
}
_ISSUE = (
    "the issue of the setup is a draft; its class is audited, as the row of its cancellation shows"
)
_OF_THE_SHOP = "tests/integration/richpanel/admin/test_audited_settings.py"
_SECRETS = f"people only: {_OF_THE_SHOP}"
# Routes that no call in the state of the setup can change, with the test of the difference.
NOT_REACHED: Mapping[str, str] = {
    "POST /newsletters/issues/{issue_id}/": _ISSUE,
    "POST /operations/whatsapp/sign-up": "a code of Meta: tests/integration/console/setup/test_sign_up.py",
    "POST /operations/whatsapp/aws-accounts": "an account at AWS: tests/integration/console/setup/test_aws_accounts.py",
    "POST /newsletters/settings/versions/{number}/live": "the only version is live already",
    "POST /admin/richpanel/settings/versions/{number}/live": _OF_THE_SHOP,
    "POST /admin/richpanel/settings/rollback": _OF_THE_SHOP,
    "POST /admin/richpanel/keys": _SECRETS,
    "POST /admin/richpanel/webhook-tokens": _SECRETS,
    "DELETE /admin/richpanel/webhook-tokens": _SECRETS,
}


def problems_of(rows: Mapping[str, list[Change]]) -> list[str]:
    """The routes whose changes left no row with the difference of settings, without a reason for that."""
    problems = []
    for line, found in rows.items():
        has_reason = any(map(line.startswith, [*WITHOUT_SETTINGS, *NOT_REACHED]))
        if not any(row.changes and row.basis == "stored" for row in found) and not has_reason:
            problems.append(f"{line}: {[row.change for row in found] or 'no change was made'}")
        problems += [
            f"{line}: a row of {size} bytes" for size in map(size_of, found) if size > 1_024
        ]
    return problems


def size_of(row: Change) -> int:
    """The size of an item as DynamoDB counts it, or more: names and values as JSON."""
    return len(json.dumps(row.attributes(), default=str, ensure_ascii=False).encode())


def shown_values(rows: Mapping[str, list[Change]]) -> list[str]:
    """The values of rows that are an address, a phone number or a long text, and should be masked."""
    changes = [(row, one) for found in rows.values() for row in found for one in row.changes]
    values = [(row.change, value) for row, one in changes for value in (one.before, one.after)]
    private = re.compile(r".*[\w.+-]{2,}@.*|.*@[\w-]{2,}.*|\+?[0-9 ()]{8,12}|.{121,}")
    return [f"{change}: {value}" for change, value in values if value and private.fullmatch(value)]
