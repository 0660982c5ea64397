"""Synchronising reads all pages, writes differences only, and marks what is gone."""

from __future__ import annotations

from typing import Any

import pytest

from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.whatsapp.actions.conftest import (
    AWS_WABA,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    WABA,
    Actions,
)
from tests.integration.whatsapp.actions.templates.catalogue import BODY, at_aws, listed
from tests.integration.whatsapp.conftest import NOW, PHONE
from whatsapp import store
from whatsapp.actions.templates import accounts, synchronisation
from whatsapp.worker.updates.templates import caches

HOUR_MS = 3_600_000
META = {"metaWabaId": WABA}
EUM = {"wabaId": AWS_WABA}


def at(monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + hours * HOUR_MS)


def versions(actions: Actions) -> dict[str, dict[str, Any]]:
    """All cached templates."""
    keys = [key for key in actions.harness.keys() if key.startswith("TEMPLATE_")]
    return {key: actions.item(key) for key in keys}


def test_all_pages_are_read_and_written_once(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "PAGE", 10)
    for number in range(23):
        listed(actions.sandbox, BODY, name=f"offer_{number}", id=str(9_000 + number))

    first = actions.run("sync_templates_meta", META)
    before = versions(actions)
    second = actions.run("sync_templates_meta", META)

    assert first.result == {"read": 23, "changed": 23, "removed": 0, "isComplete": True}
    assert second.result == {"read": 23, "changed": 0, "removed": 0, "isComplete": True}
    assert versions(actions) == before
    pages = [one for one in actions.wire if one.operation == "list_templates"]
    assert len(pages) == 6
    assert [("after" in one.query, one.query["limit"]) for one in pages[:2]] == [
        (False, "10"),
        (True, "10"),
    ]
    assert all(one.path == f"/v23.0/{WABA}/message_templates" for one in pages)


def test_what_changed_or_disappeared_is_written(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    sale = listed(actions.sandbox, BODY, id="77")
    gone = listed(actions.sandbox, BODY, name="old_sale", id="78")
    listed(actions.sandbox, BODY, name="same", id="79")
    actions.run("sync_templates_meta", META)
    at(monkeypatch, 1)
    sale |= {"status": "REJECTED", "rejected_reason": "ABUSIVE_CONTENT"}
    sale["quality_score"] = {"score": "YELLOW", "date": 5}
    actions.sandbox.templates.remove(gone)

    answer = actions.run("sync_templates_meta", META)

    assert answer.result == {"read": 2, "changed": 1, "removed": 1, "isComplete": True}
    item = actions.item(f"TEMPLATE_META#{WABA}#spring_sale")
    assert (item["status"], item["reason"]) == ("REJECTED", "ABUSIVE_CONTENT")
    assert item["qualityScore"] == "YELLOW"
    old = actions.item(f"TEMPLATE_META#{WABA}#old_sale#en_US")
    assert (old["status"], old["statusRaw"]) == ("DISABLED", "DELETED")
    assert actions.run("sync_templates_meta", META).result["removed"] == 0


def test_a_failure_removes_nothing(actions: Actions) -> None:
    for number in range(3):
        listed(actions.sandbox, BODY, name=f"offer_{number}", id=str(9_000 + number))
    actions.run("sync_templates_meta", META)
    del actions.sandbox.templates[1:]
    for status in (500, 429):
        actions.sandbox.faults.add(
            provider="meta", operation="list_templates", kind="status", status=status, times=3
        )
        assert actions.run("sync_templates_meta", META).status in {429, 503}
        actions.sandbox.faults.clear()

    items = versions(actions).values()
    assert all(one["statusRaw"] == "APPROVED" for one in items)


def test_more_pages_than_are_read_remove_nothing(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = listed(actions.sandbox, BODY, name="old_sale", id="78")
    actions.run("sync_templates_meta", META)
    actions.sandbox.templates.remove(gone)
    for number in range(3):
        listed(actions.sandbox, BODY, name=f"offer_{number}", id=str(9_000 + number))
    monkeypatch.setattr(synchronisation, "MOST_PAGES", 2)
    monkeypatch.setattr(accounts, "PAGE", 1)
    at(monkeypatch, 1)

    answer = actions.run("sync_templates_meta", META)

    assert answer.result == {"read": 2, "changed": 2, "removed": 0, "isComplete": False}


def test_named_templates_only(actions: Actions, monkeypatch: pytest.MonkeyPatch) -> None:
    listed(actions.sandbox, BODY, id="77")
    listed(actions.sandbox, BODY, name="spring_sale_2", id="78")
    actions.run("sync_templates_meta", META)
    at(monkeypatch, 1)
    actions.sandbox.templates.clear()

    answer = actions.run("sync_templates_meta", {**META, "names": ["spring_sale"]})

    assert answer.result == {"read": 0, "changed": 0, "removed": 1, "isComplete": True}
    assert actions.item(f"TEMPLATE_META#{WABA}#spring_sale_2")["status"] == "APPROVED"
    bodies = actions.run("sync_templates_meta", {**META, "templates": [{"name": "a"}]})
    assert (bodies.status, bodies.fields) == (400, ["templates"])


def test_templates_at_aws_are_cached_without_components_until_they_are_read(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.register_eum()
    monkeypatch.setattr(accounts, "PAGE", 10)
    for number in range(12):
        at_aws(actions.sandbox, BODY, name=f"offer_{number}", id=str(9_000 + number))
    gone = at_aws(actions.sandbox, BODY, id="77", language="de", quality_score="GREEN")

    first = actions.run("eum_sync_templates", EUM)
    second = actions.run("eum_sync_templates", EUM)

    assert (first.result["changed"], second.result["changed"]) == (13, 0)
    lists = [one for one in actions.wire if one.operation == "ListWhatsAppMessageTemplates"]
    assert [one.query.get("maxResults") for one in lists] == ["10"] * 4
    item = actions.item(f"TEMPLATE_EUM#{AWS_WABA}#spring_sale#de")
    assert (item["qualityScore"], item["metaTemplateId"]) == ("GREEN", "77")
    assert item["syncedAt"] == clock.to_text(NOW)
    assert "components" not in item
    actions.run("eum_get_template", {**EUM, "templateName": "spring_sale", "language": "de"})
    assert actions.item(f"TEMPLATE_EUM#{AWS_WABA}#spring_sale#de")["components"] == [BODY]

    at(monkeypatch, 1)
    actions.sandbox.templates.remove(gone)
    assert actions.run("eum_sync_templates", EUM).result["removed"] == 1
    item = actions.item(f"TEMPLATE_EUM#{AWS_WABA}#spring_sale#de")
    assert (item["templateStatus"], item["statusRaw"]) == ("DISABLED", "DELETED")


def test_an_unchanged_template_is_confirmed_twice_a_day(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(actions.sandbox, BODY, id="77")
    actions.run("sync_templates_meta", META)
    at(monkeypatch, 11)
    early = actions.run("sync_templates_meta", META)
    at(monkeypatch, 12)
    late = actions.run("sync_templates_meta", META)

    assert (early.result["changed"], late.result["changed"]) == (0, 1)
    cached_at = actions.item(f"TEMPLATE_META#{WABA}#spring_sale#en_US")["cachedAt"]
    assert cached_at == clock.to_text(NOW + 12 * HOUR_MS)


def test_a_template_of_a_later_report_is_not_removed(actions: Actions) -> None:
    listed(actions.sandbox, BODY, id="77")
    actions.run("sync_templates_meta", META)
    actions.sandbox.templates.clear()
    report = {
        "event": "APPROVED",
        "message_template_id": 77,
        "message_template_name": "spring_sale",
        "message_template_language": "en_US",
        "reason": "NONE",
    }
    # One second after now: later than any reading of now.
    actions.harness.receive_account_change("message_template_status_update", report, 3_601)

    assert actions.run("sync_templates_meta", META).result["removed"] == 0
    assert actions.item(f"TEMPLATE_META#{WABA}#spring_sale")["status"] == "APPROVED"


@pytest.mark.parametrize("waba", [WABA, EUM_WABA])
def test_refreshing_uses_the_accounts_provider(actions: Actions, waba: str) -> None:
    actions.register_eum()
    listed(actions.sandbox, BODY, id="77")
    at_aws(actions.sandbox, BODY, id="78")

    answer = actions.run("refresh_templates", {"metaWabaId": waba})

    assert answer.result["read"] == 1
    operation = "list_templates" if waba == WABA else "ListWhatsAppMessageTemplates"
    assert [one.operation for one in actions.wire] == [operation]


@pytest.mark.parametrize("phone", [PHONE, EUM_PHONE])
def test_a_schedule_synchronises_without_a_call(actions: Actions, phone: str) -> None:
    actions.register_eum()
    listed(actions.sandbox, BODY, id="77")
    at_aws(actions.sandbox, BODY, id="78")
    number = store.phones.get(actions.harness.resources.table, phone)
    assert number is not None

    counts = synchronisation.synchronise(actions.module.resources, number)

    assert (counts.read, counts.changed) == (1, 1)


def test_a_concurrent_write_is_repeated_and_then_reported(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(actions.sandbox, BODY, id="77")
    record, failures = caches.record, [2]

    def contended(*given: Any, **more: Any) -> None:
        failures[0] -= 1
        if failures[0] >= 0:
            raise Transient("template_contended")
        record(*given, **more)

    monkeypatch.setattr(caches, "record", contended)
    assert actions.run("sync_templates_meta", META).result["changed"] == 1
    failures[0] = 9
    listed(actions.sandbox, BODY, name="other", id="78")
    assert actions.run("sync_templates_meta", META).status == 503


def test_others_cannot_synchronise(actions: Actions) -> None:
    actions.register_eum()

    assert actions.run("sync_templates_meta", META, caller=GLOBEX).status == 404
    assert actions.run("eum_sync_templates", EUM, caller=GLOBEX).status == 404
    assert actions.run("refresh_templates", META, caller=GLOBEX).status == 404
    assert actions.wire == []
