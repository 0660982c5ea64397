"""Pure functions of the console, run by Node.js; SMS segments are counted as the server counts them."""

from __future__ import annotations

from typing import Any

import pytest

from access.roles import SCOPES
from shared.access.groups import Role
from shared.api.auth import Scope
from shared.providers.sms.segments import gsm_equivalent, measure
from tests.cases import each
from tests.unit.console.typescript import run

TEXTS = [
    "",
    "Hello",
    "a" * 160,
    "a" * 161,
    "€" * 80,
    "€" * 81,
    "a" * 152 + "€" + "a" * 10,
    "\u201cHello\u201d \u2013 it\u2019s ready\u2026",
    "Grüße aus Köln",
    "ş" * 70,
    "ş" * 71,
    "🔧" * 35,
    "🔧" * 36,
    "a" * 66 + "🔧" + "a" * 4,
    "\u200b\u00a0\t",
]


def test_segments_of_an_sms_are_counted_as_the_server_counts_them() -> None:
    counted = run(
        "conversations/ai/segments.ts",
        "value.map((text) => m.measure(m.gsmEquivalent(text)))",
        TEXTS,
    )

    sizes = [measure(gsm_equivalent(text)) for text in TEXTS]
    assert counted == [
        {"encoding": size.encoding, "units": size.units, "segments": size.segments}
        for size in sizes
    ]


def test_an_order_has_a_total_only_in_one_currency() -> None:
    def item(price: Any, currency: str) -> dict[str, Any]:
        return {
            "product_retailer_id": "lamp",
            "quantity": 3,
            "item_price": price,
            "currency": currency,
        }

    orders = [
        {"items": [item(0.1, "EUR"), item("19.99", "EUR")]},
        {"items": [item(1, "EUR"), item(1, "GBP")]},
        {"items": [item("?", "EUR")]},
        {"items": "no list"},
        None,
    ]

    totals = run(
        "conversations/whatsapp/message/content/order.ts",
        "value.map((content) => m.totalOf(m.itemsOf(content)))",
        orders,
    )

    assert totals == [{"amount": 60.27, "currency": "EUR"}, None, None, None, None]


@pytest.mark.parametrize(
    ("mime_type", "size", "kind"),
    [
        ("image/png", 1_000, "image"),
        ("image/png", 6_000_000, "document"),
        ("image/svg+xml", 1_000, "document"),
        ("video/mp4", 1_000, "video"),
        ("", 1_000, "document"),
    ],
)
def test_a_file_is_sent_as_what_it_fits(mime_type: str, size: int, kind: str) -> None:
    expression = "m.kindOf(value[0], value[1]).type"

    assert (
        run("conversations/whatsapp/composer/attachments.ts", expression, [mime_type, size]) == kind
    )


def test_an_email_address_in_a_note_is_no_mention() -> None:
    note = "@lena see ann@example.com, then tell @Tom."

    parts = run("ui/notes/mentions.ts", "m.partsOf(value)", note)

    assert "".join(part["text"] for part in parts) == note
    assert [part["text"] for part in parts if part["isMention"]] == ["@lena", "@Tom."]


def test_a_canned_reply_keeps_variables_without_a_value() -> None:
    text = "Hello {{name}}, your {{item}} is ready. {{7*7}}"

    filled = run(
        "conversations/whatsapp/composer/variables.ts",
        "m.filled(value, {name: 'Ada', item: ''})",
        text,
    )

    assert filled == "Hello Ada, your {{item}} is ready. {{7*7}}"


def test_groups_of_a_token_are_roles_and_teams_of_companies_with_a_role() -> None:
    groups = [
        "acme:agent",
        "acme:team:night-shift",
        "acme:team:admin",
        "globex:team:sales",
        "other",
        "a:b:c",
    ]

    found = run("session/groups.ts", "[value, 'acme:admin', null].map(m.companiesOf)", groups)

    assert found == [
        [{"company": "acme", "roles": ["agent"], "teams": ["night-shift", "admin"]}],
        [{"company": "acme", "roles": ["admin"], "teams": []}],
        [],
    ]


def test_conversations_may_be_assigned_to_teams_and_to_colleagues_who_answer() -> None:
    def person(name: str, *roles: str) -> dict[str, Any]:
        return {"principal": f"user:{name}", "name": name, "roles": roles, "teams": []}

    people = {
        "people": [person("ada", "agent"), person("me", "admin"), person("op", "operator")],
        "teams": ["returns", "sales"],
        "complete": True,
        "language": "en",
    }

    found = run("session/assignees.ts", "m.assigneesOf(value, 'user:me', ['sales'])", people)

    assert found == {"mine": ["team:sales"], "teams": ["team:returns"], "people": ["user:ada"]}


def test_a_group_that_is_no_role_gives_no_company() -> None:
    """Else the console would offer a company in which the API refuses every call."""
    assert run("session/groups.ts", "m.companiesOf(value)", ["globex:vip", "acme:agent"]) == [
        {"company": "acme", "roles": ["agent"], "teams": []}
    ]


@pytest.mark.parametrize(
    ("role", "reads", "approves"),
    [
        ("agent", True, False),
        ("supervisor", True, True),
        ("admin", True, True),
        ("operator", False, False),
    ],
)
def test_a_role_sees_what_its_scopes_permit(role: str, reads: bool, approves: bool) -> None:
    session = {"company": "acme", "person": {"companies": [{"company": "acme", "roles": [role]}]}}

    rights = run("operations/access.ts", "m.rightsOf(value)", session)

    scopes = SCOPES[Role(role)]
    assert (rights["reads"], rights["approves"]) == (reads, approves)
    assert (Scope.EMAIL_READ in scopes, Scope.EMAIL_APPROVE in scopes) == (reads, approves)


def test_each_command_has_its_own_key_and_leaves_keys_of_the_browser_alone() -> None:
    found = run(
        "shell/commands.ts",
        "m.NAMES.map((name) => [name, m.COMMANDS[name].key, m.commandOf({key: m.COMMANDS[name].key.toUpperCase()}),"
        " ...['ctrlKey', 'altKey', 'metaKey'].map((held) => m.commandOf({key: m.COMMANDS[name].key, [held]: true}))])",
        None,
    )

    assert len({key for _, key, *_ in found}) == len(found)
    assert [one for one in found if one[2:] != [one[0], None, None, None]] == []


def test_a_held_key_repeats_only_steps_through_the_list() -> None:
    repeated = run(
        "shell/commands.ts",
        "m.NAMES.filter((name) => m.commandOf({key: m.COMMANDS[name].key, repeat: true}))",
        None,
    )

    assert repeated == ["next", "previous"]


def test_actions_and_settings_are_found_without_case_and_accents() -> None:
    texts = ["Zurückstellen", "ÜBERSICHT", " Étiquette ", "Zuweisen"]

    assert run("texts/fold.ts", "value.map(m.folded)", texts) == [
        "zuruckstellen",
        "ubersicht",
        "etiquette",
        "zuweisen",
    ]


@pytest.mark.parametrize(
    ("change", "head", "inverse"),
    [
        ({"status": "resolved"}, {"status": "open"}, {"status": "open"}),
        (
            {"status": "resolved"},
            {"status": "snoozed", "snoozedUntil": "2030-01-01T09:00:00Z"},
            {"status": "snoozed", "snoozedUntil": "2030-01-01T09:00:00Z"},
        ),
        ({"status": "open"}, {"status": "resolved"}, {"status": "resolved"}),
        ({"archived": True}, {"archived": False}, {"archived": False}),
        ({"archived": False}, {"archived": True}, {"archived": True}),
        ({"assignee": "user:me"}, {}, {"assignee": None}),
        ({"assignee": "user:me", "revision": 6}, {"assignee": "team:a"}, {"assignee": "team:a"}),
    ],
)
def test_an_undo_leads_back_unless_a_colleague_has_changed_the_conversation(
    change: dict[str, Any], head: dict[str, Any], inverse: dict[str, Any]
) -> None:
    found = run(
        "conversations/whatsapp/undo.ts", "m.inverseOf(value[0], value[1], 7)", [change, head]
    )

    assert found == {**inverse, "revision": 7}


def test_an_undo_of_an_email_status_is_refused_after_a_later_change() -> None:
    statuses = ["active", "completed", "pending_info", "archived"]

    found = run(
        "conversations/email/undo.ts", "value.map((status) => m.undoOf(status, 7))", statuses
    )

    assert found == [
        *({"status": status, "expected_seq": 7} for status in statuses[:2]),
        *(None, None),
    ]


def test_an_undo_runs_at_most_once_and_the_newest_three_are_offered() -> None:
    shown = run(
        "ui/toastList.ts",
        "(value.forEach((text) => m.showToast(text, async () => null)),"
        " [m.shownToasts().map((one) => one.text), value.map(() => m.takeToast(4)?.text ?? null),"
        " m.shownToasts().map((one) => one.text), m.clearToasts(), m.shownToasts().length])",
        ["a", "b", "c", "d"],
    )

    assert shown == [["b", "c", "d"], ["d", None, None, None], ["b", "c"], None, 0]


NOW = 1_000_000
GOOD = {
    "state": "live",
    "isOnline": True,
    "answeredAt": NOW - 1_000,
    "connectionLostAt": None,
    "lateAt": None,
    "visibleSince": NOW - 500_000,
}


@each(
    ("evidence", "sign"),
    [
        ({}, "live"),
        ({"isOnline": False}, "offline"),
        ({"isOnline": False, "state": "off"}, "offline"),
        ({"isOnline": False, "connectionLostAt": NOW - 60_000, "lateAt": NOW}, "offline"),
        ({"state": "reconnecting", "connectionLostAt": NOW - 9_000}, "reconnecting"),
        ({"state": "reconnecting", "connectionLostAt": NOW - 11_000}, "behind"),
        ({"lateAt": NOW - 59_000}, "behind"),
        ({"lateAt": NOW - 61_000}, "live"),
        ({"lateAt": NOW, "state": "off"}, "off"),
        ({"answeredAt": NOW - 71_000}, "behind"),
        ({"answeredAt": NOW - 71_000, "visibleSince": NOW - 5_000}, "live"),
        ({"answeredAt": NOW - 71_000, "state": "off"}, "off"),
        ({"answeredAt": 0, "state": "connecting"}, "connecting"),
    ],
)
def test_the_sign_tells_a_lost_network_from_late_updates(
    evidence: dict[str, Any], sign: str
) -> None:
    found = run("live/sign.ts", f"m.signOf(value, {NOW})", {**GOOD, **evidence})

    assert found == sign
