"""Templates are listed from the caches and from the providers, page by page, for their company only."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import AWS_WABA, EUM_WABA, GLOBEX, WABA, Actions
from tests.integration.whatsapp.actions.templates.catalogue import BODY, at_aws, listed

META = {"metaWabaId": WABA}
EUM = {"wabaId": AWS_WABA}
ARN = f"arn:aws:social-messaging:us-east-1:123456789012:waba/{AWS_WABA[5:]}"


def names(actions: Actions, action: str, body: dict[str, Any]) -> list[str]:
    """The names on all pages."""
    found: list[str] = []
    cursor: dict[str, Any] = {}
    for _ in range(20):
        answer = actions.run(action, {**body, **cursor})
        found += [one["name"] for one in answer.result["templates"]]
        if "cursor" not in answer.body:
            return sorted(found)
        cursor = {"cursor": answer.body["cursor"]}
    raise AssertionError("the listing does not end")


def three(actions: Actions) -> None:
    listed(actions.sandbox, BODY, name="a", id="1", status="APPROVED")
    listed(actions.sandbox, BODY, name="b", id="2", status="PAUSED", category="UTILITY")
    listed(actions.sandbox, BODY, name="c", id="3", status="PENDING")


def test_cached_templates_are_listed_with_filters_and_pages(actions: Actions) -> None:
    three(actions)
    actions.run("sync_templates_meta", META)
    calls = len(actions.wire)

    for action in ("get_templates_meta", "get_local_templates", "get_templates"):
        assert names(actions, action, META) == ["a", "b", "c"]
        assert names(actions, action, {**META, "limit": 1}) == ["a", "b", "c"]
        assert names(actions, action, {**META, "status": "PAUSED"}) == ["b"]
        assert actions.run(action, META, caller=GLOBEX).status == 404
    assert names(actions, "get_templates_meta", {**META, "category": "UTILITY"}) == ["b"]
    assert names(actions, "get_templates_meta", {**META, "name": "c"}) == ["c"]
    assert len(actions.wire) == calls
    (shown,) = actions.run("get_templates_meta", {**META, "name": "c"}).result["templates"]
    assert (shown["id"], shown["status"], shown["components"]) == ("3", "PENDING", [BODY])
    assert "cachedAt" in shown


def test_a_refresh_asks_the_provider_before_the_first_page_only(actions: Actions) -> None:
    three(actions)

    found = names(actions, "get_templates_meta", {**META, "refresh": True, "limit": 2})

    assert found == ["a", "b", "c"]
    assert [one.operation for one in actions.wire] == ["list_templates"]


def test_cached_templates_of_an_account_at_aws_are_listed_by_status(actions: Actions) -> None:
    actions.register_eum()
    at_aws(actions.sandbox, BODY, name="a", id="1")
    at_aws(actions.sandbox, BODY, name="b", id="2", status="PAUSED")
    actions.run("eum_sync_templates", EUM)
    account = {"metaWabaId": EUM_WABA}

    assert names(actions, "get_local_templates", account) == ["a", "b"]
    assert names(actions, "get_local_templates", {**account, "limit": 1}) == ["a", "b"]
    assert names(actions, "get_local_templates", {**account, "status": "PAUSED"}) == ["b"]
    (shown,) = actions.run("get_templates", {**account, "status": "PAUSED"}).result["templates"]
    assert (shown["status"], shown["language"]) == ("PAUSED", "en_US")
    assert "syncedAt" in shown


@pytest.mark.parametrize("account", [EUM, {"metaWabaId": EUM_WABA}, {"wabaId": ARN}])
def test_the_list_of_aws_is_shown_page_by_page(actions: Actions, account: dict[str, str]) -> None:
    actions.register_eum()
    for name in ("a", "b", "c"):
        at_aws(actions.sandbox, BODY, name=name, id="1")

    assert names(actions, "eum_list_templates", {**account, "limit": 2}) == ["a", "b", "c"]
    lists = [one for one in actions.wire if one.operation == "ListWhatsAppMessageTemplates"]
    assert [one.query["id"] for one in lists] == [AWS_WABA, AWS_WABA]
    assert "nextToken" in lists[1].query
    assert actions.run("eum_list_templates", account, caller=GLOBEX).status == 404


def test_a_definition_at_aws_is_read_and_cached(actions: Actions) -> None:
    actions.register_eum()
    at_aws(actions.sandbox, BODY, id="77", language="de", status="PAUSED")

    by_id = actions.run("eum_get_template", {**EUM, "metaTemplateId": "77"})
    by_name = actions.run(
        "eum_get_template", {**EUM, "templateName": "spring_sale", "language": "de"}
    )
    unknown = actions.run("eum_get_template", {**EUM, "metaTemplateId": "99"})
    unnamed = actions.run("eum_get_template", {**EUM, "templateName": "spring_sale"})

    assert by_id.result == by_name.result
    assert by_id.result["components"] == [BODY]
    gets = [one for one in actions.wire if one.operation == "GetWhatsAppMessageTemplate"]
    assert gets[0].query == {"id": AWS_WABA, "metaTemplateId": "77"}
    assert (unknown.status, unnamed.status) == (404, 400)
    assert actions.item(f"TEMPLATE_EUM#{AWS_WABA}#spring_sale#de")["templateStatus"] == "PAUSED"


def test_the_status_per_language_is_cached_or_asked_for(actions: Actions) -> None:
    actions.register_eum()
    english = at_aws(actions.sandbox, BODY, id="77")
    german = at_aws(actions.sandbox, BODY, id="78", language="de", status="PENDING")
    body = {**EUM, "templateName": "spring_sale"}
    assert actions.run("eum_get_template_status", body).status == 404
    actions.run("eum_sync_templates", EUM)
    english["status"] = "PAUSED"
    actions.sandbox.templates.remove(german)

    cached = actions.run("eum_get_template_status", body)
    asked = actions.run("eum_get_template_status", {**body, "refresh": True})

    def statuses(result: dict[str, Any]) -> dict[str, str]:
        return {one["language"]: one["statusRaw"] for one in result["templates"]}

    assert statuses(cached.result) == {"en_US": "APPROVED", "de": "PENDING"}
    assert statuses(asked.result) == {"en_US": "PAUSED", "de": "DELETED"}
    assert actions.run("eum_get_template_status", body, caller=GLOBEX).status == 404


def test_one_template_is_cached_as_the_provider_says(actions: Actions) -> None:
    listed(actions.sandbox, BODY, id="77", status="PAUSED")
    claim = {"name": "spring_sale", "language": "en_US", "status": "APPROVED"}

    answer = actions.run("cache_template_meta", {**META, "template": claim})
    unknown = actions.run("cache_template_meta", {**META, "template": {**claim, "language": "de"}})
    wrong = actions.run("cache_template_meta", {**META, "template": {"name": "spring_sale"}})

    assert answer.result["status"] == "PAUSED"
    assert actions.wire[0].query["name"] == "spring_sale"
    assert actions.item(f"TEMPLATE_META#{WABA}#spring_sale#en_US")["status"] == "PAUSED"
    assert (unknown.status, wrong.status, wrong.fields) == (404, 400, ["template.language"])
