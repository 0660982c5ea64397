"""SMS of AWS through the sandbox, with the real SDK: requests and the meaning of refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
import urllib3
from botocore.config import Config as BotoConfig
from botocore.exceptions import ClientError

from local.sandbox import Sandbox
from shared.providers.outcomes import InDoubt, Misconfigured, NotSent, OptedOut, Refused, Sent
from shared.providers.sms.aws_eum import AwsSms, SmsVoice, TextMessage

NUMBER = "+12025550160"
CUSTOMER = "+447700900124"


def client(url: str) -> SmsVoice:
    made: Any = boto3.client(
        "pinpoint-sms-voice-v2",
        endpoint_url=url,
        config=BotoConfig(retries={"total_max_attempts": 1}, read_timeout=0.5),
    )
    sms_voice: SmsVoice = made
    return sms_voice


@pytest.fixture
def sms(sandbox: Sandbox) -> Iterator[AwsSms]:
    made = client(sandbox.url)
    yield AwsSms(lambda: made)
    made.close()  # type: ignore[attr-defined] # the SDK's client has more than the one method


def text(**changes: Any) -> TextMessage:
    facts: dict[str, Any] = {
        "to": CUSTOMER,
        "origination": NUMBER,
        "body": "Grüße 😀",
        "message_type": "TRANSACTIONAL",
        "configuration_set": "parley",
        "time_to_live_seconds": 3_600,
        "action_id": "action-1",
        "ref": "k7q2m4x0",
    }
    return TextMessage(**facts | changes)


def test_a_message_is_sent_with_one_request_that_carries_the_action(
    sms: AwsSms, sandbox: Sandbox
) -> None:
    sent = sms.send(text())

    [asked] = sandbox.sent
    answer: Any = asked.answer
    assert sent == Sent(answer["MessageId"], "TEXT_QUEUED")
    assert asked.body == {
        "DestinationPhoneNumber": CUSTOMER,
        "OriginationIdentity": NUMBER,
        "MessageBody": "Grüße 😀",
        "MessageType": "TRANSACTIONAL",
        "ConfigurationSetName": "parley",
        "TimeToLive": 3_600,
        "Context": {"action": "action-1", "ref": "k7q2m4x0"},
    }


def test_a_message_without_a_configuration_set_is_sent_too(sms: AwsSms, sandbox: Sandbox) -> None:
    sms.send(text(configuration_set=None))

    body: Any = sandbox.sent[0].body
    assert "ConfigurationSetName" not in body


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"to": "Ann"}, "aws_sms_ValidationException"),
        ({"body": "a" * 1_601}, "aws_sms_ValidationException"),
        ({"body": " "}, "aws_sms_ValidationException"),
        ({"time_to_live_seconds": 259_201}, "aws_sms_ValidationException"),
        ({"origination": "+12025550199"}, "aws_sms_ResourceNotFoundException"),
        ({"time_to_live_seconds": 4}, "aws_sms_ParamValidationError"),
        ({"to": None}, "aws_sms_ParamValidationError"),
        ({"body": ""}, "aws_sms_ParamValidationError"),
    ],
)
def test_a_request_that_the_service_or_the_sdk_rejects_is_refused(
    sms: AwsSms, sandbox: Sandbox, change: dict[str, Any], code: str
) -> None:
    with pytest.raises(Refused) as raised:
        sms.send(text(**change))

    assert (type(raised.value), raised.value.code) == (Refused, code)
    assert sandbox.sent == []


def test_a_customer_on_the_opt_out_list_of_aws_has_opted_out(sms: AwsSms, sandbox: Sandbox) -> None:
    said = {"sender": CUSTOMER, "to": NUMBER, "body": "stop"}
    with urllib3.PoolManager(retries=False) as pool:
        pool.request("POST", f"{sandbox.url}/_texts", json=said)

    with pytest.raises(OptedOut) as raised:
        sms.send(text())

    assert raised.value.code == "aws_sms_ConflictException"


def test_a_throttled_request_was_not_sent(sms: AwsSms, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="status", status=429)

    with pytest.raises(NotSent):
        sms.send(text())

    assert sandbox.sent == []


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500},
        {"kind": "lost_answer"},
        {"kind": "reset"},
        {"kind": "delay", "seconds": 1.0},
    ],
)
def test_without_a_definite_answer_the_send_is_in_doubt_and_not_retried(
    sms: AwsSms, sandbox: Sandbox, fault: dict[str, Any]
) -> None:
    sandbox.faults.add(**fault)

    with pytest.raises(InDoubt):
        sms.send(text())

    assert sandbox.faults.pending() == []
    assert len(sandbox.sent) == (fault["kind"] in {"lost_answer", "delay"})


def test_a_request_that_does_not_reach_the_provider_was_not_sent() -> None:
    with pytest.raises(NotSent) as raised:
        AwsSms(lambda: client("http://127.0.0.1:9")).send(text())

    assert raised.value.code == "EndpointConnectionError"


class Failing:
    """A client whose call raises the given error."""

    def __init__(self, name: str, status: int, **facts: Any) -> None:
        answer: Any = {
            "Error": {"Code": name, "Message": f"not to {CUSTOMER}"},
            "ResponseMetadata": {"HTTPStatusCode": status},
            **facts,
        }
        self._error = ClientError(answer, "SendTextMessage")

    def send_text_message(self, **_: Any) -> dict[str, Any]:
        raise self._error


OPTED_OUT = "DESTINATION_PHONE_NUMBER_OPTED_OUT"


@pytest.mark.parametrize(
    ("make", "kind", "code"),
    [
        (lambda: Failing("ThrottlingException", 400), NotSent, "aws_sms_ThrottlingException"),
        (
            lambda: Failing("InternalServerException", 500),
            InDoubt,
            "aws_sms_InternalServerException",
        ),
        (
            lambda: Failing("InternalServerException", 400),
            InDoubt,
            "aws_sms_InternalServerException",
        ),
        (lambda: Failing("503", 503), InDoubt, "aws_sms_503"),
        (
            lambda: Failing("ConflictException", 400, Reason=OPTED_OUT),
            OptedOut,
            "aws_sms_ConflictException",
        ),
        (
            lambda: Failing("ConflictException", 400, Reason="NUMBER_CAPABILITIES_MISMATCH"),
            Misconfigured,
            "aws_sms_NUMBER_CAPABILITIES_MISMATCH",
        ),
        (lambda: Failing("ConflictException", 400), Misconfigured, "aws_sms_None"),
        (
            lambda: Failing("ServiceQuotaExceededException", 400),
            Misconfigured,
            "aws_sms_ServiceQuotaExceededException",
        ),
        (lambda: Failing("AccessDeniedException", 400), Refused, "aws_sms_AccessDeniedException"),
    ],
)
def test_each_error_of_the_sdk_has_an_outcome(
    make: Callable[[], Failing], kind: type[Exception], code: str
) -> None:
    with pytest.raises(kind) as raised:
        AwsSms(make).send(text())

    assert type(raised.value) is kind
    assert str(raised.value) == code
    assert CUSTOMER not in repr(raised.value)


def test_an_answer_without_an_id_leaves_the_send_in_doubt() -> None:
    class Silent:
        def send_text_message(self, **_: Any) -> dict[str, Any]:
            return {}

    with pytest.raises(InDoubt):
        AwsSms(Silent).send(text())


def test_no_error_or_repr_shows_personal_data() -> None:
    assert CUSTOMER not in repr(text())
    assert "Grüße" not in repr(text())
