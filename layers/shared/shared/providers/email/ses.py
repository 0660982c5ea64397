"""
Amazon SES (API v2): mails with one text and one HTML part and attachments, each to one recipient and copies to others.

SES writes Message-ID and Date itself and refuses Reply-To, From and Subject as custom headers (SES Developer Guide,
"Header fields"). SES repeats tags in its events, if a configuration set publishes any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.header import Header
from email.utils import formataddr
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
)

from shared.providers.outcomes import (
    AddressUnusable,
    InDoubt,
    Misconfigured,
    NotSent,
    Refused,
    Sent,
    Unrecognised,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shared.providers.email.mime import Body

ACCEPTED = "accepted"  # our status for a returned MessageId: SES may still drop the mail
# A value may have 995 characters with its name (API reference, MessageHeader); an older page says 870.
_LONGEST_REFERENCES = 870
_MESSAGE_ID = re.compile(r"[!-;=?-~]{1,400}")  # visible ASCII without angle brackets
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LONGEST_NAME = 100
_PRINTABLE = re.compile(r"[ -~]+")
_LONGEST_LOOP_MARK = 983  # with its name 996, the most of a header (API reference, MessageHeader)
# API reference, Attachment. Check: it names no characters of a file name; those that no file system or header can
# represent are refused.
_LONGEST_FILENAME = 255
_NOT_IN_FILENAMES = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff/\\]"
)
_CONTENT_TYPE = re.compile(r"[!-.0-~]+/[!-.0-~][ -~]*")
_LONGEST_CONTENT_TYPE = 78
_SERVER_ERRORS = 500
_FORBIDDEN = 403

# Meaning of the errors of SendEmail (API reference); all others are refusals of the single mail.
_THROTTLED = frozenset({"TooManyRequestsException", "ThrottlingException"})
_OPERATOR_MUST_FIX = frozenset(
    {
        "MailFromDomainNotVerifiedException",
        "SendingPausedException",
        "AccountSuspendedException",
        "LimitExceededException",
        "NotFoundException",  # the configuration set of the request, or its tenant
    }
)
_OF_THE_MAIL = frozenset({"BadRequestException", "MessageRejected"})


class SesClient(Protocol):
    """The single call of the SDK's client (`sesv2`) that this module uses."""

    def send_email(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Send one mail."""
        ...


@dataclass(frozen=True, slots=True)
class Attachment:
    """
    A file in a mail, sent to all recipients. With a *content_id* it is an image that the HTML shows (`mime.body_of`).

    Raises ValueError that names the field which SES does not accept.
    """

    filename: str = field(repr=False)
    content_type: str
    content: bytes = field(repr=False)
    content_id: str | None = None

    def __post_init__(self) -> None:
        """Check the name and the type."""
        if not 0 < len(self.filename) <= _LONGEST_FILENAME:
            raise ValueError(f"filename: must have 1 to {_LONGEST_FILENAME} characters")
        if _NOT_IN_FILENAMES.search(self.filename):
            raise ValueError("filename: contains a control character or a path separator")
        if len(self.content_type) > _LONGEST_CONTENT_TYPE:
            raise ValueError(f"content_type: must have at most {_LONGEST_CONTENT_TYPE} characters")
        if not _CONTENT_TYPE.fullmatch(self.content_type):
            raise ValueError("content_type: must be a media type in printable ASCII")

    def part(self) -> dict[str, Any]:
        """Return the parameter of SendEmail. Without an encoding SES writes the content as 7-bit text."""
        place = {"ContentDisposition": "ATTACHMENT"}
        if self.content_id is not None:
            place = {"ContentDisposition": "INLINE", "ContentId": self.content_id}
        return {
            "RawContent": self.content,
            "FileName": self.filename,
            "ContentType": self.content_type,
            **place,
            "ContentTransferEncoding": "BASE64",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """
    One mail. Addresses are normalised; *sender_name* is the sender's display name.

    *in_reply_to* and *references* (oldest first) are Message-IDs of received mails without angle brackets; invalid ones
    are left out. *unsubscribe* are URIs (https, mailto); *one_click* states that the https one accepts the POST of RFC
    8058. *list_id* (RFC 2919) and *feedback_id* name a mailing, in printable ASCII. SES repeats *action_id* and *tags*
    in events: letters, digits, `_` and `-` only. *loop_mark* identifies mails that come back to their sender; if not in
    printable ASCII, the mail raises ValueError. *suppress_auto_replies* asks Microsoft's servers for no automatic
    answer.
    """

    sender: str
    sender_name: str = ""
    to: str = field(repr=False)
    cc: Sequence[str] = field(default=(), repr=False)
    bcc: Sequence[str] = field(default=(), repr=False)
    reply_to: str | None = None
    subject: str = field(repr=False)
    body: Body
    attachments: Sequence[Attachment] = ()
    auto_submitted: Literal["auto-generated", "auto-replied"] | None
    in_reply_to: str | None = None
    references: Sequence[str] = ()
    unsubscribe: Sequence[str] = ()
    one_click: bool = False
    list_id: str | None = None
    feedback_id: str | None = None
    loop_mark: str | None = None
    suppress_auto_replies: bool = False
    configuration_set: str | None = None
    tenant: str | None = None
    action_id: str
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the value that becomes a header as it is."""
        mark = self.loop_mark
        if mark is None:
            return
        if not _PRINTABLE.fullmatch(mark) or len(mark) > _LONGEST_LOOP_MARK:
            raise ValueError(
                f"loop_mark: must be 1 to {_LONGEST_LOOP_MARK} printable ASCII characters"
            )

    def request(self) -> dict[str, Any]:
        """Return the parameters of SendEmail."""
        request: dict[str, Any] = {
            "FromEmailAddress": _with_name(self.sender_name, self.sender),
            "Destination": {"ToAddresses": [self.to]},
            "Content": {
                "Simple": {
                    "Subject": _utf8(self.subject),
                    "Body": {"Text": _utf8(self.body.text), "Html": _utf8(self.body.html)},
                    "Headers": [{"Name": n, "Value": v} for n, v in self._headers().items()],
                }
            },
            "EmailTags": [
                {"Name": n, "Value": v} for n, v in {"action": self.action_id, **self.tags}.items()
            ],
        }
        if self.cc:
            request["Destination"]["CcAddresses"] = list(self.cc)
        if self.bcc:
            request["Destination"]["BccAddresses"] = list(self.bcc)
        if self.attachments:
            request["Content"]["Simple"]["Attachments"] = [one.part() for one in self.attachments]
        if self.reply_to:
            request["ReplyToAddresses"] = [self.reply_to]
        if self.configuration_set:
            request["ConfigurationSetName"] = self.configuration_set
        if self.tenant:
            request["TenantName"] = self.tenant
        return request

    def _headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        if self.auto_submitted:
            headers["Auto-Submitted"] = self.auto_submitted
        if in_reply_to := _bracketed(self.in_reply_to or ""):
            headers["In-Reply-To"] = in_reply_to
            headers["References"] = _references([*self.references, self.in_reply_to or ""])
        if self.unsubscribe:
            headers["List-Unsubscribe"] = ", ".join(f"<{uri}>" for uri in self.unsubscribe)
        if self.unsubscribe and self.one_click:
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        if self.list_id is not None:
            headers["List-Id"] = f"<{self.list_id}>"
        if self.feedback_id is not None:
            headers["Feedback-ID"] = self.feedback_id
        if self.loop_mark is not None:
            headers["X-Parley-Loop"] = self.loop_mark
        if self.suppress_auto_replies:
            headers["X-Auto-Response-Suppress"] = "All"
        return headers


@dataclass(eq=False)
class Ses:
    """SES, through a client with SDK retries off (`total_max_attempts` 1): it has no idempotency token."""

    make_client: Callable[[], SesClient]

    @cached_property
    def _client(self) -> SesClient:
        return self.make_client()

    def send(self, mail: Mail) -> Sent:
        """
        Send one mail and return its SES id, from which `message_ids` derives its Message-ID.

        One attempt. Raises Refused (including AddressUnusable and Misconfigured), NotSent or InDoubt, for a mail of a
        tenant also Unrecognised. (API reference, SendEmail.)
        """
        # SES accepts no local part outside ASCII; normalised domains are always ASCII (API reference, "Destination").
        if not all(address.isascii() for address in (mail.to, *mail.cc, *mail.bcc)):
            raise AddressUnusable("ses_address_not_ascii")
        if not mail.sender.isascii():
            raise Misconfigured("ses_sender_not_ascii")
        try:
            answer = self._client.send_email(**mail.request())
        except (ClientError, BotoCoreError) as error:
            raise _failure(error, is_of_tenant=mail.tenant is not None) from None
        if not answer.get("MessageId"):
            raise InDoubt("ses_no_id")
        return Sent(str(answer["MessageId"]), ACCEPTED)


def message_ids(ses_id: str, region: str) -> tuple[str, str]:
    """
    Return the Message-ID that SES gives a mail sent from *region*, and the form used in other regions; no angle
    brackets.

    Check: AWS documents neither. Observed are the host `email.amazonses.com` in us-east-1, and `{region}.amazonses.com`
    in all other regions. To look a mail up by a reply's In-Reply-To, use the part before the `@`: it is the SES id.
    """
    hosts = ("email", region) if region == "us-east-1" else (region, "email")
    assigned, elsewhere = (f"{ses_id}@{host}.amazonses.com" for host in hosts)
    return assigned, elsewhere


def _references(ids: Sequence[str]) -> str:
    """Return the first id, which began the thread, and as many of the newest as fit into an SES header."""
    bracketed = list(dict.fromkeys(filter(None, map(_bracketed, ids))))
    first, rest = bracketed[0], bracketed[1:]
    remaining = _LONGEST_REFERENCES - len(first)
    newest: list[str] = []
    for message_id in reversed(rest):
        remaining -= len(message_id) + 1
        if remaining < 0:
            break
        newest.append(message_id)
    return " ".join([first, *reversed(newest)])


def _bracketed(message_id: str) -> str:
    """Return a Message-ID in angle brackets; empty if invalid, for example with a line break."""
    bare = message_id.strip().removeprefix("<").removesuffix(">")
    return f"<{bare}>" if _MESSAGE_ID.fullmatch(bare) else ""


def _with_name(name: str, address: str) -> str:
    """Return `Name <address>`; the name is quoted if it has special characters, and encoded (RFC 2047) if not ASCII."""
    shown = _CONTROLS.sub(" ", name).strip()[:_LONGEST_NAME]
    if shown.isascii():
        return formataddr((shown, address))
    # An encoded word may have at most 75 characters.
    encoded = Header(shown, "utf-8", maxlinelen=75).encode(linesep="")
    return f"{encoded} <{address}>"


def _utf8(text: str) -> dict[str, str]:
    return {"Data": text, "Charset": "UTF-8"}


def _failure(
    error: ClientError | BotoCoreError, *, is_of_tenant: bool
) -> Refused | NotSent | InDoubt:
    if isinstance(error, ClientError):
        return _service_failure(error, is_of_tenant=is_of_tenant)
    if isinstance(error, ParamValidationError):
        return Refused("ses_ParamValidationError")  # The SDK validates before it sends.
    if isinstance(error, EndpointConnectionError | ConnectTimeoutError | NoCredentialsError):
        return NotSent(type(error).__name__)
    return InDoubt(type(error).__name__)


def _service_failure(error: ClientError, *, is_of_tenant: bool) -> Refused | NotSent | InDoubt:
    name = error.response["Error"]["Code"]
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    code = f"ses_{name}"
    if name in _THROTTLED:
        return NotSent(code)
    if status >= _SERVER_ERRORS:
        return InDoubt(code)
    if name in _OPERATOR_MUST_FIX or status == _FORBIDDEN:
        return Misconfigured(code)
    # Check: the answers to mails of tenants are not documented, see `tenants.py`.
    if is_of_tenant and name not in _OF_THE_MAIL:
        return Unrecognised(code)
    return Refused(code)
