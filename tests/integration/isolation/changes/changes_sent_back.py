"""
What each PUT and PATCH does with values that a client has read: which read shows the changed object, and how its values
are sent back. The routes come from the code; a route without an entry fails `test_coverage.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass

METHODS = frozenset({"PUT", "PATCH"})
# Change with every write, or with the time.
VOLATILE = frozenset(
    {
        "version",
        "revision",
        "number",
        "updated_at",
        "updatedAt",
        "changed_at",
        "last_seq",
        "change_count",
    }
)
# Name the object to change. Without them another one is meant.
IDENTITIES = frozenset({"id"})
# Maps that are one value: an entry that is left out is removed.
VALUES = frozenset(
    {
        "team_names",
        "brands",
        "requirements_schema",
        "template_enabled",
        "conditions",
        "mailbox_providers",
    }
)
# Fields that are what a call does, or on what condition, and no values of an object.
INSTRUCTIONS = frozenset({"add_tags", "remove_tags", "expected_seq", "dry_run", "seen"})
SOON = "2026-01-02T12:00:00Z"  # of the simulated clock
NEWSLETTER = "/newsletters/{code}"
NEWSLETTER_ISSUE = "/newsletters/issues/{issue_id}"
NEWSLETTER_LIST = "/newsletters/lists/{list_id}"
_KEYS = count(1)

type Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """
    *read* is the route that shows the object, *shown* takes it out of its result, *body* makes what a client sends of
    it. *before* are calls that give the object's fields values of their own; *path* fills the path of all routes.
    """

    read: str
    shown: Callable[[Any], Any] = lambda result: result
    body: Callable[[Any], dict[str, Any]] = dict
    before: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    path: Mapping[str, str] = field(default_factory=dict)


def part(*names: str) -> Callable[[Any], Any]:
    """Take a part out of a result."""

    def found(result: Any) -> Any:
        for name in names:
            result = result[name]
        return result

    return found


CONFIGURATION = {
    "title": "Maize", "description": "For the field", "preview": "What maize costs", "target_audience": ["farmers"],
    "tone_professional": 20, "tone_technical": 25, "format_type": "pdf", "length_preference": "long",
    "frequency": "monthly", "language": "fr",
    "geographic_focus": "Kenya", "user_email": "ann@field.example", "user_name": "Ann",
}  # fmt: skip
MODEL = {
    "provider": "openai",
    "model": "gpt-made-up",
    "api_key_reference": "parley/local/companies/acme/openai",
    "temperature": 0.5,
    "max_output_tokens": 4_096,
}
TOPICS = {
    "selected_types": ["events", "Beekeeping"],
    "custom_topics": [{"name": "Beekeeping", "query": "bees honey", "kind": "resources"}],
}
ITEM = {
    "id": "item-1-1", "description": "What rose", "user_notes": "Briefly", "included": False,
}  # fmt: skip
MAILBOX = {
    "display_name": "The desk", "retention_days": 90, "enabled": True, "reply_mode": "auto", "facts": ["Open at nine."],
    "link_hosts": ["shop.example"], "blocked_senders": ["@spam.example"], "undo_seconds": 5, "signature": "Ann",
    "auto_close_days": 7, "reopen_days": 30, "first_response_minutes": 60, "resolution_minutes": 480,
    "satisfaction_delay_hours": 24,
    "business_hours": {
        "time_zone": "Europe/Berlin", "holidays": ["2026-12-25"],
        "periods": [{"days": ["monday"], "start": "09:00", "end": "17:00"}],
    },
    "ai": MODEL, "automation": "email_threads", "auto_complete": True,
    "requirements_schema": {"properties": {"job": {"type": "string", "description": "Which job?"}}},
}  # fmt: skip
SETTINGS = {
    "languages": ["en", "es"],
    "team_names": {"returns": "Returns"},
    "brands": {"bikes": {"signature": "Bikes", "addresses": ["bikes@acme.example"]}},
}

ROUTES = {
    f"PATCH {NEWSLETTER}": Route(
        read=f"GET {NEWSLETTER}",
        shown=part("metadata"),
        before=((f"PATCH {NEWSLETTER}", CONFIGURATION),),
    ),
    f"PUT {NEWSLETTER}/topics": Route(
        read=f"GET {NEWSLETTER}",
        shown=part("topics"),
        before=(
            (f"POST {NEWSLETTER}/{{step}}/cancel", {}),
            (f"PUT {NEWSLETTER}/topics", TOPICS),
        ),
        path={"step": "topics"},
    ),
    f"PUT {NEWSLETTER}/outline": Route(
        read=f"GET {NEWSLETTER}",
        shown=part("outline"),
        before=(
            (f"PUT {NEWSLETTER}/outline", {"sections": [{"id": "section-1", "items": [ITEM]}]}),
        ),
    ),
    f"PUT {NEWSLETTER}/draft": Route(read=f"GET {NEWSLETTER}", shown=part("draft")),
    f"PUT {NEWSLETTER}/draft/sections/{{key}}": Route(
        read=f"GET {NEWSLETTER}",
        shown=part("draft"),
        body=lambda shown: {
            "version": shown["version"],
            "content": f"## canary-words\n\n{shown['sections']['research']}",
        },
        path={"key": "research"},
    ),
    "PATCH /newsletters/series/{series_id}": Route(
        read="GET /newsletters/series/{series_id}",
        before=(
            (
                "PATCH /newsletters/series/{series_id}",
                {"version": 1, "enabled": False, "timezone": "Africa/Nairobi"},
            ),
        ),
        path={"series_id": "{series}"},
    ),
    "PATCH /newsletters/templates/{template_id}": Route(
        read="GET /newsletters/templates/{template_id}",
        before=(
            (
                "PATCH /newsletters/templates/{template_id}",
                {
                    "version": 1,
                    "layout": "digest",
                    "font_stack": "serif",
                    "logo_url": "https://shop.example/logo.png",
                    "logo_alt": "The shop",
                    "header_md": "News",
                    "footer_md": "Bye",
                },
            ),
        ),
        path={"template_id": "{template}"},
    ),
    "PUT /newsletters/warm-ups/{domain}": Route(
        read="GET /newsletters/warm-ups/{domain}",
        before=(("PUT /newsletters/warm-ups/{domain}", {"version": 1, "provider_percent": 60}),),
        path={"domain": "shop.example"},
    ),
    f"PUT {NEWSLETTER_LIST}": Route(
        read=f"GET {NEWSLETTER_LIST}",
        before=(
            (
                f"PUT {NEWSLETTER_LIST}",
                {
                    "version": 1,
                    "reply_to": "desk@shop.example",
                    "topics": ["Bees"],
                    "keeps_ip": True,
                    "welcome": {"subject": "Welcome", "text": "Nice to have you."},
                },
            ),
        ),
        path={"list_id": "{list}"},
    ),
    f"PATCH {NEWSLETTER_ISSUE}": Route(
        read=f"GET {NEWSLETTER_ISSUE}",
        before=(
            (
                f"PATCH {NEWSLETTER_ISSUE}",
                {
                    "reply_to": "desk@shop.example",
                    "preheader": "What is new",
                    "topics": ["Bees"],
                    "consent": "attested",
                    "consent_statement": "All have subscribed on paper.",
                    "template_id": "{template}",
                    "subject_test": {
                        "subjects": ["Other news"],
                        "sample_percent": 20,
                        "wait_minutes": 60,
                        "decided_by": "person",
                    },
                },
            ),
        ),
        path={"issue_id": "{issue}"},
    ),
    "PUT /newsletters/settings": Route(
        read="GET /newsletters/settings",
        before=(
            (
                "PUT /newsletters/settings",
                {"ai": MODEL, "ai_daily_units": 7, "retrieval": {"min_score": 0.25}},
            ),
        ),
    ),
    "PUT /email-mailboxes/{address}": Route(
        read="GET /email-mailboxes/{address}",
        before=(("PUT /email-mailboxes/{address}", MAILBOX),),
        path={"address": "{mailbox}"},
    ),
    "PATCH /email-threads/{conversation_id}": Route(
        read="GET /email-threads/{conversation_id}",
        before=(
            (
                "PATCH /email-threads/{conversation_id}",
                {
                    "priority": "high",
                    "assigned_to": "ann",
                    "gdpr_consent": True,
                    "reply_mode": "manual",
                    "snoozed_until": SOON,
                    "remind_at": SOON,
                },
            ),
        ),
        path={"conversation_id": "{thread}"},
        body=lambda shown: {**shown, "remind_at": shown["reminder"]["remind_at"]},
    ),
    "PATCH /email-threads/{conversation_id}/replies/{reply_id}": Route(
        read="GET /email-threads/{conversation_id}/replies/{reply_id}",
        before=(
            (
                "PATCH /email-threads/{conversation_id}/replies/{reply_id}",
                {
                    "attachments": [{"n": 1, "index": 0}],
                    "cc": ["cc@field.example"],
                    "bcc": ["bcc@field.example"],
                },
            ),
        ),
        path={"conversation_id": "{thread}", "reply_id": "{reply}"},
    ),
    "PATCH /whatsapp/conversations/{key}": Route(
        read="GET /whatsapp/conversations/{key}",
        before=(
            (
                "PATCH /whatsapp/conversations/{key}",
                {
                    "labels": ["vip"],
                    "assignee": "ann",
                    "status": "snoozed",
                    "snoozedUntil": SOON,
                },
            ),
        ),
    ),
    "PUT /whatsapp/canned-replies/{name}": Route(
        read="GET /whatsapp/canned-replies",
        shown=lambda result: result["cannedReplies"][0],
        path={"name": "{canned}"},
    ),
    "PATCH /contacts/{contact_id}": Route(
        read="GET /contacts/{contact_id}",
        before=(
            (
                "PATCH /contacts/{contact_id}",
                {
                    "name": "Ann Doe",
                    "givenNames": "Ann",
                    "language": "en",
                    "zone": "Europe/Paris",
                    "organisation": "Acme",
                    "labels": ["vip"],
                    "owner": "kim",
                    "attributes": {"canary_tier": "gold"},
                },
            ),
        ),
        path={"contact_id": "{contact_id}"},
    ),
    "PATCH /contacts/lists/{list_id}": Route(
        read="GET /contacts/lists",
        before=(("PATCH /contacts/lists/{list_id}", {"name": "Regulars"}),),
        shown=lambda result: result["lists"][0],
        path={"list_id": "{list_id}"},
    ),
    "PATCH /contacts/segments/{segment_id}": Route(
        read="GET /contacts/segments/{segment_id}",
        before=(("PATCH /contacts/segments/{segment_id}", {"name": "Friends"}),),
        path={"segment_id": "{segment_id}"},
    ),
    "PATCH /contacts/{contact_id}/notes/{note_id}": Route(
        read="GET /contacts/{contact_id}/notes",
        shown=lambda result: result["notes"][0],
        path={"contact_id": "{contact_id}", "note_id": "{note_id}"},
    ),
    "PUT /reports/settings": Route(read="GET /reports/settings"),
    "PUT /privacy/retention": Route(read="GET /privacy/retention"),
    "PUT /attributes/{name}": Route(
        read="GET /attributes",
        shown=lambda result: result["attributes"][0],
        path={"name": "canary_tier"},
    ),
    "PUT /admin/richpanel/switches": Route(
        read="GET /admin/richpanel/switches",
        shown=lambda result: {name: one["in_force"] for name, one in result["switches"].items()},
    ),
    "PUT /admin/richpanel/settings": Route(
        read="GET /admin/richpanel/settings",
        body=lambda shown: {"based_on": shown["number"], "settings": shown["settings"]},
        before=(("PUT /admin/richpanel/settings", {"settings": SETTINGS}),),
    ),
}
