"""Public profiles: changed here, then at the provider; and the hourly refresh."""

from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import EUM_PHONE, EUM_WABA, GLOBEX, WABA, Actions
from tests.integration.whatsapp.actions.templates import catalogue
from tests.integration.whatsapp.conftest import NOW, PHONE
from whatsapp.actions.accounts.numbers import refresh
from whatsapp.actions.accounts.numbers.profiles import profiles
from whatsapp.store.items import Phone

SENDER = {"phoneNumberId": PHONE}
EDGE = "/{Version}/{Phone-Number-ID}/whatsapp_business_profile"
PROFILE = f"PROFILE#{WABA}"
DATA: dict[str, Any] = {
    "about": "Bikes and repairs",
    "address": "1 High Street",
    "description": "A shop for bikes",
    "email": "hello@example.com",
    "websites": ["https://example.com"],
    "vertical": "RETAIL",
}
PICTURE = "uploads/acme/picture.png"
OF_THE_ACCOUNT = {
    "metaWabaId": WABA,
    "tenantId": "acme",
    "provider": "graph",
    "displayPhoneNumber": "15550783555",
    "graphTokenSecret": "acme",
}


def a_picture(actions: Actions, content: bytes = b"\x89PNG\r\n\x1a\n" + b"x" * 20) -> str:
    actions.harness.resources.bucket.put(PICTURE, content, "image/png")
    return PICTURE


def the_phone(actions: Actions, phone: str = PHONE) -> Phone:
    return Phone.read(actions.item(f"PHONE#{phone}"))


def test_a_change_is_stored_and_made_at_the_provider(actions: Actions) -> None:
    changed = actions.run("update_business_profile", {**SENDER, "data": DATA}).result

    assert (changed["syncStatus"], changed["about"]) == ("synced", DATA["about"])
    item = actions.item(PROFILE)
    assert {name: item[name] for name in DATA} == DATA
    assert (item["syncStatus"], item["businessName"]) == ("synced", "Acme Bikes")
    assert (item["wabaMetaId"], item["updatedAt"]) == (WABA, "2026-01-01T12:00:00.000Z")
    assert wire.problems(actions.wire[0], "POST", EDGE) == []
    shown = actions.run("get_business_profile", {**SENDER, "refresh": False}).result
    assert shown == changed


def test_a_failed_change_stays_pending_and_is_finished_later(actions: Actions) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="update_profile", kind="status", status=500, times=3
    )
    failed = actions.run("update_business_profile", {**SENDER, "data": {"about": "New"}})
    assert failed.error == "provider_unavailable"
    item = actions.item(PROFILE)
    assert (item["syncStatus"], item["attempts"]) == ("pending_sync", 1)
    assert item["syncError"] == "ProviderUnavailable"
    differs = actions.run("get_business_profile_apply_instructions", SENDER).result
    assert differs["differences"] == [{"field": "about", "here": "New"}]
    assert profiles.finish_pending(actions.module.resources, the_phone(actions)) is True
    assert actions.item(PROFILE)["syncStatus"] == "synced"
    assert profiles.finish_pending(actions.module.resources, the_phone(actions)) is None
    nothing = actions.run("get_business_profile_apply_instructions", SENDER).result
    assert nothing["differences"] == []


def test_a_refused_change_is_tried_three_times(actions: Actions) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="update_profile", kind="status", status=400, times=9
    )
    refused = actions.run("update_business_profile", {**SENDER, "data": {"about": "New"}})
    assert refused.error == "provider_rejected"
    tried = [
        profiles.finish_pending(actions.module.resources, the_phone(actions)) for _ in range(3)
    ]
    assert tried == [False, False, None]
    assert actions.item(PROFILE)["syncError"] == "graph_100"


def test_pending_changes_survive_a_refresh_and_other_fields_follow(actions: Actions) -> None:
    actions.sandbox.objects["profile"][PHONE] = {"about": "Old", "email": "old@example.com"}
    actions.sandbox.faults.add(
        provider="meta", operation="update_profile", kind="status", status=400
    )
    actions.run("update_business_profile", {**SENDER, "data": {"about": "New"}})
    shown = actions.run("get_business_profile", SENDER).result

    assert (shown["about"], shown["email"]) == ("New", "old@example.com")
    assert shown["syncStatus"] == "pending_sync"
    differs = actions.run("get_business_profile_apply_instructions", SENDER).result
    assert differs["differences"] == [{"field": "about", "here": "New", "atProvider": "Old"}]


def test_a_refresh_stores_the_providers_profile_and_writes_on_change_only(
    actions: Actions,
) -> None:
    assert actions.run("get_business_profile", {**SENDER, "refresh": False}).status == 404
    actions.sandbox.objects["profile"][PHONE] = dict(DATA)
    first = actions.run("get_business_profile", SENDER).result
    assert (first["description"], first["syncStatus"]) == (DATA["description"], "synced")
    assert wire.problems(actions.wire[0], "GET", EDGE) == []
    actions.run("get_business_profile", SENDER)
    assert actions.item(PROFILE)["revision"] == 1


def test_an_empty_text_removes_a_field(actions: Actions) -> None:
    actions.run("update_business_profile", {**SENDER, "data": DATA})
    cleared = actions.run("update_business_profile", {**SENDER, "data": {"description": ""}}).result

    assert "description" not in cleared
    assert actions.wire[-1].body == {"messaging_product": "whatsapp", "description": ""}


def test_a_picture_is_uploaded_and_set(actions: Actions) -> None:
    changed = actions.run("upload_profile_picture", {**SENDER, "s3Key": a_picture(actions)})

    assert changed.result["syncStatus"] == "synced"
    opened, sent, applied = actions.wire
    assert opened.path == "/v23.0/1029384756/uploads"
    assert opened.query == {"file_length": "28", "file_type": "image/png", "file_name": "picture"}
    assert sent.headers["file_offset"] == "0"
    body: Any = applied.body
    assert body["profile_picture_handle"].startswith("4::")
    assert wire.problems(applied, "POST", EDGE) == []
    shown = actions.run("get_business_profile", SENDER).result
    assert shown["profilePictureUrl"].startswith("https://pps.whatsapp.net/")


def test_a_number_without_an_app_refuses_a_picture_and_later_changes_are_made(
    actions: Actions,
) -> None:
    actions.register(app_id=None)
    refused = actions.run("upload_profile_picture", {**SENDER, "s3Key": a_picture(actions)})
    assert (refused.error, actions.item(PROFILE)) == ("not_configured", {})
    changed = actions.run("update_business_profile", {**SENDER, "data": {"about": "New"}})
    assert changed.result["syncStatus"] == "synced"


def test_a_refused_picture_holds_up_neither_fields_nor_later_changes(actions: Actions) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="continue_upload", kind="status", status=400
    )
    given = {**SENDER, "data": {"about": "New"}, "profilePictureS3Key": a_picture(actions)}
    assert actions.run("update_business_profile", given).error == "provider_rejected"
    assert actions.sandbox.objects["profile"][PHONE]["about"] == "New"
    assert actions.item(PROFILE)["syncStatus"] == "synced"


def test_a_picture_whose_file_is_gone_is_not_tried_again(actions: Actions) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="continue_upload", kind="status", status=500, times=3
    )
    failed = actions.run("upload_profile_picture", {**SENDER, "s3Key": a_picture(actions)})
    assert failed.error == "provider_unavailable"
    assert actions.item(PROFILE)["syncStatus"] == "pending_sync"
    actions.harness.resources.bucket.delete(PICTURE)
    assert profiles.finish_pending(actions.module.resources, the_phone(actions)) is False
    assert actions.item(PROFILE)["syncStatus"] == "synced"


@pytest.mark.parametrize(
    ("key", "content", "status"),
    [
        ("uploads/globex/picture.png", b"", 404),
        ("uploads/acme/none.png", b"", 404),
        (PICTURE, b"MZ not a picture", 400),
    ],
)
def test_only_pictures_of_the_company_are_taken(
    actions: Actions, key: str, content: bytes, status: int
) -> None:
    if content:
        a_picture(actions, content)
    answer = actions.run("upload_profile_picture", {**SENDER, "s3Key": key})

    assert answer.status == status
    assert (actions.wire, actions.item(PROFILE)) == ([], {})


def test_without_access_to_graph_a_change_stays_local_with_instructions(actions: Actions) -> None:
    actions.register_eum(token_ref=None)
    sender = {"phoneNumberId": EUM_PHONE}
    answer = actions.run("update_business_profile", {**sender, "data": {"about": "New"}})

    assert (answer.status, answer.error) == (409, "not_configured")
    assert actions.item(f"PROFILE#{EUM_WABA}")["syncStatus"] == "local_only"
    steps = actions.run("get_business_profile_apply_instructions", sender).result["steps"]
    assert any("about" in step for step in steps)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"about": ""}, "data.about"),
        ({"about": "x" * 140}, "data.about"),
        ({"websites": ["https://a.example"] * 3}, "data.websites"),
        ({"vertical": "SPACE"}, "data.vertical"),
        ({"colour": "red"}, "data.colour"),
        ({"email": "nobody"}, "data.email"),
    ],
)
def test_limits_of_profiles_are_checked_first(
    actions: Actions, data: dict[str, Any], field: str
) -> None:
    answer = actions.run("update_business_profile", {**SENDER, "data": data})

    assert (answer.status, answer.fields) == (400, [field])
    assert (actions.wire, actions.item(PROFILE)) == ([], {})


def test_a_profile_is_found_by_tenant(actions: Actions) -> None:
    actions.register(tenant="shop")
    found = actions.run("get_business_profile", {"tenantId": "shop"}).result

    assert found["phoneNumberId"] == PHONE
    assert actions.run("get_business_profile", {"tenantId": "none"}).status == 404
    assert actions.run("get_business_profile", SENDER, caller=GLOBEX).status == 404


def test_profiles_of_numbers_that_are_not_the_default_have_keys_of_their_own(
    actions: Actions,
) -> None:
    actions.register_eum(waba_meta_id=WABA, is_default=True)
    actions.register()
    actions.run("update_business_profile", {**SENDER, "data": {"about": "Second"}})

    assert actions.item(PROFILE) == {}
    assert actions.item(f"{PROFILE}#{PHONE}")["about"] == "Second"


def test_the_hourly_refresh_takes_each_number_once(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.register_eum(token_ref=None)
    resources = actions.module.resources
    first = refresh.refresh_due(resources, NOW, lambda: 60_000)
    # Two of acme's; the one of globex has no token, for its report and for its templates.
    assert (first.numbers, first.failures, first.is_left) == (3, 2, False)
    rating = actions.item(f"QUALITY#{EUM_PHONE}")
    assert (rating["qualityRating"], rating["lastCheckedAt"]) == (
        "GREEN",
        "2026-01-01T12:00:00.000Z",
    )
    calls = len(actions.wire)
    assert refresh.refresh_due(resources, NOW + 60_000, lambda: 60_000).numbers == 0
    assert len(actions.wire) == calls
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + clock.HOUR_MS)
    assert refresh.refresh_due(resources, NOW + clock.HOUR_MS, lambda: 60_000).numbers == 3
    assert refresh.refresh_due(resources, NOW, lambda: 60_000).numbers == 0


def test_a_run_without_time_leaves_the_numbers_to_the_next_one(actions: Actions) -> None:
    resources = actions.module.resources
    times = iter([60_000, 1_000])
    first = refresh.refresh_due(resources, NOW, lambda: next(times))
    assert (first.numbers, first.is_left) == (1, True)
    second = refresh.refresh_due(resources, NOW + 60_000, lambda: 60_000)
    assert (second.numbers, second.is_left) == (1, False)


def test_a_rate_limit_ends_the_run_and_the_next_one_goes_on(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="get_number", kind="status", status=429)
    resources = actions.module.resources
    first = refresh.refresh_due(resources, NOW, lambda: 60_000)

    assert (first.numbers, first.failures, first.is_left) == (1, 1, True)
    assert refresh.refresh_due(resources, NOW + 60_000, lambda: 60_000).numbers == 1


def test_the_refresh_reads_the_templates_of_each_account_once(actions: Actions) -> None:
    catalogue.listed(actions.sandbox, catalogue.BODY)
    actions.list_on_graph("406540352242955", "+1 555-078-3555")
    second = actions.run("save_phone", {**OF_THE_ACCOUNT, "phoneNumberId": "406540352242955"})
    assert second.status == 200
    refresh.refresh_due(actions.module.resources, NOW, lambda: 60_000)

    assert actions.item(f"TEMPLATE_META#{WABA}#spring_sale")["status"] == "APPROVED"
    assert [sent.operation for sent in actions.wire].count("list_templates") == 1


def test_the_refresh_finishes_pending_profiles(actions: Actions) -> None:
    actions.sandbox.faults.add(
        provider="meta", operation="update_profile", kind="status", status=400
    )
    actions.run("update_business_profile", {**SENDER, "data": {"about": "New"}})
    refresh.refresh_due(actions.module.resources, NOW, lambda: 60_000)

    assert actions.item(PROFILE)["syncStatus"] == "synced"
    assert actions.sandbox.objects["profile"][PHONE]["about"] == "New"
