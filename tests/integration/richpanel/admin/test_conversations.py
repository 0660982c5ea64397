"""A conversation over the admin API: shown, its risk flags cleared, and erased."""

from __future__ import annotations

import json
from typing import Any

import pytest

from richpanel.store import states
from shared.privacy.settings import PrivacySettings
from tests.integration.richpanel.admin.conftest import (
    CLEAR_RISK,
    CONVERSATION,
    DISPUTE,
    OPERATOR,
    READER,
    REPLAY,
    WHERE,
    Admin,
)

# A conversation


def test_a_conversation_shows_its_state_and_the_reasons_of_its_decisions(admin: Admin) -> None:
    admin.harness.ticket(DISPUTE)
    admin.harness.handle()

    result = admin.call(f"GET {CONVERSATION}", READER).result

    assert result["conversation_id"] == "t-1"
    assert result["state"]["last_intent"] == "chargeback_dispute"
    assert result["state"]["risk_flags"] == ["chargeback"]
    assert "version" not in result["state"]
    (decision,) = result["decisions"]
    assert (decision["action_type"], decision["result"]) == ("route", "success")
    assert decision["facts"]["reason"] == "tier0_always_handoff"
    assert decision["at"] == "2026-03-02T13:00:00.000Z"
    assert "bank" not in json.dumps(result), "no text of a customer"


def test_decisions_come_newest_first_page_by_page(admin: Admin) -> None:
    admin.harness.ticket(WHERE)
    for number in range(3):
        admin.harness.handle()
        admin.harness.time.ms += 60_000
        admin.harness.comment(f"And what about it? Number {number}")
    admin.harness.handle()
    whole = admin.call(f"GET {CONVERSATION}").result["decisions"]

    answer = admin.call(f"GET {CONVERSATION}", limit=2)
    paged = answer.result["decisions"]
    while cursor := answer.body.get("cursor"):
        answer = admin.call(f"GET {CONVERSATION}", limit=2, cursor=cursor)
        paged += answer.result["decisions"]

    assert paged == whole
    assert len(whole) >= 4
    assert [one["at"] for one in whole] == sorted((one["at"] for one in whole), reverse=True)


def test_an_id_that_needs_escaping_in_a_path_is_found(admin: Admin) -> None:
    name = "<mail/7%41@shop.example>"
    admin.harness.ticket(DISPUTE, ticket=name)
    admin.harness.handle(admin.harness.event(name))

    result = admin.call(f"GET {CONVERSATION}", ticket=name).result

    assert result["state"]["last_intent"] == "chargeback_dispute"


# Risk flags


def test_an_operator_clears_risk_flags_and_the_change_is_traced_twice(admin: Admin) -> None:
    admin.harness.ticket(DISPUTE)
    admin.harness.handle()

    result = admin.call(f"POST {CLEAR_RISK}").result

    assert result == {"conversation_id": "t-1", "cleared": ["chargeback"]}
    assert "risk_flags" not in admin.harness.state()
    assert admin.harness.state()["last_intent"] == "chargeback_dispute"
    trace = {
        "who": "api-key:0123456789012345", "change": "clear_risk", "conversation": "t-1",
        "flags": ["chargeback"], "result": "success",
    }  # fmt: skip
    assert admin.traces() == admin.traces("t-1") == [trace]


def test_clearing_absent_flags_changes_nothing(admin: Admin) -> None:
    admin.harness.ticket(WHERE)
    admin.harness.handle()
    before = admin.everything()

    assert admin.call(f"POST {CLEAR_RISK}").result["cleared"] == []
    requests, *_ = admin.everything()
    assert [row for row in requests if not row["event_id"].startswith("req:")] == before[0]
    assert admin.everything()[1:] == before[1:]


# Erasure


def test_an_erased_conversation_is_a_tombstone_and_its_audit_is_deleted(admin: Admin) -> None:
    admin.harness.ticket(DISPUTE)
    admin.harness.handle()
    erased_at = admin.harness.moment()

    result = admin.call(f"DELETE {CONVERSATION}").result

    assert (result["conversation_id"], result["erased_at"]) == ("t-1", erased_at)
    state = admin.harness.state()
    assert state.keys() == {"conversation_id", "updated_at", "expires_at", "version", "erased_at"}
    assert state["expires_at"] == admin.harness.time.ms // 1_000 + 35 * 86_400
    assert [row for row in admin.harness.rows("audit") if row["conversation_id"] == "t-1"] == []
    (trace,) = admin.traces()
    assert (trace["change"], trace["conversation"]) == ("erase", "t-1")
    shown = admin.call(f"GET {CONVERSATION}").result
    assert (shown["state"]["erased_at"], shown["decisions"]) == (erased_at, [])


def test_a_company_with_four_eyes_erases_a_ticket_by_a_request_alone(admin: Admin) -> None:
    admin.harness.ticket(DISPUTE)
    admin.harness.handle()
    key = PrivacySettings.key_of(OPERATOR.company)
    settings = PrivacySettings(**key, company_id=OPERATOR.company, four_eyes=True)
    admin.module.deps.contacts.put(settings.attributes())
    before = admin.everything()

    answer = admin.call(f"DELETE {CONVERSATION}")

    assert (answer.status, answer.body["error"]["code"]) == (409, "second_person_required")
    assert admin.everything() == before


def test_a_redelivery_stops_at_the_tombstone(admin: Admin) -> None:
    admin.harness.ticket(WHERE)
    admin.call(f"DELETE {CONVERSATION}")
    before = admin.everything()

    assert admin.harness.handle().outcome == "erased"
    assert admin.everything() == before
    assert admin.harness.replies() == []


def test_a_repeated_erasure_removes_rows_that_a_worker_wrote_meanwhile(admin: Admin) -> None:
    admin.harness.ticket(DISPUTE)
    admin.harness.handle()
    late = [row for row in admin.harness.rows("audit") if row["conversation_id"] == "t-1"]
    erased_at = admin.call(f"DELETE {CONVERSATION}").result["erased_at"]
    for row in late:
        admin.harness.resources.audit.put(row)
    admin.harness.time.ms += 1_000

    assert admin.call(f"DELETE {CONVERSATION}").result["erased_at"] == erased_at
    assert [row for row in admin.harness.rows("audit") if row["conversation_id"] == "t-1"] == []


@pytest.mark.parametrize(
    ("line", "body"),
    [
        (f"POST {REPLAY}", {"mode": "dry_run"}),
        (f"POST {REPLAY}", {"mode": "repair"}),
        (f"POST {CLEAR_RISK}", None),
    ],
)
def test_every_change_of_an_erased_conversation_is_refused(
    admin: Admin, line: str, body: Any
) -> None:
    admin.harness.ticket(WHERE)
    states.replace_with_tombstone(admin.harness.resources.state, "t-1", 3_600)

    answer = admin.call(line, body=body)

    assert (answer.status, answer.error) == (409, "erased")
    assert admin.events() == []
