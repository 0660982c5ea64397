"""Finds missing fields of the secrets that numbers and projects name, each with the command that adds it."""

from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from operations.secrets import kinds, stores
from operations.secrets.kinds import COMPANY, KINDS
from shared.access.secret_versions import stored
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
        """Return the content of a secret, None if it does not exist. Raises ChangeRefused if it is no JSON."""
        if secret_id not in self._read:
            current = stored.read(stores.stored_id(self.stage, secret_id))
            self._read[secret_id] = current.content if current else None
        return self._read[secret_id]

    def missing(self, kind: kinds.Kind, name: str) -> Missing | None:
        """Return what is missing if this field of a deployment's secret has no value, else None."""
        return self._missing(kind, (name,), name)

    def app_secret(self, app_id: str) -> Missing | None:
        """Return what is missing for the webhooks of a Meta app, None if nothing is."""
        return self._missing(APPS, ("apps", app_id), f"apps.{app_id}")

    def token(self, name: str) -> Missing | None:
        """Return what is missing for the access token with this name, None if nothing is."""
        return self.missing(TOKENS, name)

    def twilio_account(self, account: str) -> Missing | None:
        """Return what is missing for the webhooks of a Twilio account, None if nothing is."""
        held = (self.content(TWILIO.secret_id(self.stage)) or {}).get("accounts", {})
        keys = held.get(account) if isinstance(held, dict) else None
        if isinstance(keys, dict) and keys.get("shared_keys"):
            return None
        path = ("accounts", account, "auth_tokens")
        return self._missing(TWILIO, path, ".".join(path))

    def of_company(self, secret_id: str, name: str) -> Missing | None:
        """Return what is missing if this field of a company's secret has no value, else None."""
        owner = company_and_name(secret_id)
        options = f" --company {owner[0]} --name {owner[1]}" if owner else ""
        return self._missing(KINDS[COMPANY], (name,), f"{name}{options}", secret_id)

    def _missing(
        self, kind: kinds.Kind, path: tuple[str, ...], words: str, of_company: str | None = None
    ) -> Missing | None:
        """*words* are the field and the options of `secrets set`; *of_company* is the id of a company's secret."""
        secret_id = of_company or kind.secret_id(self.stage)
        content = self.content(secret_id)
        if content is not None and kinds.values_at(content, path):
            return None
        problem = "does not exist" if content is None else f"has no {'.'.join(path)}"
        command = f"python -m operations secrets set {kind.name} {words} {self.target}"
        return Missing(f"the secret {secret_id} {problem}", f"run `{command}`")


def is_denied(error: ClientError) -> bool:
    """Whether the caller may not read a secret: checks of secrets are then left out, and reported as such."""
    return error.response["Error"]["Code"] == "AccessDeniedException"
