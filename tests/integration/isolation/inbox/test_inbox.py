"""Attacks on GET /inbox, its rows of other companies and projects, contacts, requests, people, tickets, sessions."""

from __future__ import annotations

from tests.integration.isolation.attacks.route_attacks import Api, Special
from tests.integration.isolation.attacks.route_tests import companies_of, suite_of
from tests.integration.isolation.inbox.inbox_setup import two_companies

NOTIFICATION = f"2026-01-01T12:00:00.000Z#{'a' * 24}"
BROWSER = "https://fcm.googleapis.com/fcm/send/1"
HOOK = {"name": "Mine", "url": "https://hooks.example.com/a", "types": ["message.received"]}
LABELLED = {"field": "label", "operator": "is", "value": "canary-label"}
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
            is_blind="it is for people, and runs later (tests/integration/console/inbox/test_bulk_changes.py)",
        ),
        "POST /inbox/bulk/stop": Special(inputs=({"change_id": "{change}"},)),
        "POST /inbox/bulk/undo": Special(inputs=({"change_id": "{change}"},)),
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
        "POST /contacts/{contact_id}/reachability": Special(
            inputs=(
                {
                    "channel": "email",
                    "value": "who@example.com",
                    "since": "2026-11-01T08:00:00.000Z",
                    "reason": "person_confirmed",
                    "evidence": "said so",
                },
            )
        ),
        "PUT /attributes/{name}": Special(
            inputs=({"kind": "choice", "title": "Tier", "choices": ["iron"], "filterable": True},),
            path={"name": "canary_tier"},
            is_blind=(
                "it defines an attribute of its own company "
                "(tests/integration/console/contacts/test_contact_records.py)"
            ),
        ),
        "DELETE /attributes/{name}": Special(
            path={"name": "canary_tier"},
            is_blind=(
                "it removes an attribute of its own company "
                "(tests/integration/console/contacts/test_contact_records.py)"
            ),
        ),
        "POST /contacts": Special(
            inputs=({"name": "Eve", "identifiers": [{"kind": "phone", "value": "+447700900142"}]},),
            is_blind=(
                "it makes a contact of its own company "
                "(tests/integration/console/contacts/test_contact_changes.py)"
            ),
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
            is_blind="it makes a list of its own company (tests/integration/console/contacts/test_contact_lists.py)",
        ),
        "PATCH /contacts/lists/{list_id}": Special(inputs=({"name": "Regulars"},)),
        "POST /contacts/lists/{list_id}/members": Special(
            inputs=({"contactIds": ["{contact_id}"]},)
        ),
        "POST /contacts/imports": Special(
            is_blind=(
                "it begins an import of its own company "
                "(tests/integration/console/contacts/exchange/test_contact_imports.py)"
            ),
        ),
        "POST /contacts/imports/{import_id}/start": Special(
            inputs=({"columns": ["phone", "name"]},)
        ),
        "POST /contacts/exports": Special(inputs=({"list_id": "{list_id}"},)),
        "POST /contacts/segments": Special(
            inputs=({"name": "People", "conditions": LABELLED},),
            is_blind="it makes a segment of its own company (tests/integration/console/contacts/test_segments.py)",
        ),
        "POST /contacts/segments/count": Special(
            inputs=(
                {"conditions": LABELLED},
                {"conditions": {"field": "list", "operator": "is", "value": "{list_id}"}},
            ),
            is_blind="it counts people of its own company (tests/integration/console/contacts/test_segments.py)",
        ),
        "PATCH /contacts/segments/{segment_id}": Special(inputs=({"conditions": LABELLED},)),
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
            is_blind="it is for people (tests/integration/console/privacy/test_privacy_requests.py)"
        ),
        "GET /privacy/retention": Special(has_no_projects=True),
        "PUT /privacy/retention": Special(
            inputs=(
                {"version": 1, "whatsapp": 90},
                {"version": 1, "whatsapp": 90, "dry_run": True},
            ),
            has_no_projects=True,
            is_blind="it sets the days of its own company (tests/integration/console/privacy/test_retention.py)",
        ),
        "GET /people": Special(has_no_projects=True),
        "GET /reports/conversations": Special(
            inputs=({"from": "2026-01-01", "to": "2026-01-31"},), has_no_projects=True
        ),
        "GET /reports/outcomes": Special(
            inputs=({"from": "2026-01-01", "to": "2026-01-31", "project": "hiring"},)
        ),
        "GET /reports/people": Special(
            inputs=({"from": "2026-01-01", "to": "2026-01-31", "assignee": "{assignee}"},),
            has_no_projects=True,
        ),
        "GET /reports/backlog": Special(has_no_projects=True),
        "GET /reports/settings": Special(has_no_projects=True),
        "PUT /reports/settings": Special(
            inputs=({"business_hours": None},),
            has_no_projects=True,
            is_blind="it sets the hours of its own company (tests/integration/console/inbox/test_reports.py)",
        ),
        "GET /inbox/views": Special(inputs=({"teams": "{team}"},), has_no_projects=True),
        "POST /inbox/views": Special(
            inputs=({"name": "Late", "filters": {"assignee": "{assignee}"}, "team": "night"},),
            has_no_projects=True,
            is_blind="it writes views of its own company (tests/integration/console/inbox/test_saved_views.py)",
        ),
        "GET /inbox/notifications": Special(inputs=({"teams": "{team}"},)),
        "POST /inbox/notifications/read": Special(
            inputs=({"ids": [NOTIFICATION]}, {"upTo": NOTIFICATION}),
            is_blind=(
                "it changes what its own caller has read "
                "(tests/integration/console/notifications/test_notifications.py)"
            ),
        ),
        "POST /inbox/notifications/settings": Special(
            inputs=({"muted": ["assigned"]},),
            is_blind=(
                "it changes settings of its own caller "
                "(tests/integration/console/notifications/test_notifications.py)"
            ),
        ),
        "GET /inbox/notifications/push": Special(
            is_blind="the key is the deployment's, and public"
        ),
        "POST /inbox/notifications/push": Special(
            inputs=({"endpoint": BROWSER},),
            is_blind="it is for its own caller (tests/integration/console/notifications/test_pushes.py)",
        ),
        "POST /inbox/notifications/push/end": Special(
            inputs=({"endpoint": BROWSER},),
            is_blind="it is for its own caller (tests/integration/console/notifications/test_pushes.py)",
        ),
        "POST /inbox/webhooks": Special(
            inputs=(HOOK,),
            has_no_projects=True,
            is_blind="it makes a webhook of its own company (tests/integration/console/notifications/test_webhooks.py)",
        ),
        "POST /inbox/webhooks/{webhook_id}": Special(
            inputs=({"name": "Mine"}, {"state": "paused"}), has_no_projects=True
        ),
        "POST /inbox/webhooks/{webhook_id}/rotate": Special(has_no_projects=True),
        "POST /inbox/webhooks/{webhook_id}/remove": Special(has_no_projects=True),
        "POST /inbox/webhooks/{webhook_id}/test": Special(has_no_projects=True),
        "GET /inbox/webhooks": Special(has_no_projects=True),
        "GET /inbox/webhooks/{webhook_id}/deliveries": Special(has_no_projects=True),
        "POST /inbox/webhooks/{webhook_id}/deliveries/{delivery_id}/resend": Special(
            has_no_projects=True
        ),
        "POST /live/tickets": Special(
            is_blind="a ticket opens a connection of its own company (tests/integration/console/live/test_live.py)"
        ),
        "POST /sign-out": Special(
            is_blind="it ends the sessions of its own person (tests/integration/console/live/test_sign_out.py)"
        ),
    },
)


companies = companies_of(two_companies, API)
TestRoutes = suite_of(API)
