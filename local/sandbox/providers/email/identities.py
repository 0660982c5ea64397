"""
The identities of Amazon SES (`sesv2`): reserved domains (RFC 2606) are verified, also those that were not added, which
have an envelope sender of their own. Other domains stay pending: a sender with one of them is probably meant for the
real service.
"""

import hashlib
import re

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.responses import aws_error, json_response

_RESERVED = re.compile(r"@(?:.+\.)?(?:example|test|example\.(?:com|net|org))$", re.IGNORECASE)
_DOMAIN = re.compile(r"(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}", re.IGNORECASE)
_ADDED = "ses_domain"  # name -> domain of the envelope sender, "" without one
_TOKENS = 3


def is_verified(address: str) -> bool:
    """Whether SES sends mails of an address."""
    return _RESERVED.search(address) is not None


async def get_account(_: Call) -> Answer:
    """GetAccount: in production, healthy, and with a usual quota."""
    account = {
        "EnforcementStatus": "HEALTHY",
        "ProductionAccessEnabled": True,
        "SendingEnabled": True,
        "SendQuota": {"Max24HourSend": 50_000, "MaxSendRate": 14, "SentLast24Hours": 0},
    }
    return Answer(json_response(account), {})


async def get_email_identity(call: Call) -> Answer:
    """GetEmailIdentity of a domain."""
    name = str(call.request.path_params["identity"])
    added = call.sandbox.objects[_ADDED]
    if "@" in name or not (is_verified(f"@{name}") or name in added):
        raise Refused(aws_error("NotFoundException", "Email identity does not exist.", 404))
    state = _state(name)
    sender = str(added.get(name, f"bounce.{name}"))
    identity = {
        "IdentityType": "DOMAIN",
        "VerificationStatus": state,
        "VerifiedForSendingStatus": is_verified(f"@{name}"),
        "DkimAttributes": {
            "SigningEnabled": True,
            "Status": state,
            "SigningAttributesOrigin": "AWS_SES",
            "SigningHostedZone": "dkim.amazonses.com",
            "Tokens": [
                hashlib.sha256(f"{n} {name}".encode()).hexdigest()[:32] for n in range(_TOKENS)
            ],
        },
        "MailFromAttributes": {
            "BehaviorOnMxFailure": "USE_DEFAULT_VALUE",
            **({"MailFromDomain": sender, "MailFromDomainStatus": state} if sender else {}),
        },
    }
    return Answer(json_response(identity), {"EmailIdentity": name})


async def create_email_identity(call: Call) -> Answer:
    """CreateEmailIdentity of a domain."""
    name = _text(call, "EmailIdentity")
    if not _DOMAIN.fullmatch(name):
        raise Refused(aws_error("BadRequestException", "Invalid email address or domain name."))
    added = call.sandbox.objects[_ADDED]
    if name in added:
        raise Refused(aws_error("AlreadyExistsException", "Email identity already exists."))
    added[name] = ""
    body = {"IdentityType": "DOMAIN", "VerifiedForSendingStatus": is_verified(f"@{name}")}
    return Answer(json_response(body), {"EmailIdentity": name})


async def list_email_identities(call: Call) -> Answer:
    """ListEmailIdentities: those that were added."""
    found = [
        {
            "IdentityType": "DOMAIN",
            "IdentityName": name,
            "SendingEnabled": is_verified(f"@{name}"),
            "VerificationStatus": _state(name),
        }
        for name in call.sandbox.objects[_ADDED]
    ]
    return Answer(json_response({"EmailIdentities": found}), {})


async def put_mail_from(call: Call) -> Answer:
    """PutEmailIdentityMailFromAttributes."""
    name = str(call.request.path_params["identity"])
    added = call.sandbox.objects[_ADDED]
    if name not in added:
        raise Refused(aws_error("NotFoundException", "Email identity does not exist.", 404))
    sender = _text(call, "MailFromDomain")
    if not sender.endswith(f".{name}"):
        raise Refused(aws_error("BadRequestException", "The MAIL FROM domain must be a subdomain."))
    added[name] = sender
    return Answer(json_response({}), {"EmailIdentity": name, "MailFromDomain": sender})


def _state(name: str) -> str:
    return "SUCCESS" if is_verified(f"@{name}") else "PENDING"


def _text(call: Call, field: str) -> str:
    try:
        body = parse_json(call.raw)
    except ValueError:
        body = None
    if not isinstance(body, dict) or not isinstance(body.get(field), str):
        raise Refused(aws_error("BadRequestException", f"{field}: a text is required"))
    return str(body[field])


_ONE = "/v2/email/identities/{identity}"
ENDPOINTS = (
    Endpoint("POST", "/v2/email/list-identities", ("ListEmailIdentities",), list_email_identities),
    Endpoint("POST", "/v2/email/identities", ("CreateEmailIdentity",), create_email_identity),
    Endpoint("GET", _ONE, ("GetEmailIdentity",), get_email_identity),
    Endpoint("GET", "/v2/email/account", ("GetAccount",), get_account),
    Endpoint("PUT", f"{_ONE}/mail-from", ("PutEmailIdentityMailFromAttributes",), put_mail_from),
)
