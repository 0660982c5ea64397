"""Actions on the deployed stack: over HTTP with an API key, and by direct invocation."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import pytest
import urllib3

from events.whatsapp import gateway, payloads
from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import COMPANY, WORKSHOP, Customer
from local.demo.chapter import Chapter
from local.demo.scenarios.shop_software import Shop, key_of
from local.demo.webhook_sender import wait_until_empty
from local.stack.cli import Stack
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=60)
IMOGEN = Customer("Imogen Clarke", wa_id="447700900109")
WITH_IMOGEN = {"phoneId": WORKSHOP.phone, "fromNumber": f"+{IMOGEN.wa_id}"}
TO_IMOGEN = {"phoneNumberId": WORKSHOP.phone, "to": f"+{IMOGEN.wa_id}"}
QUESTION, ANSWER = "Do you repair tandems?", "Yes, we repair tandems."


@dataclass(frozen=True)
class Workshop:
    """The stack, the software of a key with all scopes, and the software of a key that may only read."""

    stack: Stack
    software: Shop
    reader: Shop


@pytest.fixture(scope="module")
def workshop(deployed: Deployed) -> Workshop:
    """The workshop's number, to which a customer has just written."""
    stack = deployed.stack
    scopes = ("whatsapp:read", "whatsapp:write", "whatsapp:send")
    software, reader = (
        Shop(stack, key_of(stack, *granted), Chapter("actions")) for granted in (scopes, scopes[:1])
    )
    now = int(time.time())
    message = payloads.message(IMOGEN, f"wamid.{software.run}", now, payloads.text(QUESTION))
    change = payloads.messages_change(WORKSHOP, [message], [IMOGEN])
    entry = json.dumps(payloads.entry(WORKSHOP.waba, change))
    published = gateway.social_message("actions", now, WORKSHOP, entry)
    topic = stack.topics["whatsapp_social"]
    stack.client("sns").publish(TopicArn=topic, Message=json.dumps(published))
    software.until("get_service_window", WITH_IMOGEN, lambda found: bool(found.get("open")), "open")
    assert not software.faults
    return Workshop(stack, software, reader)


def item(stack: Stack, key: str) -> dict[str, Any]:
    answer = stack.client("dynamodb").get_item(
        TableName=stack.tables["whatsapp"], Key={"pk": {"S": key}}
    )
    return dict(answer.get("Item", {}))


def run(shop: Shop, action: str, body: Json) -> tuple[int, Json]:
    return shop.post(f"/whatsapp/actions/{action}", body)


def invoked(stack: Stack, event: Json) -> Json:
    answer = stack.client("lambda").invoke(
        FunctionName="parley-local-whatsapp-actions", Payload=json.dumps(event)
    )
    assert "FunctionError" not in answer
    content: Json = json.loads(answer["Payload"].read())
    return content


def test_a_key_gets_the_list_of_actions_and_the_description_of_one(workshop: Workshop) -> None:
    listed = workshop.reader.get("/whatsapp/actions?limit=100")
    described = workshop.reader.get("/whatsapp/actions/send_text")

    assert len(listed["actions"]) == 100
    assert described["action"]["name"] == "send_text"
    assert described["action"]["scope"] == "whatsapp:send"


def test_a_text_is_sent_once_and_stored(workshop: Workshop) -> None:
    status, content = run(workshop.software, "send_text", TO_IMOGEN | {"text": ANSWER})

    assert (status, content["result"]["state"]) == (200, "sent")
    stored = item(workshop.stack, content["result"]["messagePk"])
    assert stored["textBody"]["S"] == ANSWER
    assert stored["direction"]["S"] == "OUTBOUND"
    assert stored["company"]["S"] == COMPANY


def test_a_key_without_the_scope_is_refused(workshop: Workshop) -> None:
    status, content = run(workshop.reader, "send_text", TO_IMOGEN | {"text": ANSWER})

    assert (status, content["error"]["code"]) == (403, "forbidden")


def test_unknown_actions_and_wrong_parameters_are_refused(workshop: Workshop) -> None:
    assert run(workshop.software, "send_texts", {})[0] == 404
    status, content = run(workshop.software, "send_text", TO_IMOGEN | {"words": ANSWER})

    assert (status, content["error"]["code"]) == (400, "invalid_input")
    assert {detail["field"] for detail in content["error"]["details"]} == {"text", "words"}


def test_a_direct_invocation_has_the_company_and_scopes_of_its_event(workshop: Workshop) -> None:
    asked = WITH_IMOGEN | {"action": "search_messages", "query": "TANDEMS"}
    granted = invoked(workshop.stack, asked | {"company": COMPANY, "scopes": ["whatsapp:read"]})
    refused = invoked(workshop.stack, asked | {"company": COMPANY, "scopes": ["whatsapp:send"]})
    other = invoked(workshop.stack, asked | {"company": "globex", "scopes": ["whatsapp:read"]})

    assert granted["statusCode"] == 200
    assert QUESTION in {found["preview"] for found in granted["result"]["messages"]}
    assert (refused["statusCode"], refused["error"]["code"]) == (403, "forbidden")
    assert (other["statusCode"], other["error"]["code"]) == (404, "not_found")


# The last one: it leaves nothing on the queues for the tests that follow.
def test_an_export_is_finished_by_a_job_and_its_link_gives_the_messages(workshop: Workshop) -> None:
    status, content = run(workshop.software, "export_messages", WITH_IMOGEN)
    assert status == 202
    job = {"actionId": content["result"]["jobId"]}
    done = workshop.software.until(
        "get_action", job, lambda found: found.get("state") == "done", "state exported"
    )

    assert done["state"] == "done"
    rows = [json.loads(line) for link in done["links"] for line in lines_of(link)]
    assert QUESTION in {row.get("text") for row in rows}
    assert len(rows) == done["exported"]
    assert wait_until_empty(workshop.stack)


def lines_of(link: str) -> list[bytes]:
    answer = http.request("GET", link)
    assert answer.status == 200
    return answer.data.splitlines()
