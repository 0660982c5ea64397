"""Refusals of the admin API: they name the field and the rule, and change nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.richpanel.admin.conftest import (
    CLEAR_RISK,
    CONVERSATION,
    HOST,
    OPERATOR,
    REDRIVE,
    REPLAY,
    SWITCHES,
    WHERE,
    Admin,
)


@pytest.mark.parametrize(
    ("line", "body", "problems"),
    [
        (f"PUT {SWITCHES}", {"safe_mode": "yes"}, {"safe_mode": "must be true or false"}),
        (f"PUT {SWITCHES}", {"dry_run": None}, {"dry_run": "must be true or false"}),
        (f"PUT {SWITCHES}", {"save_mode": True}, {"save_mode": "is not a known switch"}),
        (
            f"PUT {SWITCHES}",
            {"outbound_scope": "everyone"},
            {"outbound_scope": "must be one of none, allowlist, all"},
        ),
        (
            f"PUT {SWITCHES}",
            {"tier2_paths": ["guessed"]},
            {"tier2_paths": "must be none or a comma-separated list of linked, number"},
        ),
        (
            f"PUT {SWITCHES}",
            {"template_enabled": ["t_return_request_intake"]},
            {"template_enabled": "must be a JSON object of templates, each true or false"},
        ),
        (
            f"PUT {SWITCHES}",
            {"template_enabled": {"t_retrun_request_intake": True}},
            {
                "template_enabled": "must name only templates of the catalogue that may be sent"
                " automatically"
            },
        ),
        (
            f"PUT {SWITCHES}",
            {"template_enabled": {"t_legal_threat_ack": True}},
            {
                "template_enabled": "must name only templates of the catalogue that may be sent"
                " automatically"
            },
        ),
        (f"PUT {SWITCHES}", [True], {"body": "must be a JSON object"}),
        (f"PUT {SWITCHES}", "{", {"body": "must be a JSON object"}),
        (f"POST {REPLAY}", {}, {"mode": "Field required"}),
        (f"POST {REPLAY}", {"mode": "send"}, {"mode": "Input should be 'dry_run' or 'repair'"}),
        (
            f"POST {REPLAY}",
            {"mode": "repair", "force": True},
            {"force": "Extra inputs are not permitted"},
        ),
        (f"POST {CLEAR_RISK}", {"flag": "fraud"}, {"flag": "Extra inputs are not permitted"}),
        (f"DELETE {CONVERSATION}", {"now": True}, {"now": "Extra inputs are not permitted"}),
        (
            f"POST {REDRIVE}",
            {"limit": 0},
            {"limit": "Input should be greater than or equal to 1"},
        ),
        (
            f"POST {REDRIVE}",
            {"limit": 101},
            {"limit": "Input should be less than or equal to 100"},
        ),
    ],
)
def test_bad_input_names_the_field_and_the_rule_and_changes_nothing(
    admin: Admin, line: str, body: Any, problems: dict[str, str]
) -> None:
    before = admin.everything(), admin.stored()

    answer = admin.call(line, HOST if line.endswith(REDRIVE) else OPERATOR, body=body)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert answer.problems == problems
    assert (admin.everything(), admin.stored()) == before


def test_a_call_without_a_switch_is_answered_with_the_known_switches(admin: Admin) -> None:
    (problem,) = admin.call(f"PUT {SWITCHES}").problems.values()

    assert "safe_mode" in problem
    assert "outbound_scope" in problem


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 51}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"limit": [5, 6]}, "limit"),
        ({"page": 2}, "page"),
    ],
)
def test_a_bad_query_is_refused(admin: Admin, query: dict[str, Any], field: str) -> None:
    answer = admin.call(f"GET {CONVERSATION}", **query)

    assert (answer.status, list(answer.problems)) == (400, [field])


def test_an_invalid_cursor_or_one_of_another_conversation_is_refused(admin: Admin) -> None:
    admin.harness.ticket(WHERE)
    admin.harness.handle()
    cursor = admin.call(f"GET {CONVERSATION}", limit=1).body["cursor"]

    for ticket, given in (("t-1", "x"), ("t-2", cursor)):
        answer = admin.call(f"GET {CONVERSATION}", ticket=ticket, cursor=given)
        assert (answer.status, answer.error) == (400, "invalid_cursor")


@pytest.mark.parametrize("ticket", ["unknown", "sys:switches", "sys:limiter:richpanel", "CUST:1"])
def test_an_invalid_or_unknown_conversation_is_not_found(admin: Admin, ticket: str) -> None:
    for line in (f"GET {CONVERSATION}", f"POST {CLEAR_RISK}"):
        answer = admin.call(line, ticket=ticket)
        assert (answer.status, answer.error) == (404, "not_found")
    for mode in ("dry_run", "repair"):
        assert admin.replay(mode, ticket).status == 404


@pytest.mark.parametrize("ticket", ["sys:switches", "sys:sweep", "cust:1"])
def test_system_rows_cannot_be_erased_as_conversations(admin: Admin, ticket: str) -> None:
    before = admin.everything()

    assert admin.call(f"DELETE {CONVERSATION}", ticket=ticket).status == 404
    assert admin.everything() == before


def test_an_unknown_route_is_not_found(admin: Admin) -> None:
    assert admin.call("GET /admin/richpanel/nothing").status == 404
