"""
The kinds of secrets and the fields of each. Kinds and fields are named on the command line and in the doctor's report.

    kind           name in Secrets Manager                           parameter, if the deployment uses parameters
    company        parley/<stage>/companies/<company>/<name>         none
    all others     parley-<stage>-<kind>                             /parley/<stage>/secrets/<kind>
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from operations.command_line.arguments import WrongUse
from shared.aws.secrets import texts

COMPANY = "company"
# Readers look for the values of a list in this order, and the first one writes.
FIRST, LAST = "first", "last"


@dataclass(frozen=True, slots=True)
class Field:
    """
    A field of a secret. *name* is its name with placeholders; the groups of *shape* are its path in the JSON object.

    *new_value* is where a list gets a new value; None if the field is one text. *generated* is the number of characters
    of the value that a new deployment starts with, 0 for none.
    """

    name: str
    shape: str
    new_value: str | None = None
    # Old values must stay readable, so that the command refuses to remove them.
    keeps_old: bool = False
    generated: int = 0

    def path(self, given: str) -> tuple[str, ...] | None:
        """Return the path that *given* names, None if it names another field."""
        match = re.fullmatch(self.shape, given, re.ASCII)
        return match.groups() if match else None


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of secret and its fields; *about* is one line of help."""

    name: str
    about: str
    fields: tuple[Field, ...]

    def secret_id(self, stage: str) -> str:
        """Return the name of the deployment's secret of this kind; not for `company`."""
        return f"parley-{stage}-{self.name}"

    def parameter(self, stage: str) -> str:
        """Return the name of the parameter with this secret; not for `company`."""
        return f"/parley/{stage}/secrets/{self.name}"

    def field(self, given: str) -> tuple[Field, tuple[str, ...]]:
        """Return the named field and its path. Raises WrongUse with the known fields."""
        for field in self.fields:
            path = field.path(given)
            if path is not None:
                return field, path
        known = ", ".join(field.name for field in self.fields)
        raise WrongUse(f"field: the fields of {self.name} are {known}")


_APP = r"[0-9]{5,20}"
_ACCOUNT = r"AC[0-9a-f]{32}"

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "whatsapp-apps",
            "verify token and app secrets of Meta's webhooks, configurations of sign-up dialogs",
            (
                Field("verify_token", r"(verify_token)", FIRST, generated=40),
                Field("apps.<app id>", rf"(apps)\.({_APP})", FIRST),
                Field("sign_up.<app id>", rf"(sign_up)\.({_APP})"),
                Field("gateways.<gateway>", r"(gateways)\.(razorpay|payu)", FIRST),
            ),
        ),
        Kind(
            "whatsapp-access-tokens",
            "access tokens of Meta's Graph API",
            (Field("<company>[/<name>]", r"([A-Za-z0-9._-]{1,64}(?:/[A-Za-z0-9._-]{1,64})?)"),),
        ),
        Kind(
            "whatsapp-canary",
            "signing key of the canary",
            (Field("app_secret", r"(app_secret)", FIRST, generated=64),),
        ),
        Kind(
            "twilio-webhook",
            "keys that sign Twilio's webhooks",
            (
                Field(
                    "accounts.<account SID>.auth_tokens",
                    rf"(accounts)\.({_ACCOUNT})\.(auth_tokens)",
                    FIRST,
                ),
                Field(
                    "accounts.<account SID>.shared_keys.<key id>",
                    rf"(accounts)\.({_ACCOUNT})\.(shared_keys)\.([A-Za-z0-9]{{1,64}})",
                ),
            ),
        ),
        Kind(
            "richpanel-webhook",
            "tokens and HMAC keys of the help desk's webhooks",
            (
                Field("active_tokens", r"(active_tokens)", FIRST, generated=40),
                Field("active_hmac_keys", r"(active_hmac_keys)", FIRST),
            ),
        ),
        Kind(
            "richpanel-keys",
            "API keys of the help desk, the shop and the shipping service",
            # Not the salt: another one would change the hash of every customer.
            tuple(
                Field(name, f"({name})")
                for name in (
                    "richpanel",
                    "shopify",
                    "shopify_client_id",
                    "shopify_client_secret",
                    "shipstation_key",
                    "shipstation_secret",
                    "ai_api_key",
                    "company",  # to which the help desk belongs, if the deployment names none
                )
            ),
        ),
        Kind(
            "api-seal",
            "key that seals the API's cursors",
            (Field("seal_key", r"(seal_key)", FIRST, generated=64),),
        ),
        Kind(
            "identifier-keys",
            "keys for address hashes and ids",
            # A new key must be readable everywhere before it writes: last, and later first.
            (Field("identifier_key", r"(identifier_key)", LAST, keeps_old=True, generated=64),),
        ),
        Kind(
            COMPANY,
            "credentials of one company's project (--company and --name)",
            tuple(
                Field(name, f"({name})")
                for name in (
                    "twilio_account_sid",
                    "twilio_auth_token",
                    "twilio_api_key_sid",
                    "twilio_api_key_secret",
                    "ai_api_key",
                    "signing_key",
                )
            ),
        ),
    )
}


def company_secret_id(stage: str, company: str, name: str) -> str:
    """Return the name of a company's secret; `shared.identity.secret_owners` reads the company from it."""
    return f"parley/{stage}/companies/{company}/{name}"


def values_at(content: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    """Return the values of a field: none, one, or the values of its list."""
    value: Any = content
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return texts(value)


def fields_in(content: Mapping[str, Any], path: tuple[str, ...] = ()) -> dict[str, int]:
    """Return the number of values per field of a secret, by the field's path joined with dots."""
    found: dict[str, int] = {}
    for name, value in content.items():
        here = (*path, name)
        if isinstance(value, dict):
            found |= fields_in(value, here)
        else:
            found[".".join(here)] = len(texts(value))
    return found
