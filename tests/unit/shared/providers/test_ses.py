"""Requests to SES, and the outcomes of its errors."""

from collections.abc import Mapping
from dataclasses import replace
from email.header import decode_header, make_header
from typing import Any

import botocore.session
import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)
from botocore.validate import ParamValidator

from shared.providers.email.mime import Body
from shared.providers.email.ses import Attachment, Mail, Ses, message_ids
from shared.providers.outcomes import AddressUnusable, InDoubt, Misconfigured, NotSent, Refused
from tests.cases import each

MAIL = Mail(
    sender="jobs@example.com",
    to="ann@example.com",
    subject="Your application",
    body=Body("Hello", "<p>Hello</p>"),
    auto_submitted="auto-generated",
    action_id="a1b2",
    tags={"ref": "abc"},
)


class Service:
    """Accepts each request, or fails with the given error."""

    def __init__(self, end: Exception | str = "0100-1") -> None:
        self._end = end
        self.requests: list[dict[str, Any]] = []

    def send_email(self, **request: Any) -> Mapping[str, Any]:
        self.requests.append(request)
        if isinstance(self._end, Exception):
            raise self._end
        return {"MessageId": self._end} if self._end else {}


def headers(mail: Mail) -> dict[str, str]:
    listed = mail.request()["Content"]["Simple"]["Headers"]
    return {header["Name"]: header["Value"] for header in listed}


def test_a_mail_is_a_text_an_html_part_and_tags() -> None:
    assert MAIL.request() == {
        "FromEmailAddress": "jobs@example.com",
        "Destination": {"ToAddresses": ["ann@example.com"]},
        "Content": {
            "Simple": {
                "Subject": {"Data": "Your application", "Charset": "UTF-8"},
                "Body": {
                    "Text": {"Data": "Hello", "Charset": "UTF-8"},
                    "Html": {"Data": "<p>Hello</p>", "Charset": "UTF-8"},
                },
                "Headers": [{"Name": "Auto-Submitted", "Value": "auto-generated"}],
            }
        },
        "EmailTags": [{"Name": "action", "Value": "a1b2"}, {"Name": "ref", "Value": "abc"}],
    }


def test_answers_go_to_reply_to_and_events_come_through_the_configuration_set() -> None:
    request = replace(MAIL, reply_to="desk@example.com", configuration_set="parley").request()

    assert request["ReplyToAddresses"] == ["desk@example.com"]
    assert request["ConfigurationSetName"] == "parley"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("", "jobs@example.com"),
        ("Acme Jobs", "Acme Jobs <jobs@example.com>"),
        ('Acme, "the" Jobs', '"Acme, \\"the\\" Jobs" <jobs@example.com>'),
        ("Acme\r\nBcc: all@example.com", '"Acme Bcc: all@example.com" <jobs@example.com>'),
    ],
)
def test_the_name_of_the_sender_is_quoted_where_it_must_be(name: str, shown: str) -> None:
    assert replace(MAIL, sender_name=name).request()["FromEmailAddress"] == shown


@pytest.mark.parametrize("name", ["M\u00fcller & S\u00f6hne", "\u682a\u5f0f\u4f1a\u793e" * 12])
def test_a_name_outside_ascii_is_encoded(name: str) -> None:
    shown = replace(MAIL, sender_name=name).request()["FromEmailAddress"]

    encoded, _, address = shown.rpartition(" ")
    assert shown.isascii()
    assert address == "<jobs@example.com>"
    assert all(len(word) <= 75 for word in encoded.split(" "))
    assert str(make_header(decode_header(encoded))) == name


def test_a_reply_references_the_answered_mail_and_its_thread() -> None:
    answer = replace(
        MAIL,
        auto_submitted="auto-replied",
        in_reply_to="third@mail.example",
        references=["first@mail.example", "<second@mail.example>"],
    )

    assert headers(answer) == {
        "Auto-Submitted": "auto-replied",
        "In-Reply-To": "<third@mail.example>",
        "References": "<first@mail.example> <second@mail.example> <third@mail.example>",
    }


def test_a_mail_of_an_agent_is_not_marked_as_automatic() -> None:
    assert headers(replace(MAIL, auto_submitted=None)) == {}


def test_a_long_thread_references_its_first_and_newest_mails() -> None:
    ids = [f"{number:03}-{'x' * 60}@mail.example" for number in range(500)]

    value = headers(replace(MAIL, in_reply_to=ids[-1], references=ids))["References"]

    named = value.split(" ")
    assert len(value) <= 870
    assert named[0] == f"<{ids[0]}>"
    assert named[1:] == [f"<{one}>" for one in ids[-len(named) + 1 :]]
    assert len(named) > 5


@pytest.mark.parametrize(
    "bad",
    ["a@b\r\nBcc: all@example.com", "a b@example.com", "\u00e4@example.com", "", "<>", "x" * 401],
)
def test_an_invalid_message_id_is_omitted(bad: str) -> None:
    assert "In-Reply-To" not in headers(replace(MAIL, in_reply_to=bad))
    kept = headers(replace(MAIL, in_reply_to="a@b", references=[bad, "c@d"]))
    assert kept["References"] == "<c@d> <a@b>"


def test_unsubscribe_links_are_in_the_list_unsubscribe_header() -> None:
    leaving = replace(MAIL, unsubscribe=["https://example.com/u/1", "mailto:stop@example.com"])

    assert headers(leaving)["List-Unsubscribe"] == "<https://example.com/u/1>, <mailto:stop@example.com>"  # fmt: skip
    assert "List-Unsubscribe-Post" not in headers(leaving)
    post = headers(replace(leaving, one_click=True))["List-Unsubscribe-Post"]
    assert post == "List-Unsubscribe=One-Click"


def test_a_mail_of_all_fields_fits_the_model_of_the_service() -> None:
    mail = replace(
        MAIL,
        cc=["bob@example.com", "eve@example.com"],
        attachments=[Attachment("Angebot M\u00fcller.pdf", "application/pdf", b"%PDF-\xff")],
        reply_to="desk@example.com",
        loop_mark="v1.abc",
        suppress_auto_replies=True,
        configuration_set="parley",
    )

    request = mail.request()

    service = botocore.session.get_session().get_service_model("sesv2")
    shape = service.shape_for("SendEmailRequest")
    assert not ParamValidator().validate(request, shape).has_errors()
    assert request["Destination"] == {
        "ToAddresses": ["ann@example.com"],
        "CcAddresses": ["bob@example.com", "eve@example.com"],
    }
    assert request["Content"]["Simple"]["Attachments"] == [
        {
            "RawContent": b"%PDF-\xff",
            "FileName": "Angebot M\u00fcller.pdf",
            "ContentType": "application/pdf",
            "ContentDisposition": "ATTACHMENT",
            "ContentTransferEncoding": "BASE64",
        }
    ]


def test_a_mail_is_marked_against_loops_and_automatic_answers() -> None:
    marked = headers(replace(MAIL, loop_mark="v1.a b~", suppress_auto_replies=True))

    assert marked["X-Parley-Loop"] == "v1.a b~"
    assert marked["X-Auto-Response-Suppress"] == "All"


@pytest.mark.parametrize(
    "mark", ["", "a\r\nBcc: all@example.com", "a\tb", "a\x7f", "\u00e4", "a" * 984]
)
def test_a_loop_mark_that_is_no_header_value_is_refused(mark: str) -> None:
    with pytest.raises(ValueError, match=r"^loop_mark: "):
        replace(MAIL, loop_mark=mark)


@each(
    ("filename", "content_type", "field"),
    [
        ("", "text/plain", "filename"),
        ("a" * 252 + ".txt", "text/plain", "filename"),
        ("a\r\nBcc: b.txt", "text/plain", "filename"),
        ("../a.txt", "text/plain", "filename"),
        ("a\\b.txt", "text/plain", "filename"),
        ("invoice\u202efdp.exe", "text/plain", "filename"),
        ("a.txt", "", "content_type"),
        ("a.txt", "text", "content_type"),
        ("a.txt", "text/plain\r\nX-A: b", "content_type"),
        ("a.txt", "text/pl\u00e4in", "content_type"),
        ("a.txt", "text/" + "a" * 74, "content_type"),
    ],
)
def test_an_attachment_that_a_mail_cannot_represent_is_refused_by_its_field(
    filename: str, content_type: str, field: str
) -> None:
    with pytest.raises(ValueError, match=f"^{field}: "):
        Attachment(filename, content_type, b"")


def test_an_attachment_may_have_the_longest_name_and_a_type_with_parameters() -> None:
    longest = Attachment("a" * 251 + ".txt", "text/plain; charset=utf-8", b"secret")

    assert longest.part()["ContentType"] == "text/plain; charset=utf-8"
    assert "secret" not in repr(longest)


def test_an_accepted_mail_is_sent_with_its_ses_id() -> None:
    service = Service("0100019-aa")

    sent = Ses(lambda: service).send(MAIL)

    assert (sent.provider_id, sent.status) == ("0100019-aa", "accepted")
    assert len(service.requests) == 1


def error(code: str, status: int = 400) -> ClientError:
    answer: Any = {
        "Error": {"Code": code, "Message": "ann@example.com is not verified"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(answer, "SendEmail")


@each(
    ("end", "outcome", "code"),
    [
        (error("TooManyRequestsException", 429), NotSent, "ses_TooManyRequestsException"),
        (error("MessageRejected"), Refused, "ses_MessageRejected"),
        (error("BadRequestException"), Refused, "ses_BadRequestException"),
        (error("NotFoundException", 404), Misconfigured, "ses_NotFoundException"),
        (error("MailFromDomainNotVerifiedException"), Misconfigured, "ses_MailFromDomainNotVerifiedException"),
        (error("SendingPausedException"), Misconfigured, "ses_SendingPausedException"),
        (error("AccountSuspendedException"), Misconfigured, "ses_AccountSuspendedException"),
        (error("LimitExceededException"), Misconfigured, "ses_LimitExceededException"),
        (error("AccessDeniedException", 403), Misconfigured, "ses_AccessDeniedException"),
        (error("InternalFailure", 500), InDoubt, "ses_InternalFailure"),
        (error("ServiceUnavailable", 503), InDoubt, "ses_ServiceUnavailable"),
        (ReadTimeoutError(endpoint_url="https://ses"), InDoubt, "ReadTimeoutError"),
        (ConnectTimeoutError(endpoint_url="https://ses"), NotSent, "ConnectTimeoutError"),
        (EndpointConnectionError(endpoint_url="https://ses"), NotSent, "EndpointConnectionError"),
        (NoCredentialsError(), NotSent, "NoCredentialsError"),
        (ParamValidationError(report="ann@example.com"), Refused, "ses_ParamValidationError"),
    ],
)  # fmt: skip
def test_each_error_has_its_outcome_and_contains_no_provider_text(
    end: Exception, outcome: type[Exception], code: str
) -> None:
    with pytest.raises((Refused, NotSent, InDoubt)) as raised:
        Ses(lambda: Service(end)).send(MAIL)

    assert type(raised.value) is outcome
    assert str(raised.value) == code


def test_a_response_without_an_id_is_in_doubt() -> None:
    with pytest.raises(InDoubt, match="ses_no_id"):
        Ses(lambda: Service("")).send(MAIL)


def test_addresses_that_ses_does_not_accept_are_not_sent() -> None:
    service = Service()

    with pytest.raises(AddressUnusable):
        Ses(lambda: service).send(replace(MAIL, to="j\u00f6rg@example.com"))
    with pytest.raises(AddressUnusable):
        Ses(lambda: service).send(replace(MAIL, cc=["bob@example.com", "j\u00f6rg@example.com"]))
    with pytest.raises(Misconfigured):
        Ses(lambda: service).send(replace(MAIL, sender="b\u00fcro@example.com"))

    assert service.requests == []


def test_the_message_id_has_the_host_of_the_region() -> None:
    assert message_ids("0100-1", "us-east-1")[0] == "0100-1@email.amazonses.com"
    assert message_ids("0100-1", "eu-west-1")[0] == "0100-1@eu-west-1.amazonses.com"
    assert message_ids("0100-1", "eu-west-1")[1] == "0100-1@email.amazonses.com"
    assert message_ids("0100-1", "us-east-1")[1] == "0100-1@us-east-1.amazonses.com"


def test_the_repr_of_a_mail_hides_its_content() -> None:
    shown = repr(replace(MAIL, subject="secret", to="ann@example.com", cc=["bob@example.com"]))

    assert "secret" not in shown
    assert "ann@" not in shown
    assert "bob@" not in shown
    assert "Hello" not in shown
