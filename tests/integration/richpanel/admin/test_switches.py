"""Switches over the admin API: shown, changed, traced, and applied by workers."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.richpanel.admin.conftest import READER, SWITCHES, WHERE, Admin


def test_switches_are_shown_with_their_stored_and_their_effective_values(admin: Admin) -> None:
    admin.harness.switch(outbound_scope="everyone")

    result = admin.call(f"GET {SWITCHES}", READER).result

    assert result["readable"] is True
    assert result["switches"]["safe_mode"] == {"text": "false", "in_force": False}
    assert result["switches"]["tier2_paths"] == {
        "text": "linked,number", "in_force": ["linked", "number"],
    }  # fmt: skip
    # An unreadable switch counts as closed.
    assert result["switches"]["outbound_scope"] == {"text": "everyone", "in_force": "none"}
    assert result["switches"]["dry_run"] == {"text": None, "in_force": False}
    assert len(result["switches"]) == 9


def test_a_change_is_stored_and_traced_with_actor_switch_old_and_new_value(
    admin: Admin, log: StringIO
) -> None:
    answer = admin.call(
        f"PUT {SWITCHES}", body={"safe_mode": True, "tier2_channels": [], "tier2_paths": "linked"}
    )

    assert sorted(answer.result["changed"]) == ["safe_mode", "tier2_channels", "tier2_paths"]
    assert admin.stored()["safe_mode"] == "true"
    assert admin.stored()["tier2_channels"] == "none"
    assert admin.stored()["tier2_paths"] == "linked"
    who = {"who": "api-key:0123456789012345", "result": "success"}
    traces = sorted(admin.traces(), key=lambda trace: str(trace["switch"]))
    assert traces == [
        {"switch": "safe_mode", "from": False, "to": True} | who,
        {"switch": "tier2_channels", "from": ["email"], "to": []} | who,
        {"switch": "tier2_paths", "from": ["linked", "number"], "to": ["linked"]} | who,
    ]
    assert answer.result["changes"][0]["facts"]["who"] == "api-key:0123456789012345"
    assert log.getvalue().count('"message":"switch set"') == 3


def test_of_the_template_switches_only_changed_ones_are_traced(admin: Admin) -> None:
    before = json.loads(admin.stored()["template_enabled"])

    admin.call(
        f"PUT {SWITCHES}", body={"template_enabled": before | {"t_return_request_intake": False}}
    )

    (trace,) = admin.traces()
    assert trace["from"] == {"t_return_request_intake": True}
    assert trace["to"] == {"t_return_request_intake": False}


def test_a_switch_that_has_the_wanted_value_is_not_written(admin: Admin) -> None:
    assert admin.call(f"PUT {SWITCHES}", body={"safe_mode": False}).result["changed"] == []
    assert admin.traces() == []


def test_a_worker_applies_a_changed_switch_within_thirty_seconds(admin: Admin) -> None:
    admin.call(f"PUT {SWITCHES}", body={"safe_mode": True})
    admin.harness.switch()  # Half a minute later.
    admin.harness.ticket(WHERE)

    admin.harness.handle()

    assert admin.harness.replies() == []
    assert admin.harness.decided()["reason"] == "safe_mode_route_only"


def test_switches_are_closed_before_others_are_opened_so_that_half_a_change_is_safe(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.harness.switch(auto_close_enabled="false", safe_mode="false")
    provider = admin.module.deps.switchboard.provider()
    real = provider.client.put_parameter

    def fail_to_open(**given: Any) -> Any:
        if given["Name"].endswith("auto_close_enabled"):
            raise ClientError({"Error": {"Code": "TooManyUpdates"}}, "PutParameter")
        return real(**given)

    monkeypatch.setattr(provider.client, "put_parameter", fail_to_open)

    answer = admin.call(f"PUT {SWITCHES}", body={"auto_close_enabled": True, "safe_mode": True})

    assert (answer.status, answer.error) == (503, "switch_not_set")
    assert admin.stored()["safe_mode"] == "true"
    assert admin.stored()["auto_close_enabled"] == "false"
    assert sorted((trace["switch"], trace["result"]) for trace in admin.traces()) == [
        ("auto_close_enabled", "fail: PutParameter: TooManyUpdates"),
        ("auto_close_enabled", "success"),  # traced before the write
        ("safe_mode", "success"),
    ]


def test_a_change_under_the_same_key_is_made_and_traced_once(admin: Admin) -> None:
    first = admin.call(f"PUT {SWITCHES}", body={"safe_mode": True}, key="safe-mode-on")
    admin.call(f"PUT {SWITCHES}", body={"safe_mode": False})

    again = admin.call(f"PUT {SWITCHES}", body={"safe_mode": True}, key="safe-mode-on")

    assert again.result == first.result
    assert admin.stored()["safe_mode"] == "false"
    assert len(admin.traces()) == 2
    other = admin.call(f"PUT {SWITCHES}", body={"safe_mode": False}, key="safe-mode-on")
    assert (other.status, other.error) == (409, "idempotency_key_conflict")
