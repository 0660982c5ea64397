"""Accepted e-mails as their recipients get them, and the answers of mail clients; Parley's parser reads both."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import boto3
import pytest
from botocore.config import Config as BotoConfig

from email_threads.parsing.kinds import Kind
from email_threads.parsing.mail import parse
from shared.providers.email.mime import body_of
from shared.providers.email.ses import Attachment, Mail, Ses, message_ids
from shared.providers.outcomes import InDoubt

if TYPE_CHECKING:
    from local.sandbox import Sandbox
    from tests.integration.sandbox.client import Client, Reply

LONG_ID = f"{'x' * 120}@mail.example"
MAIL = Mail(
    sender="jobs@example.com",
    sender_name="M\u00fcller",
    to="ann@example.com",
    cc=["bob@example.com", "eve@example.com"],
    reply_to="desk+t1@example.com",
    subject="Ihr Gespr\u00e4ch",
    body=body_of("Gr\u00fc\u00dfe an **Ann**\n\nFrom here on: text"),
    attachments=[
        Attachment("Angebot M\u00fcller.pdf", "application/pdf", b"%PDF\r\n\xff\0"),
        Attachment("notes.txt", "text/plain; charset=utf-8", b"a\n"),
    ],
    auto_submitted="auto-replied",
    in_reply_to=LONG_ID,
    references=["a@mail.example"],
    loop_mark="v1.abc",
    action_id="a1b2",
)


def sent(sandbox: Sandbox, mail: Mail = MAIL, region: str = "us-east-1") -> str:
    client: Any = boto3.client(
        "sesv2",
        endpoint_url=sandbox.url,
        region_name=region,
        config=BotoConfig(retries={"total_max_attempts": 1}),
    )
    ses_id = Ses(lambda: client).send(mail).provider_id
    client.close()
    return ses_id


def answered(client: Client, ses_id: str, text: str, *, more: str = "") -> bytes:
    reply = client.get(f"/_sent/{ses_id}.eml?reply={quote(text)}{more}")
    assert (reply.status, reply.headers["content-type"]) == (200, "message/rfc822")
    return reply.content


def test_a_mail_has_its_fields_texts_and_files(client: Client, sandbox: Sandbox) -> None:
    ses_id = sent(sandbox)

    reply = client.get(f"/_sent/{ses_id}.eml")

    assert reply.headers["content-type"] == "message/rfc822"
    mail = message_from_bytes(reply.content, policy=default)
    assert str(mail["from"]) == "M\u00fcller <jobs@example.com>"
    assert str(mail["to"]) == "ann@example.com"
    assert str(mail["cc"]) == "bob@example.com, eve@example.com"
    assert str(mail["reply-to"]) == "desk+t1@example.com"
    assert str(mail["subject"]) == "Ihr Gespr\u00e4ch"
    assert str(mail["message-id"]) == f"<{message_ids(ses_id, 'us-east-1')[0]}>"
    assert mail["date"] is not None
    assert str(mail["auto-submitted"]) == "auto-replied"
    assert str(mail["x-parley-loop"]) == "v1.abc"
    assert str(mail["references"]) == f"<a@mail.example> <{LONG_ID}>"
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None
    assert html is not None
    assert text.get_content().splitlines() == MAIL.body.text.splitlines()
    assert html.get_content().splitlines() == MAIL.body.html.splitlines()
    assert [(a.get_filename(), a.get_content_type()) for a in mail.iter_attachments()] == [
        ("Angebot M\u00fcller.pdf", "application/pdf"),
        ("notes.txt", "text/plain"),
    ]
    first, second = mail.iter_attachments()
    assert first.get_content() == b"%PDF\r\n\xff\0"
    assert second.get_content() == "a\n"


def test_parley_reads_a_sent_mail(client: Client, sandbox: Sandbox) -> None:
    ses_id = sent(sandbox, replace(MAIL, auto_submitted=None))

    mail = parse(client.get(f"/_sent/{ses_id}.eml").content)

    assert mail.message_id == message_ids(ses_id, "us-east-1")[0]
    assert mail.text == MAIL.body.text
    assert len(mail.attachments) == 2


def test_the_host_of_the_message_id_is_that_of_the_signed_region(
    client: Client, sandbox: Sandbox
) -> None:
    ses_id = sent(sandbox, region="eu-central-1")

    mail = parse(client.get(f"/_sent/{ses_id}.eml").content)

    assert mail.message_id == f"{ses_id}@eu-central-1.amazonses.com"


@pytest.mark.parametrize(
    ("change", "to", "subject"),
    [
        ({}, "desk+t1@example.com", "Re: Ihr Gespr\u00e4ch"),
        ({"reply_to": None}, "jobs@example.com", "Re: Ihr Gespr\u00e4ch"),
        ({"subject": "RE: Hello"}, "desk+t1@example.com", "RE: Hello"),
    ],
)
def test_an_answer_goes_to_the_sender_and_quotes_the_mail(
    client: Client, sandbox: Sandbox, change: dict[str, Any], to: str, subject: str
) -> None:
    ses_id = sent(sandbox, replace(MAIL, **change))

    raw = answered(client, ses_id, "Gr\u00fc\u00dfe\n\nzur\u00fcck & mehr")

    mail, fields = parse(raw), message_from_bytes(raw, policy=default)
    own_id = message_ids(ses_id, "us-east-1")[0]
    assert (mail.kind, mail.sender, mail.subject) == (Kind.MAIL, "ann@example.com", subject)
    assert fields["to"].addresses[0].addr_spec == to
    assert str(fields["in-reply-to"]) == f"<{own_id}>"
    assert str(fields["references"]) == f"<a@mail.example> <{LONG_ID}> <{own_id}>"
    assert str(fields["message-id"]).endswith("@example.com>")
    assert fields["date"] is not None
    assert mail.new_text == "Gr\u00fc\u00dfe\n\nzur\u00fcck & mehr"
    assert (
        "M\u00fcller <jobs@example.com> wrote:\n\n> Gr\u00fc\u00dfe an **Ann**\n>\n> From here on: text"
        in mail.text
    )


def test_an_answer_to_a_mail_with_html_only_quotes_its_text(
    client: Client, sandbox: Sandbox
) -> None:
    ses: Any = boto3.client("sesv2", endpoint_url=sandbox.url, region_name="us-east-1")
    ses_id = ses.send_email(
        FromEmailAddress="jobs@example.com",
        Destination={"ToAddresses": ["Ann Lee <ann@example.com>"]},
        Content={
            "Simple": {
                "Subject": {"Data": "Hi"},
                "Body": {"Html": {"Data": "<p>Tea &amp; cake</p>"}},
            }
        },
    )["MessageId"]
    ses.close()

    raw = answered(client, ses_id, "Yes")

    assert "> Tea & cake" in parse(raw).text
    assert b"From: Ann Lee <ann@example.com>\r\n" in raw


def test_two_answers_have_ids_of_their_own(client: Client, sandbox: Sandbox) -> None:
    ses_id = sent(sandbox)

    first, second = (parse(answered(client, ses_id, "Yes")) for _ in range(2))

    assert first.message_id != second.message_id


def test_an_out_of_office_answer_is_automatic_and_quotes_nothing(
    client: Client, sandbox: Sandbox
) -> None:
    ses_id = sent(sandbox)

    raw = answered(client, ses_id, "I am away", more="&auto=1")

    mail, fields = parse(raw), message_from_bytes(raw, policy=default)
    assert str(fields["auto-submitted"]) == "auto-replied"
    assert str(fields["in-reply-to"]) == f"<{message_ids(ses_id, 'us-east-1')[0]}>"
    assert mail.kind is Kind.AUTO_REPLY
    assert mail.subject == "Automatic reply: Ihr Gespr\u00e4ch"
    assert mail.new_text == "I am away"


@pytest.mark.parametrize(
    ("query", "field"), [("?repl=a", "repl"), ("?auto=1", "auto"), ("?reply=a&auto=2", "auto")]
)
def test_bad_parameters_are_refused_by_name(
    client: Client, sandbox: Sandbox, query: str, field: str
) -> None:
    refused = client.get(f"/_sent/{sent(sandbox)}.eml{query}")

    assert (refused.status, refused.json()["errors"][0]["field"]) == (400, field)


def unknown(reply: Reply) -> bool:
    return reply.status == 404 and reply.json()["errors"][0]["field"] == "id"


def test_an_unknown_id_is_not_found(client: Client, sandbox: Sandbox) -> None:
    ses_id = sent(sandbox)
    client.send("DELETE", "/_sent")

    assert unknown(client.get("/_sent/0100-1.eml"))
    assert unknown(client.get(f"/_sent/{ses_id}.eml?reply=a"))


@pytest.mark.parametrize(("kind", "mails"), [("lost_answer", 1), ("reset", 0)])
def test_a_fault_decides_whether_there_is_a_mail(sandbox: Sandbox, kind: Any, mails: int) -> None:
    sandbox.faults.add(provider="ses", operation="SendEmail", times=1, kind=kind)

    with pytest.raises(InDoubt):
        sent(sandbox)

    assert len(sandbox.mails) == mails
