"""Attacks on GET /inbox, its rows of other companies and projects, contacts, requests, people, tickets, sessions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.isolation.inbox_setup import TwoCompanies, two_companies
from tests.integration.isolation.route_attacks import Api, Special, with_cursors
from tests.integration.isolation.route_tests import suite_of

API = Api(
    functions=("InboxApi",),
    values={"assignee": "{assignee}", "q": "{words}", "teams": "{team}", "team": "{team}"},
    special={
        "POST /inbox/bulk": Special(
            inputs=(
                {
                    "action": "resolve",
                    "conversations": [{"context": "email_threads", "key": "of-email_threads"}],
                },
            ),
            is_blind="it is for people, and runs later (tests/integration/console/test_bulk_changes.py)",
        ),
        "POST /inbox/bulk/stop": Special(inputs=({"change_id": "{change}"},)),
        "GET /contacts": Special(
            inputs=(
                {"q": "{person}"},
                {"label": "canary-label"},
                {"owner": "team:canary-team"},
                {"attribute": "canary_tier:gold"},
            )
        ),
        "POST /contacts/{contact_id}/notes": Special(inputs=({"text": "Hi"},)),
        "PATCH /contacts/{contact_id}/notes/{note_id}": Special(inputs=({"text": "Hi"},)),
        "POST /contacts/{contact_id}/consents": Special(
            inputs=({"channel": "sms", "state": "opted_out", "evidence": "said so"},)
        ),
        "PUT /attributes/{name}": Special(
            inputs=({"kind": "choice", "title": "Tier", "choices": ["iron"], "filterable": True},),
            path={"name": "canary_tier"},
            is_blind="it defines an attribute of its own company (tests/integration/console/test_contact_records.py)",
        ),
        "DELETE /attributes/{name}": Special(
            path={"name": "canary_tier"},
            is_blind="it removes an attribute of its own company (tests/integration/console/test_contact_records.py)",
        ),
        "POST /contacts": Special(
            inputs=({"name": "Eve", "identifiers": [{"kind": "phone", "value": "+447700900142"}]},),
            is_blind="it makes a contact of its own company (tests/integration/console/test_contact_changes.py)",
        ),
        "POST /contacts/{contact_id}/identifiers": Special(
            inputs=({"kind": "phone", "value": "+447700900143"},)
        ),
        "POST /contacts/{contact_id}/merge": Special(
            inputs=(
                {"contactId": "{other_contact_id}"},
                {"contactId": "{other_contact_id}", "dryRun": True},
            )
        ),
        "POST /contacts/lists": Special(
            inputs=({"name": "Regulars"},),
            is_blind="it makes a list of its own company (tests/integration/console/test_contact_lists.py)",
        ),
        "PATCH /contacts/lists/{list_id}": Special(inputs=({"name": "Regulars"},)),
        "POST /contacts/lists/{list_id}/members": Special(
            inputs=({"contactIds": ["{contact_id}"]},)
        ),
        "POST /privacy/requests": Special(
            inputs=(
                {"kind": "erase", "subject": {"contact_id": "{contact_id}"}, "reason": "asked"},
                {
                    "kind": "erase",
                    "subject": {"contact_id": "{contact_id}"},
                    "reason": "asked",
                    "dry_run": True,
                },
            ),
            has_no_projects=True,
        ),
        "POST /privacy/requests/{request_id}/confirm": Special(
            is_blind="it is for people (tests/integration/console/test_privacy_requests.py)"
        ),
        "GET /people": Special(has_no_projects=True),
        "GET /inbox/views": Special(inputs=({"teams": "{team}"},), has_no_projects=True),
        "POST /inbox/views": Special(
            inputs=({"name": "Late", "filters": {"assignee": "{assignee}"}, "team": "night"},),
            has_no_projects=True,
            is_blind="it writes views of its own company (tests/integration/console/test_saved_views.py)",
        ),
        "POST /live/tickets": Special(
            is_blind="a ticket opens a connection of its own company (tests/integration/console/test_live.py)"
        ),
        "POST /sign-out": Special(
            is_blind="it ends the sessions of its own person (tests/integration/console/test_sign_out.py)"
        ),
    },
)


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with with_cursors(two_companies, API) as made:
        yield made


TestRoutes = suite_of(API)
