"""Templates are edited, deleted and given a time to live at the provider first, then in the caches."""

from __future__ import annotations

from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import AWS_WABA, EUM_WABA, GLOBEX, WABA, Actions
from tests.integration.whatsapp.actions.templates.catalogue import (
    BODY,
    QUICK,
    at_aws,
    buttons,
    listed,
)
from tests.integration.whatsapp.conftest import NOW

NAMED = {"metaWabaId": WABA, "name": "spring_sale"}
KEY = f"TEMPLATE_META#{WABA}#spring_sale"
NEW = {"type": "BODY", "text": "Hi there"}
LONG_LINK = {"type": "URL", "text": "a", "url": "https://a.example/" + "x" * 1_900}
THIRTY_DAYS = 30 * clock.DAY_SECONDS


def operations(actions: Actions) -> list[str]:
    return [one.operation for one in actions.wire]


def test_an_edit_is_reviewed_again_and_the_cache_says_so(actions: Actions) -> None:
    listed(actions.sandbox, BODY, category="MARKETING", status="REJECTED", id="77")

    answer = actions.run(
        "edit_template_meta", {**NAMED, "components": [NEW], "category": "UTILITY"}
    )

    assert (answer.result["status"], answer.result["category"]) == ("PENDING", "UTILITY")
    assert operations(actions) == ["list_templates", "edit_template", "get_template"]
    edit = actions.wire[1]
    assert wire.problems(edit, "POST", "/{Version}/{TEMPLATE_ID}") == []
    assert (edit.path, edit.body) == ("/v23.0/77", {"components": [NEW], "category": "UTILITY"})
    assert actions.wire[2].query["fields"].startswith("id,name,language,status")
    item = actions.item(f"{KEY}#en_US")
    assert (item["status"], item["components"]) == ("PENDING", [NEW])


@pytest.mark.parametrize("status", ["PENDING", "DISABLED", "IN_APPEAL"])
def test_a_template_in_another_state_is_not_edited(actions: Actions, status: str) -> None:
    listed(actions.sandbox, BODY, status=status)

    answer = actions.run("edit_template_meta", {**NAMED, "components": [NEW]})

    assert (answer.status, answer.error) == (409, "state_conflict")
    assert status in answer.body["error"]["message"]
    assert operations(actions) == ["list_templates"]


def test_the_category_of_an_approved_template_is_not_edited(actions: Actions) -> None:
    listed(actions.sandbox, BODY)

    answer = actions.run(
        "edit_template_meta", {**NAMED, "components": [NEW], "category": "UTILITY"}
    )

    assert (answer.status, answer.error) == (409, "state_conflict")


def test_an_unknown_template_or_a_wrong_definition_is_not_edited(actions: Actions) -> None:
    unknown = actions.run("edit_template_meta", {**NAMED, "components": [NEW]})
    listed(actions.sandbox, BODY)
    wrong = actions.run(
        "edit_template_meta", {**NAMED, "components": [{"type": "BODY", "text": "{{1}}"}]}
    )
    others = actions.run("edit_template_meta", {**NAMED, "components": [NEW]}, caller=GLOBEX)

    assert (unknown.status, unknown.error) == (404, "not_found")
    assert (wrong.status, wrong.fields) == (400, ["components.0.example"])
    assert others.status == 404
    assert "edit_template" not in operations(actions)


def test_customising_replaces_parts_and_keeps_the_others(actions: Actions) -> None:
    footer = {"type": "FOOTER", "text": "Bye"}
    listed(actions.sandbox, BODY, footer)
    body = {
        "metaWabaId": WABA,
        "templateName": "spring_sale",
        "body": {"text": "Hi there"},
        "buttons": [QUICK],
    }

    answer = actions.run("customize_template", body)

    assert answer.result["status"] == "PENDING"
    edit = next(one for one in actions.wire if one.operation == "edit_template")
    assert edit.body == {"components": [NEW, footer, buttons(QUICK)]}
    nothing = actions.run("customize_template", {"metaWabaId": WABA, "templateName": "a"})
    assert nothing.status == 400


def test_customising_with_an_empty_list_removes_the_buttons_and_empty_parts_are_refused(
    actions: Actions,
) -> None:
    listed(actions.sandbox, BODY, buttons(QUICK))
    named = {"metaWabaId": WABA, "templateName": "spring_sale"}

    assert actions.run("customize_template", named | {"header": {}}).fields == ["header"]
    assert actions.run("customize_template", named | {"buttons": []}).status == 200
    edit = next(one for one in actions.wire if one.operation == "edit_template")
    assert edit.body == {"components": [BODY]}


def test_customising_a_template_at_aws_updates_it_there(actions: Actions) -> None:
    actions.register_eum()
    at_aws(actions.sandbox, BODY, id="88")

    actions.run(
        "customize_template",
        {"metaWabaId": EUM_WABA, "templateName": "spring_sale", "components": [NEW]},
    )

    update = next(one for one in actions.wire if one.operation == "UpdateWhatsAppMessageTemplate")
    assert update.body == {"id": AWS_WABA, "metaTemplateId": "88", "templateComponents": [NEW]}
    item = actions.item(f"TEMPLATE_EUM#{AWS_WABA}#spring_sale#en_US")
    assert (item["templateStatus"], item["components"]) == ("PENDING", [NEW])


def test_an_update_at_aws_changes_what_is_given(actions: Actions) -> None:
    actions.register_eum()
    at_aws(actions.sandbox, BODY, id="88", status="PAUSED")
    body = {
        "metaWabaId": EUM_WABA,
        "metaTemplateId": "88",
        "category": "UTILITY",
        "parameterFormat": "positional",
        "ctaUrlLinkTrackingOptedOut": True,
    }

    answer = actions.run("eum_update_template", body)

    assert answer.result["category"] == "UTILITY"
    update = next(one for one in actions.wire if one.operation == "UpdateWhatsAppMessageTemplate")
    assert update.body == {
        "id": AWS_WABA,
        "metaTemplateId": "88",
        "templateCategory": "UTILITY",
        "parameterFormat": "positional",
        "ctaUrlLinkTrackingOptedOut": True,
    }


@pytest.mark.parametrize(
    "change",
    [
        {"metaTemplateId": "88"},
        {"templateName": "spring_sale", "components": [NEW]},
        {"metaTemplateId": "88", "components": [NEW, buttons(LONG_LINK, LONG_LINK)]},
    ],
)
def test_an_update_at_aws_without_a_name_a_change_or_within_the_size_is_refused(
    actions: Actions, change: dict[str, Any]
) -> None:
    actions.register_eum()
    at_aws(actions.sandbox, BODY, id="88")

    answer = actions.run("eum_update_template", {"wabaId": AWS_WABA, **change})

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert "UpdateWhatsAppMessageTemplate" not in operations(actions)


def test_a_time_to_live_is_in_the_range_of_the_category(actions: Actions) -> None:
    listed(actions.sandbox, BODY, category="UTILITY", id="77")
    body = {"metaWabaId": WABA, "templateName": "spring_sale"}

    answer = actions.run("set_template_ttl", {**body, "ttlSeconds": 3_600})
    default = actions.run("set_template_ttl", {**body, "ttlSeconds": -1})
    wrong = actions.run("set_template_ttl", {**body, "ttlSeconds": 43_201})

    assert answer.result["messageSendTtlSeconds"] == 3_600
    edits = [one for one in actions.wire if one.operation == "edit_template"]
    assert [one.body for one in edits] == [
        {"message_send_ttl_seconds": 3_600},
        {"message_send_ttl_seconds": -1},
    ]
    assert (default.status, wrong.status, wrong.fields) == (200, 400, ["ttlSeconds"])
    assert actions.item(f"{KEY}#en_US")["messageSendTtlSeconds"] == -1


def test_a_lost_answer_of_an_edit_is_tried_again_and_then_unavailable(actions: Actions) -> None:
    listed(actions.sandbox, BODY, category="UTILITY", id="77")
    body = {"metaWabaId": WABA, "templateName": "spring_sale", "ttlSeconds": 60}
    actions.sandbox.faults.add(
        provider="meta", operation="edit_template", kind="status", status=500, times=5
    )

    answer = actions.run("set_template_ttl", body)

    assert (answer.status, answer.error) == (503, "provider_unavailable")


def two_languages(actions: Actions) -> None:
    listed(actions.sandbox, BODY, id="77")
    listed(actions.sandbox, BODY, id="78", language="de")
    actions.run("sync_templates_meta", {"metaWabaId": WABA})


def test_a_deleted_language_is_kept_as_deleted_for_30_days(actions: Actions) -> None:
    two_languages(actions)
    before = len(actions.wire)

    answer = actions.run("delete_template_meta", {**NAMED, "language": "de"})

    assert answer.result == {"name": "spring_sale", "languages": ["de"], "existed": True}
    delete = next(one for one in actions.wire[before:] if one.operation == "delete_template")
    assert delete.path == f"/v23.0/{WABA}/message_templates"
    assert delete.query == {"name": "spring_sale", "hsm_id": "78"}
    gone = actions.item(f"{KEY}#de")
    assert (gone["status"], gone["statusRaw"]) == ("DISABLED", "DELETED")
    assert gone["ttl"] == NOW // 1000 + THIRTY_DAYS
    name = actions.item(KEY)
    assert "ttl" not in name
    assert {k: v["status"] for k, v in name["languages"].items()} == {
        "en_US": "APPROVED",
        "de": "DISABLED",
    }


def test_deleting_all_languages_again_finds_them_gone(actions: Actions) -> None:
    two_languages(actions)
    body = {**NAMED, "deleteAllLanguages": True}

    first = actions.run("delete_template_meta", body)
    again = actions.run("delete_template_meta", body)

    assert (first.result["languages"], first.result["existed"]) == (["de", "en_US"], True)
    assert (again.status, again.result["existed"]) == (200, False)
    assert actions.item(KEY)["ttl"] == NOW // 1000 + THIRTY_DAYS


def test_a_template_that_is_created_again_is_kept(actions: Actions) -> None:
    two_languages(actions)
    actions.run("delete_template_meta", {**NAMED, "deleteAllLanguages": True})

    created = actions.run("create_template_meta", {**NAMED, "components": [NEW]})

    for item in (actions.item(KEY), actions.item(f"{KEY}#en_US")):
        assert "ttl" not in item
        assert (item["status"], item["templateId"]) == ("PENDING", created.result["id"])
    assert actions.item(KEY)["languages"]["en_US"]["id"] == created.result["id"]


def test_a_deletion_names_one_language_or_all(actions: Actions) -> None:
    neither = actions.run("delete_template_meta", NAMED)
    both = actions.run(
        "delete_template_meta", {**NAMED, "language": "de", "deleteAllLanguages": True}
    )
    unknown = actions.run("delete_template_meta", {**NAMED, "language": "de"})

    assert (neither.status, both.status, unknown.status) == (400, 400, 404)


def test_a_translation_at_aws_is_deleted_by_its_id(actions: Actions) -> None:
    actions.register_eum()
    at_aws(actions.sandbox, BODY, id="77")
    at_aws(actions.sandbox, BODY, id="78", language="de")
    actions.run("eum_sync_templates", {"metaWabaId": EUM_WABA})
    body = {"wabaId": AWS_WABA, "templateName": "spring_sale"}

    one = actions.run("eum_delete_template", {**body, "metaTemplateId": "78"})
    rest = actions.run("eum_delete_template", {**body, "deleteAllLanguages": True})

    assert one.result["languages"] == ["de"]
    deletes = [each for each in actions.wire if each.operation == "DeleteWhatsAppMessageTemplate"]
    assert [each.query for each in deletes] == [
        {"id": AWS_WABA, "templateName": "spring_sale", "metaTemplateId": "78"},
        {"id": AWS_WABA, "templateName": "spring_sale", "deleteAllTemplates": "true"},
    ]
    assert rest.result["existed"] is True
    for language in ("de", "en_US"):
        item = actions.item(f"TEMPLATE_EUM#{AWS_WABA}#spring_sale#{language}")
        assert (item["templateStatus"], item["statusRaw"]) == ("DISABLED", "DELETED")
        assert item["ttl"] == NOW // 1000 + THIRTY_DAYS
    unknown = actions.run(
        "eum_delete_template",
        {"wabaId": AWS_WABA, "templateName": "never", "deleteAllLanguages": True},
    )
    assert unknown.status == 404
