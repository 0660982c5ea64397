"""
Canonical ids of providers' resources: every spelling of a resource gives the same id.

    whatsapp, sms       a phone number in E.164
    email               an e-mail address, or a domain as `@acme.com`
    phone_number_id     a WhatsApp number: Meta's id, or AWS's as `phone-number-id-<32 hex digits>`
    whatsapp_account    a WhatsApp Business Account: Meta's id, or AWS's as `waba-<32 hex digits>`
    meta_app            Meta's id of an app
    sns_topic, iam_role an ARN in this deployment's partition
    knowledge_base      Bedrock's id

Spellings that only look alike are refused: another partition, another service, capitals where AWS writes none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

EMAIL = "email"
NUMBER = "phone_number_id"
ACCOUNT = "whatsapp_account"
APP = "meta_app"
TOPIC = "sns_topic"
ROLE = "iam_role"
KNOWLEDGE_BASE = "knowledge_base"

_META_ID = re.compile(r"[0-9]{5,25}", re.ASCII)
_KNOWLEDGE_BASE_ID = re.compile(r"[0-9A-Za-z]{10}", re.ASCII)
_AWS_ID = re.compile(r"(phone-number-id|waba)[-/]([0-9a-f]{32})", re.ASCII)
_SOCIAL_ARN = re.compile(
    r"arn:(aws|aws-cn|aws-us-gov):social-messaging:([a-z0-9-]+):([0-9]{12}):(.+)", re.ASCII
)
_ARN = re.compile(r"arn:(aws|aws-cn|aws-us-gov):(sns|iam):[a-z0-9-]*:[0-9]{12}:\S{1,512}", re.ASCII)
_PREFIXES = {"phone-number-id": NUMBER, "waba": ACCOUNT}


class IdInvalid(ValueError):
    """The text is not an id of the expected kind. No message contains the input."""


@dataclass(frozen=True, slots=True, order=True)
class ProviderId:
    """A resource of a provider: its *kind*, and its id in canonical form."""

    kind: str
    text: str = field(repr=False)


def meta_id(kind: str, text: str) -> ProviderId:
    """Return the id of a number, account or app at Meta. Raises IdInvalid."""
    if not _META_ID.fullmatch(text):
        raise IdInvalid("must be an id of Meta: digits")
    return ProviderId(kind, text)


def aws_id(kind: str, text: str) -> ProviderId:
    """
    Return the id of a number or account at AWS End User Messaging Social, from an id or an ARN. Raises IdInvalid.

    AWS, "Resource types defined by AWS End User Messaging Social": `phone-number-id/...` and `waba/...` in an ARN, the
    same words with a hyphen in an id.
    """
    arn = _SOCIAL_ARN.fullmatch(text)
    resource = _AWS_ID.fullmatch(arn[4] if arn else text)
    if resource is None or _PREFIXES[resource[1]] != kind:
        raise IdInvalid("must be an id of AWS End User Messaging Social")
    return ProviderId(kind, f"{resource[1]}-{resource[2]}")


def arn(kind: str, text: str) -> ProviderId:
    """Return the id of a topic or role: its ARN, which AWS spells in one way. Raises IdInvalid."""
    if not _ARN.fullmatch(text):
        raise IdInvalid("must be an ARN of AWS")
    return ProviderId(kind, text)


def knowledge_base(text: str) -> ProviderId:
    """Return the id of a knowledge base of Bedrock. Raises IdInvalid."""
    if not _KNOWLEDGE_BASE_ID.fullmatch(text):
        raise IdInvalid("must be an id of a knowledge base")
    return ProviderId(KNOWLEDGE_BASE, text)


def domains_of(address: str) -> list[ProviderId]:
    """Return the domain of a normalised e-mail address and its parents, nearest first, without the top-level one."""
    labels = address.rpartition("@")[2].split(".")
    return [ProviderId(EMAIL, "@" + ".".join(labels[first:])) for first in range(len(labels) - 1)]
