"""
Canonical ids of providers' resources: every spelling of a resource gives the same id.

    whatsapp, sms       a phone number in E.164
    email               an e-mail address without `+label`, or a domain as `@acme.com`; domains in ASCII
    phone_number_id     a WhatsApp number: Meta's id, or AWS's as `phone-number-id-<32 hex digits>`
    whatsapp_account    a WhatsApp Business Account: Meta's id, or AWS's as `waba-<32 hex digits>`
    meta_app            Meta's id of an app
    sns_topic, iam_role an ARN in this deployment's partition
    knowledge_base      Bedrock's id
    twilio_account      Twilio's SID of an account
    configuration_set   a configuration set of AWS, as `ses:acme` or `sms:acme`

Spellings that only look alike are refused: another partition, another service, capitals where AWS writes none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shared.identity.addresses import (
    AddressInvalid,
    email_address,
    other_spellings,
    phone_number,
    without_label,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

EMAIL = "email"
PHONES = ("whatsapp", "sms")
NUMBER = "phone_number_id"
ACCOUNT = "whatsapp_account"
APP = "meta_app"
TOPIC = "sns_topic"
ROLE = "iam_role"
KNOWLEDGE_BASE = "knowledge_base"
TWILIO_ACCOUNT = "twilio_account"
CONFIGURATION_SET = "configuration_set"

_META_ID = re.compile(r"[0-9]{5,25}", re.ASCII)
_KNOWLEDGE_BASE_ID = re.compile(r"[0-9A-Za-z]{10}", re.ASCII)
_TWILIO_SID = re.compile(r"AC[0-9a-f]{32}", re.ASCII)
_CONFIGURATION_SET = re.compile(r"(ses|sms):[A-Za-z0-9_-]{1,64}", re.ASCII)
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


def email(text: str) -> ProviderId:
    """Return the id of an e-mail address, or of a domain that begins with `@`. Raises IdInvalid."""
    is_domain = text.strip().startswith("@")
    try:
        address = without_label(email_address(f"postmaster{text.strip()}" if is_domain else text))
    except AddressInvalid:
        raise IdInvalid("must be an e-mail address, or a domain as @acme.com") from None
    name, _, domain = address.rpartition("@")
    if not name:
        raise IdInvalid("must have a name before its label")
    return ProviderId(EMAIL, f"@{domain}" if is_domain else address)


def domains_of(address: str) -> list[ProviderId]:
    """Return the domain of a normalised e-mail address and its parents, nearest first, without the top-level one."""
    labels = address.rpartition("@")[2].split(".")
    return [ProviderId(EMAIL, "@" + ".".join(labels[first:])) for first in range(len(labels) - 1)]


def phone(text: str) -> list[ProviderId]:
    """Return the ids of a phone number, see `of_phone`. Raises IdInvalid."""
    try:
        return of_phone(phone_number(text))
    except AddressInvalid:
        raise IdInvalid("must be a phone number with `+` and country code") from None


def of_phone(number: str) -> list[ProviderId]:
    """Return the ids of a number in E.164, in all spellings: for WhatsApp and SMS it belongs to the same company."""
    spellings = (number, *other_spellings(number))
    return [ProviderId(kind, spelling) for kind in PHONES for spelling in spellings]


def twilio_account(text: str) -> ProviderId:
    """Return the id of an account of Twilio. Raises IdInvalid."""
    if not _TWILIO_SID.fullmatch(text):
        raise IdInvalid("must be the SID of an account: AC and 32 hexadecimal digits in lower case")
    return ProviderId(TWILIO_ACCOUNT, text)


def configuration_set(text: str) -> ProviderId:
    """Return the id of a configuration set of SES or of AWS End User Messaging SMS. Raises IdInvalid."""
    if not _CONFIGURATION_SET.fullmatch(text):
        raise IdInvalid("must be ses: or sms:, and the name of a configuration set")
    return ProviderId(CONFIGURATION_SET, text)


def number(text: str) -> ProviderId:
    """Return the id of a WhatsApp number at Meta, or at AWS from an id or an ARN. Raises IdInvalid."""
    return _at_meta_or_aws(NUMBER, text)


def _at_meta_or_aws(kind: str, text: str) -> ProviderId:
    return meta_id(kind, text) if text.isdecimal() else aws_id(kind, text)


_READERS: Mapping[str, Callable[[str], list[ProviderId]]] = {
    **dict.fromkeys(PHONES, phone),
    EMAIL: lambda text: [email(text)],
    NUMBER: lambda text: [number(text)],
    ACCOUNT: lambda text: [_at_meta_or_aws(ACCOUNT, text)],
    APP: lambda text: [meta_id(APP, text)],
    TOPIC: lambda text: [arn(TOPIC, text)],
    ROLE: lambda text: [arn(ROLE, text)],
    KNOWLEDGE_BASE: lambda text: [knowledge_base(text)],
    TWILIO_ACCOUNT: lambda text: [twilio_account(text)],
    CONFIGURATION_SET: lambda text: [configuration_set(text)],
}
KINDS = tuple(_READERS)


def read(kind: str, text: str) -> list[ProviderId]:
    """Return the ids that an operator means: of a number the ids of all spellings, else one. Raises IdInvalid."""
    return _READERS[kind](text)
