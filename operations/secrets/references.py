"""Finds missing fields of the secrets that numbers and projects name, each with the command that adds it."""

from dataclasses import dataclass, field
from typing import Any

import boto3

from operations.secrets import kinds, versions
from operations.secrets.kinds import COMPANY, KINDS
from shared.identity.secret_owners import company_and_name

APPS, TOKENS, TWILIO = (
    KINDS["whatsapp-apps"],
    KINDS["whatsapp-access-tokens"],
    KINDS["twilio-webhook"],
)


@dataclass(frozen=True, slots=True)
class Missing:
    """A missing secret or field: *text* names it, *step* is the command that adds it."""

    text: str
    step: str


@dataclass(frozen=True, slots=True)
class StoredSecrets:
    """The secrets of a deployment, each read once. *target* is the option that selects it: `--stack parley-prod`."""

    stage: str
    target: str
    _read: dict[str, dict[str, Any] | None] = field(default_factory=dict, repr=False)

    def content(self, secret_id: str) -> dict[str, Any] | None:
        """Return the content of a secret, None if it does not exist. Raises Refused for a value that is not JSON."""
        if secret_id not in self._read:
            current = versions.read(boto3.client("secretsmanager"), secret_id)
            self._read[secret_id] = current.content if current else None
        return self._read[secret_id]

    def missing(self, kind: kinds.Kind, name: str) -> Missing | None:
        """Return what is missing if this field of a deployment's secret has no value, else None."""
        return self._missing(kind, kind.secret_id(self.stage), name, "")

    def app_secret(self, app_id: str) -> Missing | None:
        """Return what is missing for the webhooks of a Meta app, None if nothing is."""
        return self.missing(APPS, f"apps.{app_id}")

    def token(self, name: str) -> Missing | None:
        """Return what is missing for the access token with this name, None if nothing is."""
        return self.missing(TOKENS, name)

    def twilio_account(self, account: str) -> Missing | None:
        """Return what is missing for the webhooks of a Twilio account, None if nothing is."""
        held = (self.content(TWILIO.secret_id(self.stage)) or {}).get("accounts", {})
        keys = held.get(account) if isinstance(held, dict) else None
        if isinstance(keys, dict) and keys.get("shared_keys"):
            return None
        return self.missing(TWILIO, f"accounts.{account}.auth_tokens")

    def of_company(self, secret_id: str, name: str) -> Missing | None:
        """Return what is missing if this field of a company's secret has no value, else None."""
        owner = company_and_name(secret_id)
        options = f" --company {owner[0]} --name {owner[1]}" if owner else ""
        return self._missing(KINDS[COMPANY], secret_id, name, options)

    def _missing(self, kind: kinds.Kind, secret_id: str, name: str, options: str) -> Missing | None:
        content = self.content(secret_id)
        _, path = kind.field(name)
        if content is not None and kinds.values_at(content, path):
            return None
        text = f"the secret {secret_id} " + (
            "does not exist" if content is None else f"has no {name}"
        )
        return Missing(
            text,
            f"run `python -m operations secrets set {kind.name} {name}{options} {self.target}`",
        )
