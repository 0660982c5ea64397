"""
Amazon SES (`sesv2`): outgoing e-mails, checked by the rules of SendEmail, and the identities that may send them.

`GET /_sent/{id}.eml` returns an accepted one, see `mail_routes.py`. Events are published if the request names a
configuration set, see `ses_events.py`.
"""

import re
import uuid
from collections import Counter
from datetime import UTC, datetime
from email.utils import parseaddr

from pydantic import ValidationError
from starlette.background import BackgroundTask
from starlette.responses import Response

from local.sandbox.accounts.mail.accepted_mails import AcceptedMail
from local.sandbox.accounts.mail.attachments import refused
from local.sandbox.accounts.mail.send_request import SendRequest
from local.sandbox.providers.email import identities, ses_events, tenants
from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused, parse_json
from local.sandbox.responses import aws_error, json_response

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
# The same page: the fields set by senders like Parley that may appear only once.
_ONCE = frozenset(
    {
        "auto-submitted", "in-reply-to", "list-help", "list-id", "list-unsubscribe",
        "list-unsubscribe-post", "organization", "precedence", "references", "sender",
    }
)  # fmt: skip
_ADDRESS = re.compile(r"[!-?A-~]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]+")
_REGION = re.compile(r"Credential=[^/,]+/\d+/([a-z0-9-]+)/")

# HTTP status -> error name.
_FAILURES = {
    403: "AccessDeniedException",
    404: "NotFoundException",
    409: "ConflictException",  # SendEmail does not document it
    429: "TooManyRequestsException",
}


def failure(status: int) -> Response:
    """Return the service's failure with this HTTP status."""
    otherwise = "InternalFailure" if status >= 500 else "BadRequestException"  # noqa: PLR2004 - server errors
    return aws_error(_FAILURES.get(status, otherwise), "A fault of the sandbox", status)


async def send_email(call: Call) -> Answer:
    """SendEmail: the id is the local part of the e-mail's Message-ID."""
    request = _parsed(call)
    for rule in (_check_addresses, _check_parts, _check_headers, _check_attachments):
        if broken := rule(request):
            raise Refused(aws_error("BadRequestException", broken))
    if not identities.is_verified(parseaddr(request.FromEmailAddress)[1]):
        raise Refused(aws_error("MessageRejected", "Email address is not verified."))
    if (refusal := tenants.refusal(call.sandbox, request)) is not None:
        raise refusal
    mail = _accepted(call, request)
    if len(mail.raw) > _LARGEST_BYTES:
        raise Refused(aws_error("BadRequestException", f"the mail has over {_LARGEST_BYTES} bytes"))
    call.sandbox.mails[mail.ses_id] = mail
    response = json_response({"MessageId": mail.ses_id})
    if request.ConfigurationSetName is not None:
        response.background = BackgroundTask(ses_events.report, call.sandbox, mail)
    return Answer(response, request.model_dump(exclude_none=True))


def _accepted(call: Call, request: SendRequest) -> AcceptedMail:
    now = call.sandbox.clock.now()
    signed = _REGION.search(call.request.headers["authorization"])
    return AcceptedMail(
        request=request,
        ses_id=f"0100{int(now * 1_000):012x}-{uuid.uuid4()}-000000",
        region=signed[1] if signed else "us-east-1",
        sent_at=datetime.fromtimestamp(now, UTC),
    )


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


def _check_attachments(request: SendRequest) -> str | None:
    broken = map(refused, request.Content.Simple.Attachments or ())
    return next((rule for rule in broken if rule is not None), None)


PROVIDER = Provider(
    name="ses",
    endpoints=(
        Endpoint("POST", "/v2/email/outbound-emails", ("SendEmail",), send_email),
        *identities.ENDPOINTS,
        *tenants.ENDPOINTS,
    ),
    failure=failure,
)
