"""No row has a trace of a customer, before or after the erasure of a ticket: texts and addresses are never stored."""

from __future__ import annotations

import json
from typing import Any

from richpanel.store.items import ROWS
from tests.erasure.coverage import class_of
from tests.erasure.traces import traces, words
from tests.integration.richpanel.admin.conftest import CONVERSATION, DISPUTE, REPLAY, WHERE, Admin
from tests.integration.richpanel.harness import JANE

CANARY, PHONE, NAME = "canary-words", "+447700900321", "Jane Öhlund"
SOUGHT = words(JANE, PHONE, NAME, CANARY, WHERE, DISPUTE)
PATTERNS = {
    row.__name__: f"{table} {pattern}"
    for table, rows in ROWS.items()
    for row in rows
    for pattern in row.patterns[:1]
}
# Classes of which the day stores no row, with the reason.
WITHOUT_ROWS = {
    "Action": "ids and hashes; a reply in dry run has none",
    "ApiRequest": "ids and codes under a hash",
    "DeadLetter": "a reason, under a hash",
    "CustomerState": "times, under a keyed hash",
    "TokenBucket": "a time of the account",
    "Sweep": "times of the sweep",
    "SettingsVersion": "settings of the shop",
    "DecisionSetList": "names of sets of scenarios",
    "DecisionSet": "numbers of a set of scenarios",
    "DecisionScenarios": "made-up tickets",
    "DecisionRun": "numbers of a run",
    "DecisionResult": "answers to made-up tickets",
    "PrivacyJob": "a keyed hash while it runs, then counts",
}


def values(admin: Admin) -> dict[str, Any]:
    names = {"idempotency": "idempotency", "conversation_state": "state", "audit_actions": "audit"}
    found: dict[str, Any] = {}
    for table, name in names.items():
        for row in admin.harness.rows(name):
            key = row.get("event_id") or row["conversation_id"]
            found[f"{table} {key}"] = {**found.get(f"{table} {key}", {}), str(len(found)): row}
    return found


def test_no_row_of_a_ticket_has_a_trace_of_its_customer(admin: Admin) -> None:
    admin.harness.ticket(f"{DISPUTE} {CANARY} {PHONE} {NAME}")
    admin.harness.handle()
    admin.harness.comment(f"{WHERE} {CANARY}")
    admin.harness.handle()
    admin.call(f"POST {REPLAY}", body={"mode": "dry_run"})
    stored = values(admin)

    assert traces(stored, SOUGHT) == {}
    classes = {class_of(place, PATTERNS) for place in stored} - {None}
    assert PATTERNS.keys() - classes <= WITHOUT_ROWS.keys()

    result = admin.call(f"DELETE {CONVERSATION}").result

    assert traces(values(admin), SOUGHT) == {}
    assert {"kept", "outside"} <= result.keys()
    left = [row for row in admin.harness.rows("audit") if row["conversation_id"] == "t-1"]
    assert left == [], json.dumps(left, default=str)
