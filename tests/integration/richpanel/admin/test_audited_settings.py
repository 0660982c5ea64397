"""The audit log has what a change of the shop's settings or switches has changed, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.api.audit_log.log import AuditLog
from tests.integration.richpanel.admin.conftest import (
    KEYS,
    PERSON,
    ROLLBACK,
    SETTINGS,
    TOKENS,
    Admin,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.api.audit_log.items import Change


@pytest.fixture
def newest(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[tuple[Any, ...]]]:
    rows: list[Change] = []
    end = AuditLog._end

    def kept(log: AuditLog, item: Change) -> None:
        rows.append(item)
        end(log, item)

    monkeypatch.setattr(AuditLog, "_end", kept)
    return lambda: [(one.field, one.before, one.after) for one in rows[-1].changes]


def put(admin: Admin, settings: Any, based_on: int) -> None:
    body = {"based_on": based_on, "settings": settings}
    assert admin.call(f"PUT {SETTINGS}", body=body).status == 200


def test_a_change_has_the_settings_in_force_before_and_after(
    admin: Admin, newest: Callable[[], list[Any]]
) -> None:
    put(admin, {"languages": ["en"]}, 0)
    put(admin, {"languages": ["en", "es"]}, 1)

    assert newest() == [("languages", "en", "en, es"), ("live_version", "1", "2")]


def test_an_older_version_that_is_put_in_force_has_the_difference_to_the_one_before(
    admin: Admin, newest: Callable[[], list[Any]]
) -> None:
    put(admin, {"languages": ["en"]}, 0)
    put(admin, {"languages": ["en", "es"]}, 1)

    answer = admin.call(f"POST {SETTINGS}/versions/{{number}}/live", named="1", body={})

    assert answer.status == 200
    assert newest() == [("languages", "en, es", "en"), ("live_version", "2", "1")]


def test_a_rollback_has_the_difference_to_the_settings_in_force(
    admin: Admin, newest: Callable[[], list[Any]]
) -> None:
    put(admin, {"languages": ["en"]}, 0)

    assert admin.call(f"POST {ROLLBACK}", body={"number": 0, "based_on": 1}).status == 200

    assert newest() == [("languages", "en", None), ("live_version", "1", "2")]


def test_a_switch_has_its_values_before_and_after(
    admin: Admin, newest: Callable[[], list[Any]]
) -> None:
    answer = admin.call("PUT /admin/richpanel/switches", body={"safe_mode": True})

    assert answer.status == 200
    assert newest() == [("safe_mode", "false", "true")]


def test_written_and_removed_keys_are_named_and_have_no_value(
    admin: Admin, newest: Callable[[], list[Any]]
) -> None:
    body = {"ai_api_key": "a-key-of-the-model", "richpanel": "another-key", "remove": ["shopify"]}

    assert admin.call(f"POST {KEYS}", PERSON, body=body).status == 200
    assert newest() == [
        ("ai_api_key_secret", None, "set"),
        ("richpanel_secret", "set", "set"),
        ("shopify_secret", "set", None),
    ]


def test_tokens_of_the_webhook_are_counted_before_and_after(
    admin: Admin, newest: Callable[[], list[Any]]
) -> None:
    admin.call(f"POST {KEYS}", PERSON, body={"richpanel": "a-key-of-acme"})
    admin.call(f"POST {TOKENS}", PERSON)
    made = newest()
    admin.call(f"DELETE {TOKENS}", PERSON)

    assert (made, newest()) == ([("valid", "1", "2")], [("valid", "2", "1")])


def test_a_stored_account_has_its_fields_before_and_after_without_addresses_of_people(
    admin: Admin, newest: Callable[[], list[Any]]
) -> None:
    put(admin, {"account": {"own_addresses": ["shop@acme.example"]}}, 0)
    put(
        admin,
        {"account": {"own_addresses": ["ann.doe@acme.example"], "trust_linked_order": True}},
        1,
    )

    shown = newest()

    assert ("account.trust_linked_order", None, "true") in shown
    assert "ann.doe" not in str(shown)
