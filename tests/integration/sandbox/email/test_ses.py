"""Amazon SES, driven by the real SDK and by Parley's sender."""

import hashlib
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config as BotoConfig
from botocore.exceptions import ClientError

from local.sandbox import Sandbox
from local.sandbox.providers.email import ses as ses_provider
from shared.providers.email.mime import body_of
from shared.providers.email.ses import Attachment, Mail, Ses
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


def copied(*to: str) -> dict[str, Any]:
    return {"Destination": {"ToAddresses": ["ann@example.com"], "CcAddresses": list(to)}}


def file(**change: object) -> dict[str, Any]:
    plain = {"RawContent": b"a", "FileName": "a.txt", "ContentType": "text/plain"}
    return simple(Attachments=[plain | change])


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
        (copied("j\u00f6rg@example.com"), "BadRequestException", "address"),
        (copied(*["bob@example.com"] * 50), "BadRequestException", "1 to 50 recipients"),
        (file(FileName="a.EXE"), "BadRequestException", "extension .exe is not allowed"),
        (file(FileName="a.txt.js"), "BadRequestException", "extension .js is not allowed"),
        (file(FileName="a" * 256), "BadRequestException", "Attachments.0.FileName"),
        (file(FileName="a\r\nb.txt"), "BadRequestException", "control character"),
        (file(FileName="../a.txt"), "BadRequestException", "path separator"),
        (file(ContentType="text"), "BadRequestException", "Attachments.0.ContentType"),
        (file(ContentDisposition="FORM"), "BadRequestException", "Attachments.0.ContentDisposition"),
        (file(RawContent=b"%PDF\xff"), "BadRequestException", "SEVEN_BIT"),
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


def test_a_mail_over_the_largest_size_in_its_transferred_form_is_refused(
    ses: Any, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ses_provider, "_LARGEST_BYTES", 5_000)

    with pytest.raises(ClientError, match="the mail has over 5000 bytes"):
        ses.send_email(**MAIL | simple(Body={"Text": {"Data": "=" * 3_000}}))

    assert sandbox.sent == []
    assert sandbox.mails == {}


def test_content_that_is_not_base64_is_refused(client: Client, sandbox: Sandbox) -> None:
    reply = client.post(PATH, MAIL | file(RawContent="%"), authorization=SIGNED)

    assert (reply.status, reply.headers["x-amzn-ErrorType"]) == (400, "BadRequestException")
    assert "RawContent" in reply.json()["message"]
    assert sandbox.sent == []


def test_a_recorded_mail_shows_size_and_hash_of_its_attachments(ses: Any, sandbox: Sandbox) -> None:
    ses.send_email(**MAIL | file(ContentTransferEncoding="BASE64"))

    body: Any = sandbox.sent[0].body
    assert body["Content"]["Simple"]["Attachments"] == [
        {
            "RawContent": {"size": 1, "sha256": hashlib.sha256(b"a").hexdigest()},
            "FileName": "a.txt",
            "ContentType": "text/plain",
            "ContentDisposition": "ATTACHMENT",
            "ContentTransferEncoding": "BASE64",
        }
    ]


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
        cc=["bob@example.com"],
        attachments=[Attachment("Angebot M\u00fcller.pdf", "application/pdf", b"%PDF\xff")],
        reply_to="desk@example.com",
        subject="Ihr Gespr\u00e4ch",
        body=body_of("Gr\u00fc\u00dfe an **Ann**"),
        auto_submitted="auto-replied",
        in_reply_to="b@mail.example",
        references=["a@mail.example"],
        unsubscribe=["https://example.com/u/1"],
        one_click=True,
        loop_mark="v1.abc",
        suppress_auto_replies=True,
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
        "X-Parley-Loop": "v1.abc",
        "X-Auto-Response-Suppress": "All",
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


def test_a_domain_is_added_and_stays_pending_unless_it_is_reserved(ses: Any) -> None:
    for name in ("shop.example", "acme.de"):
        ses.create_email_identity(EmailIdentity=name)
        ses.put_email_identity_mail_from_attributes(
            EmailIdentity=name, MailFromDomain=f"bounce.{name}"
        )

    states = {
        one["IdentityName"]: one["VerificationStatus"]
        for one in ses.list_email_identities()["EmailIdentities"]
    }
    assert states == {"shop.example": "SUCCESS", "acme.de": "PENDING"}
    pending = ses.get_email_identity(EmailIdentity="acme.de")
    assert pending["MailFromAttributes"]["MailFromDomain"] == "bounce.acme.de"
    assert len(set(pending["DkimAttributes"]["Tokens"])) == 3


@pytest.mark.parametrize(
    ("call", "request_", "code"),
    [
        ("create_email_identity", {"EmailIdentity": "not a domain"}, "BadRequestException"),
        ("create_email_identity", {"EmailIdentity": "twice.example"}, "AlreadyExistsException"),
        ("get_email_identity", {"EmailIdentity": "acme.com"}, "NotFoundException"),
        (
            "put_email_identity_mail_from_attributes",
            {"EmailIdentity": "twice.example", "MailFromDomain": "bounce.example"},
            "BadRequestException",
        ),
        (
            "put_email_identity_mail_from_attributes",
            {"EmailIdentity": "acme.com", "MailFromDomain": "bounce.acme.com"},
            "NotFoundException",
        ),
    ],
)
def test_what_ses_refuses_about_identities_is_refused(
    ses: Any, call: str, request_: dict[str, str], code: str
) -> None:
    ses.create_email_identity(EmailIdentity="twice.example")

    with pytest.raises(ClientError, match=code):
        getattr(ses, call)(**request_)
