"""Checks of the webhooks over HTTP: Meta's handshake is answered, and requests without a signature are refused."""

import secrets
from http import HTTPStatus
from urllib.parse import urlencode

from operations.doctor.deployment import Deployment
from operations.doctor.findings import Finding, action, ok, unchecked
from operations.secrets import kinds
from operations.secrets.kinds import KINDS
from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock

WHATSAPP = "/webhooks/whatsapp"
UNSIGNED = (WHATSAPP, "/webhooks/richpanel", "/webhooks/twilio")
_REFUSALS = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
# API Gateway gives up after 29 seconds; the first request after a pause waits for a cold start.
_WITHIN_MS = 25 * clock.SECOND_MS
_APPS = KINDS["whatsapp-apps"]


def answers(deployment: Deployment) -> list[Finding]:
    """Check the webhooks at the API's own URL and at each of PublicBaseUrls, where providers call them."""
    # The local stack has names that exist in its tests only.
    public = "" if deployment.is_local else deployment.parameters.get("PublicBaseUrls", "")
    found = []
    for base in dict.fromkeys([deployment.api_url, *filter(None, public.split(","))]):
        found.append(_handshake(deployment, base))
        found += [_unsigned(base, path) for path in UNSIGNED]
    return found


def _handshake(deployment: Deployment, base: str) -> Finding:
    """Ask as Meta does when the callback URL is saved: the right token is echoed, a wrong one is refused."""
    subject = f"GET {base}{WHATSAPP}"
    content = deployment.secrets.content(_APPS.secret_id(deployment.stage)) or {}
    tokens = kinds.values_at(content, ("verify_token",))
    if not tokens:
        return unchecked(subject, "there is no verify token", "see the check `secrets`")
    challenge = secrets.token_hex(8)
    try:
        answer = _subscribe(base, tokens[0], challenge)
        forged = _subscribe(base, secrets.token_hex(8), challenge)
    except (NotSent, InDoubt) as failure:
        return _unreachable(subject, failure)
    if answer.status != HTTPStatus.OK or answer.data != challenge.encode():
        return action(
            subject, f"handshake answered with {answer.status}", _read_log("WhatsAppWebhook")
        )
    if forged.status not in _REFUSALS:
        return action(
            subject,
            f"wrong verify token answered with {forged.status}",
            _read_log("WhatsAppWebhook"),
        )
    return ok(subject, "handshake answered, wrong verify token refused")


def _subscribe(base: str, token: str, challenge: str) -> http.Answer:
    query = {"hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": challenge}
    return _call("GET", f"{base}{WHATSAPP}?{urlencode(query)}", None)


def _unsigned(base: str, path: str) -> Finding:
    subject = f"POST {base}{path}"
    try:
        answer = _call("POST", f"{base}{path}", b"{}")
    except (NotSent, InDoubt) as failure:
        return _unreachable(subject, failure)
    if answer.status in _REFUSALS:
        return ok(subject, f"unsigned request refused ({answer.status})")
    return action(
        subject, f"unsigned request answered with {answer.status}", _read_log(f"the webhook {path}")
    )


def _call(method: str, url: str, body: bytes | None) -> http.Answer:
    headers = {"Content-Type": "application/json"}
    return http.call(
        method, url, headers=headers, body=body, within_ms=_WITHIN_MS, silence_ms=_WITHIN_MS
    )


def _unreachable(subject: str, failure: NotSent | InDoubt) -> Finding:
    step = "check the URL, its DNS name and the network of this machine"
    return unchecked(subject, f"no answer ({failure})", step)


def _read_log(name: str) -> str:
    return f"read the newest error in the log of {name}"
