"""A provider's refusal reaches the caller with all that helps, and reaches nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError

from shared.providers.whatsapp import aws_eum
from tests.integration.logs import recorded
from tests.integration.whatsapp.actions.conftest import ADA, EUM_PHONE, EUM_WABA, WABA
from tests.integration.whatsapp.conftest import NOW, PHONE, text
from tests.template import name_of

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.conftest import Actions, Answer

TOKEN = "EAAtoken"  # too short to be recognised by its form
OTHER = "EAAG" + "x" * 30
BODY = "The blue bicycle is ready"
TO = {"to": f"+{ADA}", "text": BODY}
GRAPH_ERROR: dict[str, Any] = {
    "code": 131009,
    "error_subcode": 2494010,
    "message": f"(#131009) Parameter value is not valid: {ADA}",
    "error_user_title": "Value not valid",
    "error_user_msg": f"The text of +{ADA} is not valid: {BODY}",
    "fbtrace_id": "AXsgnV2Cm3ZMGF3dF_cfYIn",
    "is_transient": False,
}
EXPECTED = {
    "code": "graph_131009",
    "subcode": "2494010",
    "title": "Value not valid",
    "message": f"The text of ***-***-0101 is not valid: {BODY}",
    "traceId": "AXsgnV2Cm3ZMGF3dF_cfYIn",
    "retryable": False,
}
# A send, a change that is made once, an idempotent change, and a read.
ON_GRAPH: dict[str, dict[str, Any]] = {
    "send_text": {"phoneNumberId": PHONE, **TO},
    "create_flow": {"metaWabaId": WABA, "name": "Tour", "categories": ["OTHER"]},
    "get_commerce_settings": {"phoneNumberId": PHONE},
    "get_business_profile": {"phoneNumberId": PHONE},
    "block_users": {"phoneNumberId": PHONE, "users": [f"+{ADA}"]},
    "create_qr_code": {"phoneNumberId": PHONE, "prefilledMessage": "Hello"},
}
ON_AWS: dict[str, dict[str, Any]] = {
    "mark_read": {"phoneNumberId": EUM_PHONE, "messageId": "wamid.eum.1"},
    "send_text": {"phoneNumberId": EUM_PHONE, **TO},
    "eum_list_templates": {"metaWabaId": EUM_WABA},
    "list_flows": {"metaWabaId": EUM_WABA},
}


def refused(
    actions: Actions, action: str, body: dict[str, Any], *, times: int = 1, **fault: Any
) -> Answer:
    """Call an action while the provider refuses."""
    actions.sandbox.faults.clear()
    actions.sandbox.faults.add(kind="status", times=times, **fault)
    return actions.run(action, body, key=f"key-of-{action}")


def provider_of(answer: Answer) -> dict[str, Any]:
    found: dict[str, Any] = answer.body["error"]["provider"]
    return found


@pytest.mark.parametrize(("action", "body"), ON_GRAPH.items())
def test_a_refusal_of_meta_has_code_subcode_title_message_trace_and_whether_a_retry_helps(
    actions: Actions, action: str, body: dict[str, Any]
) -> None:
    answer = refused(actions, action, body, status=400, error=GRAPH_ERROR)

    assert (answer.status, answer.error) == (422, "provider_rejected")
    assert provider_of(answer) == EXPECTED


def test_the_details_of_meta_explain_its_message(actions: Actions) -> None:
    error = {
        "code": 131008,
        "message": "(#131008) Required parameter is missing",
        "error_data": {"messaging_product": "whatsapp", "details": "Param text: is required"},
        "fbtrace_id": "A1",
    }
    answer = refused(actions, "send_text", ON_GRAPH["send_text"], status=400, error=error)

    assert provider_of(answer) == {
        "code": "graph_131008",
        "title": "Required parameter is missing",
        "message": "Param text: is required",
        "traceId": "A1",
        "retryable": False,
    }


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"code": None}, "graph_400"),
        ({"code": {}}, "graph_400"),
        ({"code": True}, "graph_400"),
        ({"code": "131009"}, "graph_131009"),
        ({"code": 0}, "graph_0"),
    ],
)
def test_a_refusal_in_another_shape_has_the_parts_that_it_has(
    actions: Actions, error: dict[str, Any], code: str
) -> None:
    odd = {"error_subcode": "33", "error_data": "Param text", "fbtrace_id": "A3"}
    answer = refused(actions, "send_text", ON_GRAPH["send_text"], status=400, error=odd | error)

    found = provider_of(answer)
    assert (found["code"], found["subcode"], found["message"]) == (code, "33", "Param text")
    assert found["traceId"] == "A3"


@pytest.mark.parametrize(
    "error", [{"code": 131009, "is_transient": True}, {"code": 131016}, {"code": 133016}]
)
def test_a_refusal_that_passes_says_that_a_retry_helps(
    actions: Actions, error: dict[str, Any]
) -> None:
    answer = refused(
        actions, "get_commerce_settings", {"phoneNumberId": PHONE}, status=400, error=error
    )

    assert provider_of(answer)["retryable"] is True


@pytest.mark.parametrize(
    ("status", "expected"), [(429, (429, "rate_limited")), (500, (503, "provider_unavailable"))]
)
def test_a_limit_and_a_failure_of_the_provider_have_its_details_too(
    actions: Actions, status: int, expected: tuple[int, str]
) -> None:
    error = {"fbtrace_id": "A2", "error_subcode": 7}
    body = {"phoneNumberId": PHONE}
    answer = refused(actions, "get_commerce_settings", body, status=status, times=3, error=error)

    assert (answer.status, answer.error) == expected
    found = provider_of(answer)
    assert (found["subcode"], found["traceId"], found["retryable"]) == ("7", "A2", True)


@pytest.mark.parametrize(("action", "body"), ON_AWS.items())
def test_a_refusal_of_aws_has_its_code_message_and_request_id(
    actions: Actions, action: str, body: dict[str, Any]
) -> None:
    actions.register_eum()
    metadata = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
    written = {"messages": [text("wamid.eum.1", at=NOW // 1000 - 60)], "metadata": metadata}
    actions.harness.take(written, waba=EUM_WABA)
    error = {"message": f"Invalid destination +{ADA}"}
    answer = refused(actions, action, body, status=400, error=error)

    found = provider_of(answer)
    assert found["code"] == found["title"] == "ValidationException"
    assert found["message"] == "Invalid destination ***-***-0101"
    assert len(found["traceId"]) == 36
    assert found["retryable"] is False


@pytest.mark.usefixtures("actions")
def test_a_refusal_of_a_topic_has_the_details_of_aws() -> None:
    client = boto3.client("sns")
    with pytest.raises(ClientError) as failure:
        client.publish(TopicArn="arn:aws:sns:us-east-1:123456789012:none", Message="test")

    details = aws_eum.details_of(failure.value)
    assert (details.title, bool(details.message), bool(details.trace_id)) == (
        "NotFound",
        True,
        True,
    )


@pytest.mark.parametrize("action", ["send_text", "create_flow"])
def test_a_repeated_call_gets_code_subcode_and_trace_of_the_first_refusal(
    actions: Actions, action: str
) -> None:
    body = ON_GRAPH[action]
    first = refused(actions, action, body, status=400, error=GRAPH_ERROR)
    again = actions.run(action, body, key=f"key-of-{action}")

    kept = ("code", "subcode", "traceId", "retryable")
    assert [provider_of(again)[name] for name in kept] == [EXPECTED[name] for name in kept]
    assert again.status == first.status
    assert provider_of(again)["title"] == "The value of a parameter is not valid."
    assert "message" not in provider_of(again)


def test_neither_number_text_nor_secret_of_a_refusal_is_logged_stored_or_audited(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = recorded(monkeypatch)
    error = GRAPH_ERROR | {"error_user_msg": f"Malformed token {TOKEN} {OTHER} of +{ADA}"}
    answers = [
        refused(actions, action, body, status=400, error=error) for action, body in ON_GRAPH.items()
    ]

    shown = {provider_of(answer)["message"] for answer in answers}
    assert shown == {"Malformed token *** *** of ***-***-0101"}
    stored = json.dumps([actions.item(key) for key in actions.harness.keys()], default=str)
    audit = boto3.client("dynamodb").scan(TableName=name_of("AuditLogTable"))["Items"]
    for sink in (log.getvalue(), json.dumps(audit)):
        assert ADA not in sink
        assert BODY not in sink
    for sink in (log.getvalue(), json.dumps(audit), stored):
        assert "Malformed" not in sink
        assert "Value not valid" not in sink
        assert TOKEN not in sink


def test_a_message_that_is_rejected_in_a_list_has_the_refusal_too(actions: Actions) -> None:
    sent = actions.send("send_text", {"text": BODY}).result
    metadata = {"phone_number_id": PHONE, "display_phone_number": "15550783881"}
    status = {
        "id": sent["messageId"],
        "status": "failed",
        "timestamp": str(NOW // 1000),
        "recipient_id": ADA,
        "errors": [{"code": 131000, "title": "Something went wrong"}],
    }
    actions.harness.take({"statuses": [status], "metadata": metadata})
    body = {"phoneNumberId": PHONE}
    answer = refused(actions, "retry_failed_messages", body, status=400, error=GRAPH_ERROR)

    (retried,) = answer.result["messages"]
    assert (retried["outcome"], retried["reason"]) == ("rejected", EXPECTED["code"])
    assert retried["providerError"] == EXPECTED


def test_an_account_that_its_provider_refuses_to_show_has_the_refusal(actions: Actions) -> None:
    (waba,) = refused(actions, "get_wabas", {}, status=400, error=GRAPH_ERROR).result["wabas"]
    (failed,) = refused(actions, "sync_phones", {}, status=400, error=GRAPH_ERROR).result["failed"]

    assert waba["providerError"] == failed["providerError"] == EXPECTED
