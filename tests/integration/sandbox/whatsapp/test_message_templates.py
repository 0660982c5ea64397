"""Message templates of an account, as Graph lists them and as AWS returns one of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from tests.integration.sandbox.whatsapp.test_socialmessaging import aws_client

if TYPE_CHECKING:
    from local.sandbox import Sandbox
    from tests.integration.sandbox.client import Client

WABA, AWS_WABA = "102290129340398", "waba-1"
TEMPLATE: dict[str, object] = {"name": "ready", "language": "en", "status": "APPROVED", "id": "17"}
LIST = f"/v23.0/{WABA}/message_templates"


def test_graph_lists_the_templates_whose_name_contains_the_text(
    client: Client, sandbox: Sandbox
) -> None:
    for name, waba in (("ready", WABA), ("ready_soon", WABA), ("bye", WABA), ("ready", "1")):
        sandbox.templates.append(TEMPLATE | {"name": name, "waba": waba})

    listed = client.get(f"{LIST}?name=ready&fields=name,status").json()["data"]

    assert [each["name"] for each in listed] == ["ready", "ready_soon"]
    assert listed[0].keys() == {"id", "name", "status"}
    assert len(client.get(f"{LIST}?limit=1").json()["data"]) == 1


def test_graph_refuses_another_account_a_missing_token_and_a_wrong_limit(client: Client) -> None:
    assert client.get("/v23.0/999/message_templates").json()["error"]["error_subcode"] == 33
    assert client.get(LIST, authorization=None).status == 401
    assert client.get(f"{LIST}?limit=x").json()["error"]["code"] == 100


def test_aws_returns_one_translation_as_json_in_a_text(sandbox: Sandbox) -> None:
    sandbox.templates.append(TEMPLATE | {"waba": AWS_WABA})
    aws = aws_client(sandbox.url)

    found = aws.get_whatsapp_message_template(
        id=AWS_WABA, templateName="ready", templateLanguageCode="en"
    )
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        aws.get_whatsapp_message_template(
            id=AWS_WABA, templateName="ready", templateLanguageCode="de"
        )

    assert json.loads(found["template"]) == TEMPLATE
