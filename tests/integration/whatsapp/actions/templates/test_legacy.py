"""The older action for templates at AWS: each operation as the action that it stands for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import AWS_WABA, GLOBEX, Actions
from tests.integration.whatsapp.actions.templates.catalogue import BODY, IMAGE, at_aws
from tests.integration.whatsapp.actions.templates.test_creation import body_of
from tests.integration.whatsapp.actions.templates.test_samples import KEY, put

EUM = {"wabaId": AWS_WABA}


def test_templates_are_listed_created_shown_and_deleted(actions: Actions) -> None:
    actions.register_eum()
    at_aws(actions.sandbox, BODY, name="a", id="1")
    at_aws(actions.sandbox, BODY, name="b", id="2")

    first = actions.run("templates", {**EUM, "op": "list", "limit": 1})
    second = actions.run(
        "templates", {**EUM, "op": "list", "limit": 1, "cursor": first.body["cursor"]}
    )
    named = {**EUM, "templateName": "c"}
    created = actions.run("templates", {**named, "op": "create", "components": [BODY]})
    status = actions.run("templates", {**named, "op": "status"})
    removed = actions.run("templates", {**named, "op": "delete"})

    shown = [one["name"] for page in (first, second) for one in page.result["templates"]]
    assert shown == ["a", "b"]
    assert created.result["template"]["status"] == "PENDING"
    assert status.result["templates"][0]["status"] == "PENDING"
    assert removed.result["removed"]["languages"] == ["en_US"]


def test_a_template_is_created_with_its_sample_once(actions: Actions) -> None:
    actions.register_eum()
    put(actions)
    header = {"type": "HEADER", "format": "IMAGE"}
    body = {
        **EUM,
        "op": "create_with_media",
        "templateName": "c",
        "components": [header, BODY],
        "s3Key": KEY,
    }

    answer = actions.run("templates", body, key="key-legacy-1")
    again = actions.run("templates", body, key="key-legacy-1")

    assert again.result == answer.result
    upload, create = actions.wire
    assert upload.operation == "CreateWhatsAppMessageTemplateMedia"
    sample = {**IMAGE, "example": {"header_handle": [answer.result["headerHandle"]]}}
    assert body_of(create)["templateDefinition"]["components"] == [sample, BODY]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"op": "create"}, "templateName"),
        ({"op": "create", "templateName": "c"}, "components"),
        ({"op": "create_with_media", "templateName": "c", "components": [BODY]}, "s3Key"),
        ({"op": "create_with_media", "templateName": "c", "components": [BODY], "s3Key": KEY}, "components"),
        ({"op": "delete"}, "templateName"),
        ({"op": "rename"}, "op"),
    ],
)  # fmt: skip
def test_each_operation_needs_its_parameters(
    actions: Actions, body: dict[str, Any], field: str
) -> None:
    actions.register_eum()

    answer = actions.run("templates", {**EUM, **body})

    assert (answer.status, answer.fields) == (400, [field])
    assert actions.wire == []
    assert actions.run("templates", {**EUM, **body}, caller=GLOBEX).status in {400, 404}
