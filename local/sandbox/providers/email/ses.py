"""
Amazon SES (`sesv2`): outgoing e-mails, checked by the rules of SendEmail.

Their events are published if the request names a configuration set, see `ses_events.py`.
"""

import re
import uuid
from collections import Counter
from email.utils import parseaddr
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.background import BackgroundTask
from starlette.responses import Response

from local.sandbox.providers.email import ses_events
from local.sandbox.providers.interface import (
    Answer,
    Call,
    Endpoint,
    Provider,
    Refused,
    json_response,
    parse_json,
)

_LARGEST_BYTES = 40 << 20
_MOST_RECIPIENTS = 50
_LONGEST_HEADER = 996  # name and value
# Developer Guide, "Header fields": SES sets these itself, senders may not.
_WRITTEN_BY_SES = frozenset(
    {
        "bcc", "cc", "content-disposition", "content-type", "date", "from", "message-id",
        "mime-version", "reply-to", "return-path", "subject", "to",
    }
)  # fmt: skip
# The same page: fields that may appear only once, of those that senders like Parley set.
_ONCE = frozenset(
    {
        "auto-submitted", "in-reply-to", "list-help", "list-id", "list-unsubscribe",
        "list-unsubscribe-post", "organization", "precedence", "references", "sender",
    }
)  # fmt: skip
_ADDRESS = re.compile(r"[!-?A-~]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]+")
# Reserved domains (RFC 2606) are the verified identities of the sandbox: a sender with another domain is probably
# meant for the real service.
_VERIFIED = re.compile(r"@(?:.+\.)?(?:example|test|example\.(?:com|net|org))$", re.IGNORECASE)

# HTTP status -> error name.
_FAILURES = {
    403: "AccessDeniedException",
    404: "NotFoundException",
    429: "TooManyRequestsException",
}


class TextPart(BaseModel):
    """A subject or a part of a body; ASCII if it has no charset."""

    Data: str
    Charset: str | None = None

    @property
    def is_readable(self) -> bool:
        """Whether SES can encode it."""
        return self.Charset is not None or self.Data.isascii()


class Parts(BaseModel):
    """The text part, the HTML part, or both."""

    Text: TextPart | None = None
    Html: TextPart | None = None


class Header(BaseModel):
    """A header set by the sender."""

    Name: Annotated[str, Field(min_length=1, max_length=126, pattern=r"^[!-9;-@A-~]+$")]
    Value: Annotated[str, Field(min_length=1, max_length=995, pattern=r"^[ -~]*$")]


class SimpleMail(BaseModel):
    """An e-mail that SES builds from its parts."""

    Subject: TextPart
    Body: Parts
    Headers: Annotated[list[Header], Field(max_length=15)] = Field(default_factory=list)


class MailContent(BaseModel):
    """Raw and templated e-mails are not simulated."""

    model_config = ConfigDict(extra="forbid")

    Simple: SimpleMail


class Recipients(BaseModel):
    """The recipients."""

    ToAddresses: list[str] = Field(default_factory=list)
    CcAddresses: list[str] = Field(default_factory=list)
    BccAddresses: list[str] = Field(default_factory=list)

    @property
    def all_addresses(self) -> list[str]:
        """All recipients."""
        return [*self.ToAddresses, *self.CcAddresses, *self.BccAddresses]


class Tag(BaseModel):
    """A tag, which SES includes in its events."""

    Name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,256}$")]
    Value: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,256}$")]


class SendRequest(BaseModel):
    """Input of SendEmail."""

    FromEmailAddress: str
    Destination: Recipients
    ReplyToAddresses: list[str] = Field(default_factory=list)
    Content: MailContent
    EmailTags: list[Tag] = Field(default_factory=list)
    ConfigurationSetName: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None


def aws_error(name: str, message: str, status: int = 400) -> Response:
    """Return an error of the REST-JSON protocol: name in a header, message in the body."""
    headers = {"x-amzn-ErrorType": name, "x-amzn-RequestId": str(uuid.uuid4())}
    return json_response({"message": message}, status, headers)


def failure(status: int) -> Response:
    """Return the service's failure with this HTTP status."""
    otherwise = "InternalFailure" if status >= 500 else "BadRequestException"  # noqa: PLR2004 - server errors
    return aws_error(_FAILURES.get(status, otherwise), "A fault of the sandbox", status)


async def send_email(call: Call) -> Answer:
    """SendEmail: the id is the local part of the e-mail's Message-ID."""
    request = _parsed(call)
    for rule in (_check_addresses, _check_parts, _check_headers):
        if broken := rule(request):
            raise Refused(aws_error("BadRequestException", broken))
    if not _VERIFIED.search(parseaddr(request.FromEmailAddress)[1]):
        raise Refused(aws_error("MessageRejected", "Email address is not verified."))
    sent_at = int(call.sandbox.clock.now() * 1_000)
    message_id = f"0100{sent_at:012x}-{uuid.uuid4()}-000000"
    response = json_response({"MessageId": message_id})
    if request.ConfigurationSetName is not None:
        mail = ses_events.SentMail(
            message_id=message_id,
            source=request.FromEmailAddress,
            recipients=request.Destination.all_addresses,
            subject=request.Content.Simple.Subject.Data,
            tags={tag.Name: [tag.Value] for tag in request.EmailTags},
            configuration_set=request.ConfigurationSetName,
        )
        response.background = BackgroundTask(ses_events.report, call.sandbox, mail)
    return Answer(response, request.model_dump(exclude_none=True))


def _parsed(call: Call) -> SendRequest:
    if not call.request.headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 Credential="):
        name, message = "MissingAuthenticationTokenException", "the request is not signed"
        raise Refused(aws_error(name, message, 403))
    if len(call.raw) > _LARGEST_BYTES:
        raise Refused(aws_error("BadRequestException", f"over {_LARGEST_BYTES} bytes"))
    try:
        return SendRequest.model_validate(parse_json(call.raw))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise Refused(aws_error("BadRequestException", f"{field}: {first['msg']}")) from None
    except ValueError:
        raise Refused(aws_error("BadRequestException", "body: not JSON")) from None


def _check_addresses(request: SendRequest) -> str | None:
    recipients = request.Destination.all_addresses
    if not 0 < len(recipients) <= _MOST_RECIPIENTS:
        return f"Destination: 1 to {_MOST_RECIPIENTS} recipients"
    shown = [request.FromEmailAddress, *recipients, *request.ReplyToAddresses]
    if not all(text.isascii() and _ADDRESS.fullmatch(parseaddr(text)[1]) for text in shown):
        return "invalid address, or not in ASCII"
    return None


def _check_parts(request: SendRequest) -> str | None:
    mail = request.Content.Simple
    if not mail.Subject.Data or not mail.Subject.Data.isprintable():
        return "Subject: must be a non-empty line"
    parts = [part for part in (mail.Body.Text, mail.Body.Html) if part is not None]
    if not parts:
        return "Body: a text or an HTML part is required"
    if not all(part.is_readable for part in [mail.Subject, *parts]):
        return "Charset: required for text that is not ASCII"
    return None


def _check_headers(request: SendRequest) -> str | None:
    headers = request.Content.Simple.Headers
    names = Counter(header.Name.lower() for header in headers)
    if reserved := names.keys() & _WRITTEN_BY_SES:
        return f"Headers: SES writes {', '.join(sorted(reserved))} itself"
    if repeated := {name for name in _ONCE if names[name] > 1}:
        return f"Headers: {', '.join(sorted(repeated))} more than once"
    if any(len(header.Name) + len(header.Value) > _LONGEST_HEADER for header in headers):
        return f"Headers: name and value over {_LONGEST_HEADER} characters"
    return None


PROVIDER = Provider(
    name="ses",
    endpoints=(Endpoint("POST", "/v2/email/outbound-emails", ("SendEmail",), send_email),),
    failure=failure,
)
