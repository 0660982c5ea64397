"""Amazon SES, driven by the real SDK and by Parley's sender."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config as BotoConfig
from botocore.exceptions import ClientError

from local.sandbox import Sandbox
from shared.providers.email.mime import body_of
from shared.providers.email.ses import Mail, Ses
from shared.providers.outcomes import InDoubt, NotSent, Refused
from tests.integration.sandbox.client import SIGNED, Client

PATH = "/v2/email/outbound-emails"
MAIL: dict[str, Any] = {
    "FromEmailAddress": "Acme <jobs@example.com>",
    "Destination": {"ToAddresses": ["ann@example.com"]},
    "Content": {
        "Simple": {
            "Subject": {"Data": "Hello"},
            "Body": {"Text": {"Data": "Gr\u00fc\u00dfe", "Charset": "UTF-8"}},
            "Headers": [{"Name": "Auto-Submitted", "Value": "auto-generated"}],
        }
    },
    "EmailTags": [{"Name": "action", "Value": "a1"}],
}


@pytest.fixture
def ses(sandbox: Sandbox) -> Iterator[Any]:
    client = boto3.client(
        "sesv2",
        endpoint_url=sandbox.url,
        region_name="us-east-1",
        config=BotoConfig(retries={"total_max_attempts": 1}, read_timeout=120),
    )
    yield client
    client.close()


def simple(**change: object) -> dict[str, Any]:
    return {"Content": {"Simple": MAIL["Content"]["Simple"] | change}}


def headers(*named: tuple[str, str]) -> dict[str, Any]:
    return simple(Headers=[{"Name": name, "Value": value} for name, value in named])


def test_a_mail_is_accepted_and_recorded(ses: Any, sandbox: Sandbox) -> None:
    message_id = ses.send_email(**MAIL)["MessageId"]

    [sent] = sandbox.sent
    assert message_id.startswith("0100")
    assert message_id.endswith("-000000")
    assert (sent.provider, sent.operation, sent.path) == ("ses", "SendEmail", PATH)
    assert sent.answer == {"MessageId": message_id}
    assert sent.body == MAIL | {
        "Destination": MAIL["Destination"] | {"CcAddresses": [], "BccAddresses": []},
        "ReplyToAddresses": [],
    }


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (headers(("Reply-To", "x@example.com")), "BadRequestException", "SES writes reply-to itself"),
        (headers(("message-id", "<a@b>")), "BadRequestException", "SES writes message-id itself"),
        (headers(("X-A", "\u00e4")), "BadRequestException", "Headers.0.Value"),
        (headers(("X-A", "a\r\nBcc: b")), "BadRequestException", "Headers.0.Value"),
        (headers(("X:A", "a")), "BadRequestException", "Headers.0.Name"),
        (headers(("X-Long", "a" * 991)), "BadRequestException", "over 996 characters"),
        (headers(("References", "<a@b>"), ("references", "<c@d>")), "BadRequestException", "more than once"),
        (headers(*[(f"X-{n}", "a") for n in range(16)]), "BadRequestException", "Headers"),
        ({"EmailTags": [{"Name": "action", "Value": "a b"}]}, "BadRequestException", "EmailTags.0.Value"),
        ({"EmailTags": [{"Name": "a.b", "Value": "a"}]}, "BadRequestException", "EmailTags.0.Name"),
        (simple(Subject={"Data": "a\nb"}), "BadRequestException", "non-empty line"),
        (simple(Subject={"Data": ""}), "BadRequestException", "non-empty line"),
        (simple(Subject={"Data": "Gr\u00fc\u00dfe"}), "BadRequestException", "Charset"),
        (simple(Body={}), "BadRequestException", "text or an HTML part"),
        ({"Destination": {"ToAddresses": []}}, "BadRequestException", "1 to 50 recipients"),
        ({"Destination": {"ToAddresses": ["j\u00f6rg@example.com"]}}, "BadRequestException", "address"),
        ({"Destination": {"ToAddresses": ["ann"]}}, "BadRequestException", "address"),
        ({"ReplyToAddresses": ["nobody"]}, "BadRequestException", "address"),
        ({"FromEmailAddress": "me@some-shop.com"}, "MessageRejected", "not verified"),
        ({"Content": {"Raw": {"Data": b"x"}}}, "BadRequestException", "Content.Simple"),
        ({"ConfigurationSetName": "no set"}, "BadRequestException", "ConfigurationSetName"),
    ],
)  # fmt: skip
def test_a_mail_that_ses_refuses_is_not_sent(
    ses: Any, sandbox: Sandbox, change: dict[str, Any], code: str, message: str
) -> None:
    with pytest.raises(ClientError) as raised:
        ses.send_email(**MAIL | change)

    said = raised.value.response["Error"]
    assert said["Code"] == code
    assert message in said["Message"]
    assert sandbox.sent == []


@pytest.mark.parametrize(
    ("authorization", "body", "code"),
    [
        (None, MAIL, "MissingAuthenticationTokenException"),
        ("Bearer a-token", MAIL, "MissingAuthenticationTokenException"),
        (SIGNED, b"{", "BadRequestException"),
        (SIGNED, [], "BadRequestException"),
    ],
)
def test_unsigned_and_unreadable_requests_are_refused(
    client: Client, sandbox: Sandbox, authorization: str | None, body: object, code: str
) -> None:
    reply = client.post(PATH, body, authorization=authorization)

    assert reply.headers["x-amzn-ErrorType"] == code
    assert sandbox.sent == []


def mail() -> Mail:
    return Mail(
        sender="jobs@example.com",
        sender_name="M\u00fcller",
        to="ann@example.com",
        reply_to="desk@example.com",
        subject="Ihr Gespr\u00e4ch",
        body=body_of("Gr\u00fc\u00dfe an **Ann**"),
        auto_submitted="auto-replied",
        in_reply_to="b@mail.example",
        references=["a@mail.example"],
        unsubscribe=["https://example.com/u/1"],
        one_click=True,
        configuration_set="parley",
        action_id="a1b2",
        tags={"ref": "abc"},
    )


def test_requests_of_our_sender_keep_all_rules(ses: Any, sandbox: Sandbox) -> None:
    sent = Ses(lambda: ses).send(mail())

    [recorded] = sandbox.sent
    body: Any = recorded.body
    assert recorded.answer == {"MessageId": sent.provider_id}
    assert {header["Name"]: header["Value"] for header in body["Content"]["Simple"]["Headers"]} == {
        "Auto-Submitted": "auto-replied",
        "In-Reply-To": "<b@mail.example>",
        "References": "<a@mail.example> <b@mail.example>",
        "List-Unsubscribe": "<https://example.com/u/1>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    assert body["EmailTags"] == [
        {"Name": "action", "Value": "a1b2"},
        {"Name": "ref", "Value": "abc"},
    ]


@pytest.mark.parametrize(
    ("fault", "outcome", "on_the_wire"),
    [
        ({"kind": "status", "status": 429}, NotSent, 0),
        ({"kind": "status", "status": 400}, Refused, 0),
        ({"kind": "status", "status": 500}, InDoubt, 0),
        ({"kind": "reset"}, InDoubt, 0),
        ({"kind": "lost_answer"}, InDoubt, 1),
    ],
)
def test_a_failure_is_one_attempt_and_raises_its_own_error(
    ses: Any, sandbox: Sandbox, fault: dict[str, Any], outcome: type[Exception], on_the_wire: int
) -> None:
    sandbox.faults.add(provider="ses", operation="SendEmail", times=5, **fault)

    with pytest.raises(outcome):
        Ses(lambda: ses).send(mail())

    assert sandbox.faults.pending()[0].times == 4
    assert len(sandbox.sent) == on_the_wire
