"""Checks of the deployment's own secrets: present, and complete for the features that its parameters turn on."""

from collections.abc import Iterator

from operations.doctor.deployment import Deployment
from operations.doctor.findings import Finding, action, ok
from operations.secrets import kinds
from operations.secrets.kinds import KINDS, Kind
from operations.secrets.references import Missing

_MODES = {"token": ("active_tokens",), "hmac": ("active_hmac_keys",)}
_SALT = "salt"


def of_deployment(deployment: Deployment) -> list[Finding]:
    """
    Check that each secret of the deployment exists and holds its needed fields.

    App secrets, access tokens and Twilio accounts depend on numbers and projects: `connections` checks them.
    """
    found = []
    for name, fields in _needed(deployment):
        kind = KINDS[name]
        problems = list(_problems(deployment, kind, fields))
        found += [action(name, problem.text, problem.step) for problem in problems]
        if not problems:
            found.append(ok(name, "complete"))
    return found


def _needed(deployment: Deployment) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each kind with the fields that must have a value."""
    given = deployment.parameters
    yield "whatsapp-apps", ("verify_token",)
    yield "whatsapp-access-tokens", ()
    if given.get("CanaryEnabled", "true") == "true":
        yield "whatsapp-canary", ("app_secret",)
    yield "twilio-webhook", ()
    yield "api-seal", ("seal_key",)
    yield "identifier-keys", ("identifier_key",)
    yield "richpanel-webhook", _MODES.get(given.get("RichpanelAuthMode", "token"), ())
    keys: list[str] = []
    if given.get("RichpanelAccount", "{}") not in {"", "{}"}:
        keys.append("richpanel")
    if given.get("ShopifyUrl"):
        keys += _keys_of_shop(deployment)
    if given.get("ShipStationUrl"):
        keys += ["shipstation_key", "shipstation_secret"]
    yield "richpanel-keys", tuple(keys)


def _keys_of_shop(deployment: Deployment) -> tuple[str, ...]:
    """Return the fields that the shop needs: both of the client credentials if one is stored, else the token."""
    credentials = ("shopify_client_id", "shopify_client_secret")
    kind = KINDS["richpanel-keys"]
    content = deployment.secrets.content(kind.secret_id(deployment.stage)) or {}
    has_any = any(kinds.values_at(content, (name,)) for name in credentials)
    return credentials if has_any else ("shopify",)


def _problems(deployment: Deployment, kind: Kind, fields: tuple[str, ...]) -> Iterator[Missing]:
    secret_id = kind.secret_id(deployment.stage)
    content = deployment.secrets.content(secret_id)
    if content is None:
        step = f"restore it: `aws secretsmanager restore-secret --secret-id {secret_id}`"
        if deployment.parameters.get("SecretStore") == "parameters":
            step = f"run `python -m operations secrets prepare --stage {deployment.stage}`"
        yield Missing(f"the secret {secret_id} does not exist", step)
        return
    for field in fields:
        missing = deployment.secrets.missing(kind, field)
        if missing:
            yield missing
    if kind.name == "richpanel-keys" and not kinds.values_at(content, (_SALT,)):
        text = f"the secret {secret_id} has no {_SALT}"
        yield Missing(text, f"restore {_SALT} from an earlier version of {secret_id}")
    if kind.name == "richpanel-webhook" and not any(kinds.fields_in(content).values()):
        yield from filter(None, [deployment.secrets.missing(kind, "active_tokens")])
