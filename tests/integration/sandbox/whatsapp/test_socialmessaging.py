"""AWS End User Messaging Social, driven by the real SDK."""

import base64
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config as BotoConfig
from botocore.exceptions import ClientError, ConnectionClosedError, ReadTimeoutError

from local.sandbox import Config, Sandbox, running
from tests.integration.sandbox.bucket import Bucket
from tests.integration.sandbox.client import (
    AWS_NUMBER,
    AWS_NUMBER_ARN,
    RECEIPT,
    SIGNED,
    TEXT,
    Client,
)
from tests.integration.sandbox.receiver import Receiver

if TYPE_CHECKING:
    from mypy_boto3_socialmessaging import EndUserMessagingSocialClient

JPEG = "1003383421387256"


def aws_client(
    url: str, *, attempts: int = 1, read_timeout: float = 20
) -> "EndUserMessagingSocialClient":
    return boto3.client(
        "socialmessaging",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        aws_session_token="session-token",
        config=BotoConfig(retries={"total_max_attempts": attempts}, read_timeout=read_timeout),
    )


@pytest.fixture
def aws(sandbox: Sandbox) -> Iterator["EndUserMessagingSocialClient"]:
    client = aws_client(sandbox.url)
    yield client
    client.close()


def send(aws: "EndUserMessagingSocialClient", message: object, **change: str) -> str:
    request: dict[str, Any] = {
        "originationPhoneNumberId": AWS_NUMBER,
        "metaApiVersion": "v20.0",
        "message": message if isinstance(message, bytes) else json.dumps(message).encode(),
    }
    return aws.send_whatsapp_message(**request | change)["messageId"]


def error_of(raised: pytest.ExceptionInfo[ClientError]) -> tuple[str, str, int]:
    response = raised.value.response
    return (
        response["Error"]["Code"],
        response["Error"]["Message"],
        response["ResponseMetadata"]["HTTPStatusCode"],
    )


@pytest.mark.parametrize("number", [AWS_NUMBER, AWS_NUMBER_ARN], ids=["id", "ARN"])
def test_a_message_is_accepted_and_recorded_with_its_json(
    aws: "EndUserMessagingSocialClient", sandbox: Sandbox, number: str
) -> None:
    message_id = send(aws, TEXT, originationPhoneNumberId=number)

    [sent] = sandbox.sent
    assert message_id
    assert (sent.provider, sent.operation) == ("socialmessaging", "SendWhatsAppMessage")
    assert sent.answer == {"messageId": message_id}
    assert sent.body == {
        "originationPhoneNumberId": number,
        "metaApiVersion": "v20.0",
        "message": TEXT,
    }


def test_no_credentials_are_recorded(aws: "EndUserMessagingSocialClient", sandbox: Sandbox) -> None:
    send(aws, TEXT)

    [sent] = sandbox.sent
    assert "x-amz-date" in sent.headers
    assert not {"authorization", "x-amz-security-token"} & sent.headers.keys()


def test_marking_as_read_uses_the_same_operation(
    aws: "EndUserMessagingSocialClient", sandbox: Sandbox
) -> None:
    send(aws, RECEIPT)

    body: Any = sandbox.sent[0].body
    assert body["message"] == RECEIPT


@pytest.mark.parametrize(
    ("message", "change", "error"),
    [
        (TEXT | {"to": "abc"}, {}, ("InvalidParametersException", "Param to: must be", 400)),
        (RECEIPT | {"message_id": "x"}, {}, ("InvalidParametersException", "message_id", 400)),
        ([], {}, ("InvalidParametersException", "must be an object", 400)),
        (b"{", {}, ("ValidationException", "message: not base64 of JSON", 400)),
        (b"\xff", {}, ("ValidationException", "message: not base64 of JSON", 400)),
        (
            TEXT | {"x": "x" * 2_048_000},
            {},
            ("ValidationException", "message: over 2048000 bytes", 400),
        ),
        (TEXT, {"metaApiVersion": "20"}, ("ValidationException", "metaApiVersion", 400)),
        (
            TEXT,
            {"originationPhoneNumberId": "106540352242922"},
            ("ValidationException", "originationPhoneNumberId", 400),
        ),
        (
            TEXT,
            {"originationPhoneNumberId": "phone-number-id-00"},
            ("ResourceNotFoundException", "no phone number", 404),
        ),
        (
            TEXT,
            {"originationPhoneNumberId": AWS_NUMBER_ARN.replace("0123456789", "9999999999")},
            ("ResourceNotFoundException", "no phone number", 404),
        ),
    ],
)
def test_a_wrong_message_is_refused_with_the_services_error(
    aws: "EndUserMessagingSocialClient",
    sandbox: Sandbox,
    message: object,
    change: dict[str, str],
    error: tuple[str, str, int],
) -> None:
    with pytest.raises(ClientError) as raised:
        send(aws, message, **change)

    code, text, status = error_of(raised)
    assert (code, status) == (error[0], error[2])
    assert error[1] in text
    assert sandbox.sent == []


def test_an_error_is_one_of_the_sdks_own_exceptions(aws: "EndUserMessagingSocialClient") -> None:
    with pytest.raises(aws.exceptions.ResourceNotFoundException):
        send(aws, TEXT, originationPhoneNumberId="phone-number-id-00")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "body: not JSON"),
        (b"[]", "body: Input should be"),
        (b"{}", "originationPhoneNumberId: Field required"),
        (b'{"message": 5}', "originationPhoneNumberId: Field required"),
    ],
)
def test_a_request_that_no_sdk_would_send_is_refused(
    client: Client, body: bytes, message: str
) -> None:
    reply = client.post("/v1/whatsapp/send", body, authorization=SIGNED)

    assert (reply.status, reply.headers["x-amzn-ErrorType"]) == (400, "ValidationException")
    assert reply.json()["message"].startswith(message)


def test_a_request_without_a_signature_is_refused(client: Client, sandbox: Sandbox) -> None:
    reply = client.post("/v1/whatsapp/send", {"message": ""})

    assert reply.status == 403
    assert reply.headers["x-amzn-ErrorType"] == "MissingAuthenticationTokenException"
    assert sandbox.sent == []


def get_media(aws: "EndUserMessagingSocialClient", **change: object) -> dict[str, Any]:
    request: dict[str, Any] = {
        "originationPhoneNumberId": AWS_NUMBER,
        "mediaId": JPEG,
        "destinationS3File": {"bucketName": "media-bucket", "key": "media/acme/1/"},
    }
    wanted: dict[str, Any] = {k: v for k, v in (request | change).items() if v is not None}
    answer = dict(aws.get_whatsapp_message_media(**wanted))
    answer.pop("ResponseMetadata")
    return answer


def test_media_is_stored_under_the_key_prefix_with_a_generated_name(
    aws: "EndUserMessagingSocialClient", bucket: Bucket, sandbox: Sandbox
) -> None:
    answer = get_media(aws)

    assert answer == {"mimeType": "image/jpeg", "fileSize": 1}
    [(place, (content, content_type))] = bucket.items()
    assert place == ("media-bucket", f"media/acme/1/{JPEG}.jpg")
    assert content.startswith(b"\xff\xd8\xff")
    assert content_type == "image/jpeg"
    assert sandbox.sent[0].operation == "GetWhatsAppMessageMedia"


def test_the_key_is_a_prefix_and_no_folder(
    aws: "EndUserMessagingSocialClient", bucket: Bucket
) -> None:
    get_media(
        aws,
        mediaId="1003383421387259",
        destinationS3File={"bucketName": "media-bucket", "key": "audio/a.ogg"},
    )

    assert list(bucket) == [("media-bucket", "audio/a.ogg1003383421387259.ogg")]


def test_metadata_alone_copies_nothing(aws: "EndUserMessagingSocialClient", bucket: Bucket) -> None:
    answer = get_media(aws, metadataOnly=True, destinationS3File=None)

    assert answer == {"mimeType": "image/jpeg", "fileSize": 1}
    assert bucket == {}


PRESIGNED = {"url": "https://media-bucket.s3.amazonaws.com/x", "headers": {}}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"mediaId": "999"}, ("ResourceNotFoundException", 404)),
        ({"mediaId": "1003383421387264"}, ("ResourceNotFoundException", 404)),
        ({"mediaId": "../etc"}, ("ValidationException", 400)),
        (
            {"originationPhoneNumberId": "phone-number-id-00"},
            ("ResourceNotFoundException", 404),
        ),
        (
            {"destinationS3File": {"bucketName": "Not A Bucket", "key": ""}},
            ("ValidationException", 400),
        ),
        ({"destinationS3File": None}, ("InvalidParametersException", 400)),
        ({"destinationS3PresignedUrl": PRESIGNED}, ("InvalidParametersException", 400)),
        (
            {"destinationS3PresignedUrl": PRESIGNED, "destinationS3File": None},
            ("NotImplementedException", 501),
        ),
    ],
)
def test_a_wrong_request_for_media_is_refused_and_copies_nothing(
    aws: "EndUserMessagingSocialClient",
    bucket: Bucket,
    sandbox: Sandbox,
    change: dict[str, Any],
    error: tuple[str, int],
) -> None:
    with pytest.raises(ClientError) as raised:
        get_media(aws, **change)

    code, _, status = error_of(raised)
    assert (code, status) == error
    assert bucket == {}
    assert sandbox.sent == []


def test_media_is_stored_in_s3_at_the_given_endpoint(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_the_sandbox_credentials(monkeypatch)
    with running(Config(aws_endpoint=receiver.url)) as sandbox:
        aws = aws_client(sandbox.url)
        get_media(aws, mediaId="1003383421387258")
        aws.close()

    stored = receiver.next()
    assert (stored.method, stored.path) == (
        "PUT",
        "/media-bucket/media/acme/1/1003383421387258.pdf",
    )
    assert stored.headers["Content-Type"] == "application/pdf"
    assert b"%PDF-1.4" in stored.body


def test_a_bucket_that_refuses_the_file_is_a_broken_dependency(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_the_sandbox_credentials(monkeypatch)
    receiver.statuses.append(403)
    with running(Config(aws_endpoint=receiver.url)) as sandbox:
        aws = aws_client(sandbox.url)
        with pytest.raises(ClientError) as raised:
            get_media(aws)
        aws.close()

    assert error_of(raised) == ("DependencyException", "S3 refused the file: 403", 502)
    assert sandbox.sent == []


def test_without_s3_media_cannot_be_copied() -> None:
    with running(Config()) as sandbox:
        aws = aws_client(sandbox.url)
        with pytest.raises(ClientError) as raised:
            get_media(aws)
        aws.close()

    assert error_of(raised)[0] == "DependencyException"


def give_the_sandbox_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, "ValidationException"),
        (403, "AccessDeniedException"),
        (429, "ThrottledRequestException"),
        (500, "InternalServiceException"),
        (502, "DependencyException"),
        (503, "InternalServiceException"),
    ],
)
def test_a_status_fault_raises_the_services_error_for_that_status(
    aws: "EndUserMessagingSocialClient", sandbox: Sandbox, status: int, error: str
) -> None:
    sandbox.faults.add(kind="status", status=status, provider="socialmessaging")

    with pytest.raises(ClientError) as raised:
        send(aws, TEXT)

    code, _, given = error_of(raised)
    assert (code, given) == (error, status)
    assert sandbox.sent == []


def test_a_lost_answer_looks_to_the_sdk_like_a_closed_connection(
    aws: "EndUserMessagingSocialClient", sandbox: Sandbox
) -> None:
    sandbox.faults.add(kind="lost_answer", operation="SendWhatsAppMessage")

    with pytest.raises(ConnectionClosedError):
        send(aws, TEXT)

    assert len(sandbox.sent) == 1


def test_an_sdk_that_may_retry_sends_a_message_with_a_lost_answer_twice(sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="lost_answer")

    aws = aws_client(sandbox.url, attempts=2)
    send(aws, TEXT)
    aws.close()

    assert len(sandbox.sent) == 2


def test_a_delay_beyond_the_read_timeout_leaves_the_message_sent(sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="delay", seconds=30)

    aws = aws_client(sandbox.url, read_timeout=1)
    with pytest.raises(ReadTimeoutError):
        send(aws, TEXT)
    aws.close()

    assert len(sandbox.sent) == 1


def test_the_message_is_base64_on_the_wire(client: Client, sandbox: Sandbox) -> None:
    request = {
        "originationPhoneNumberId": AWS_NUMBER,
        "metaApiVersion": "v20.0",
        "message": base64.b64encode(json.dumps(TEXT).encode()).decode(),
    }

    reply = client.post("/v1/whatsapp/send", request, authorization=SIGNED)

    assert reply.status == 200
    body: Any = sandbox.sent[0].body
    assert body["message"] == TEXT


def test_an_uploaded_file_can_be_sent_by_its_media_id(
    aws: "EndUserMessagingSocialClient", sandbox: Sandbox
) -> None:
    uploaded = aws.post_whatsapp_message_media(
        originationPhoneNumberId=AWS_NUMBER,
        sourceS3File={"bucketName": "a-bucket", "key": "media/file.jpg"},
    )

    photo = TEXT | {"type": "image", "image": {"id": uploaded["mediaId"]}}
    assert send(aws, {name: part for name, part in photo.items() if name != "text"})
    assert sandbox.sent[0].operation == "PostWhatsAppMessageMedia"
