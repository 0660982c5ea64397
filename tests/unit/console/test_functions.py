"""Pure functions of the console, run by Node.js; SMS segments are counted as the server counts them."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from access.roles import SCOPES
from console.api.inputs import LONGEST_QUERY
from local.console import build
from shared.access.groups import Role
from shared.api.auth import Scope
from shared.providers.sms.segments import gsm_equivalent, measure
from tests.cases import each
from tests.template import ROOT

SOURCES = ROOT / "console" / "src"
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


def run(module: str, expression: str, value: Any) -> Any:
    """Evaluate an expression with the functions of a module and `value`, and return its result."""
    script = (
        f"import * as m from {json.dumps((SOURCES / module).as_uri())};"
        f"const value = {json.dumps(value)};"
        f"console.log(JSON.stringify({expression}));"
    )
    node = str(build.node() / "bin" / "node")
    command = [node, "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)  # noqa: S603 - our own program and sources
    return json.loads(answer.stdout)


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
        "conversations/whatsapp/message/order.ts",
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

    parts = run("ui/mentions.ts", "m.partsOf(value)", note)

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
    }

    found = run("people/assignees.ts", "m.assigneesOf(value, 'user:me', ['sales'])", people)

    assert found == {"mine": ["team:sales"], "teams": ["team:returns"], "people": ["user:ada"]}


def test_a_group_that_is_no_role_gives_no_company() -> None:
    """Else the console would offer a company in which the API refuses every call."""
    assert run("session/groups.ts", "m.companiesOf(value)", ["globex:vip", "acme:agent"]) == [
        {"company": "acme", "roles": ["agent"], "teams": []}
    ]


STORAGE = """
globalThis.sessionStorage = Object.create({
  getItem(key) { return this[key] ?? null; },
  setItem(key, text) { this[key] = text; },
  removeItem(key) { delete this[key]; },
})
"""


def test_a_repeat_of_a_content_has_the_same_key_until_it_is_forgotten() -> None:
    kept = run(
        "conversations/drafts.ts",
        f"({STORAGE}, value.map((content) => content === null ? m.forgetKey('form') : m.keyOf('form', content)))",
        ["yes", "yes", "no", "yes", None, "yes"],
    )

    first, repeat, other, later, forgotten, again = kept
    assert first == repeat
    assert forgotten is None
    assert len({first, other, later, again}) == 4


def test_what_is_typed_while_a_text_is_sent_stays_a_draft() -> None:
    left = run(
        "conversations/drafts.ts",
        "value.map((text) => m.withoutSent(text, 'Hello'))",
        ["Hello", "Hello\nand good", "", "Another text"],
    )

    assert left == ["", "and good", "", "Another text"]


def test_a_change_of_a_draft_is_told_to_the_forms_that_show_it() -> None:
    heard = run(
        "conversations/drafts.ts",
        f"({STORAGE}, globalThis.heard = [], m.onDrafts(() => heard.push(m.draftOf('form'))),"
        " m.keepDraft('form', value), m.keepDraft('form', ''), heard)",
        "Hello",
    )

    assert heard == ["Hello", ""]


def test_drafts_of_another_person_are_removed() -> None:
    kept = run(
        "conversations/drafts.ts",
        f"({STORAGE}, value.map((person) => "
        "(m.keepDraftsOf(person), m.draftOf('form') || m.keepDraft('form', person))))",
        ["user:ada", "user:ada", "user:tom", "user:tom"],
    )

    assert kept == [None, "user:ada", None, "user:tom"]


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


NOTHING_ASKED = {
    "status": None,
    "unread": False,
    "unassigned": False,
    "waiting": False,
    "q": "",
    "channel": None,
    "address": None,
    "assignee": None,
    "label": None,
    "due": None,
}


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"q": "Ünïcode & more=1? #5"},
        {"q": "+44 7700 900101", "status": "archived"},
        {"status": "all", "unread": True, "unassigned": True, "waiting": True},
        {
            "channel": "sms",
            "address": "+1 555%2F",
            "assignee": "team:a/b",
            "label": "später?",
            "due": "at_risk",
        },
    ],
)
def test_an_address_has_all_filters_of_the_list(asked: dict[str, Any]) -> None:
    wanted = {**NOTHING_ASKED, **asked}

    assert run("inbox/address.ts", "m.askedOf(m.queryOf(value))", wanted) == wanted


@pytest.mark.parametrize(
    "query",
    [
        "status=lost&channel=fax&due=now&unread=yes&other=1&q=%20",
        "%%%",
        "q=&label=&status",
        "status=OPEN",
    ],
)
def test_unknown_filters_of_a_typed_address_are_left_out(query: str) -> None:
    assert run("inbox/address.ts", "m.askedOf(value)", query) == NOTHING_ASKED


def test_words_of_an_address_are_as_long_as_the_api_takes_them() -> None:
    found = run("inbox/address.ts", "m.askedOf('q=' + value).q", "x" * 500)

    assert len(found) == LONGEST_QUERY


def test_a_search_covers_all_statuses_unless_one_is_chosen() -> None:
    asked = [
        {"q": "", "status": None},
        {"q": "ada", "status": None},
        {"q": "ada", "status": "open"},
        {"q": "", "status": "archived"},
    ]

    assert run("inbox/address.ts", "value.map(m.statusOf)", asked) == [
        "open",
        "all",
        "open",
        "archived",
    ]


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
    "unansweredAt": 0,
    "connectionLostAt": None,
    "visibleSince": NOW - 500_000,
}


@each(
    ("evidence", "sign"),
    [
        ({}, "live"),
        ({"isOnline": False}, "offline"),
        ({"isOnline": False, "state": "off"}, "offline"),
        ({"unansweredAt": NOW}, "offline"),
        ({"unansweredAt": NOW - 2_000}, "live"),
        ({"state": "reconnecting", "connectionLostAt": NOW - 9_000}, "reconnecting"),
        ({"state": "reconnecting", "connectionLostAt": NOW - 11_000}, "behind"),
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


def test_a_saved_view_is_a_place_and_the_list_that_it_shows_is_the_view_again() -> None:
    asked = {**NOTHING_ASKED, "label": "vip", "unread": True, "q": "Ada"}
    filters = {"label": "vip", "unread": "true", "status": "open"}

    found = run(
        "inbox/savedViews.ts",
        "[m.filtersOf('all', value[0], 'open', 'user:me'), m.filtersOf('mine', value[0], 'open', 'user:me').assignee,"
        " m.filtersOf('whatsapp', value[0], 'open', null).context, m.placeOfView({context: 'whatsapp', ...value[1]}),"
        " m.isShown({...value[1], due: null}, m.filtersOf('all', value[0], 'open', null)),"
        " m.isShown({status: 'open'}, value[1]), m.countText(99, false)]",
        [asked, filters],
    )

    place = {"section": "whatsapp", "query": "label=vip&status=open&unread=true"}
    assert found == [filters, "user:me", "whatsapp", place, True, False, "99+"]
