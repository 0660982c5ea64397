"""Builders of Lambda events: signed API Gateway proxy events and SNS events."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime

from events.proxy import made_up_id, proxy_event
from events.sns import sns_event
from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import APP_SECRET, SOCIAL_TOPIC_ARN, VERIFY_TOKEN, BusinessNumber

ROUTE = "/webhooks/whatsapp"
CHALLENGE = "1158201444"

_AGENT = "facebookexternalua"


def meta_bytes(body: Json) -> bytes:
    r"""Return the body as Meta serialises and signs it: non-ASCII as \u and four hex digits (emoji as two), / as \/."""
    return json.dumps(body, separators=(",", ":")).replace("/", "\\/").encode("ascii")


def utf8_bytes(body: Json) -> bytes:
    """Return the body in UTF-8, escaped only where JSON requires it, as other senders may serialise it."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def sign(raw: bytes, secret: str = APP_SECRET) -> str:
    """Return the value of `X-Hub-Signature-256` for these bytes."""
    return "sha256=" + hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()


def post(
    name: str,
    at: int,
    raw: bytes,
    *,
    secret: str = APP_SECRET,
    signature_header: str = "X-Hub-Signature-256",
    in_base64: bool = False,
) -> Json:
    """Return a signed POST of these bytes, received at *at* (seconds since 1970)."""
    headers = {
        "Accept": "*/*",
        "Content-Type": "application/json",
        signature_header: sign(raw, secret),
    }
    body = base64.b64encode(raw).decode() if in_base64 else raw.decode()
    return request_event(name, at, "POST", headers) | {"body": body, "isBase64Encoded": in_base64}


def handshake(name: str, at: int, token: str = VERIFY_TOKEN) -> Json:
    """Return the GET by which Meta verifies an endpoint; the response to the right *token* is CHALLENGE."""
    query = {"hub.mode": "subscribe", "hub.challenge": CHALLENGE, "hub.verify_token": token}
    return request_event(name, at, "GET", {"Accept": "*/*"}) | {
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {key: [value] for key, value in query.items()},
        "body": None,
        "isBase64Encoded": False,
    }


def social_message(name: str, at: int, number: BusinessNumber, webhook_entry: Json | str) -> Json:
    """Return a message of AWS End User Messaging Social: its envelope around one webhook entry of Meta."""
    arrived = datetime.fromtimestamp(at, UTC)
    return {
        "context": {
            "MetaWabaIds": [{"wabaId": number.waba, "arn": number.waba_arn}],
            "MetaPhoneNumberIds": [{"metaPhoneNumberId": number.phone, "arn": number.arn}],
        },
        "whatsAppWebhookEntry": webhook_entry,
        "aws_account_id": "000000000000",
        "message_timestamp": f"{arrived:%Y-%m-%dT%H:%M:%S}.271279391Z",
        "messageId": made_up_id(f"social {name} {at}"),
    }


def sns(name: str, at: int, published: Json, topic: str = SOCIAL_TOPIC_ARN) -> Json:
    """Return the Lambda event of one SNS notification."""
    return sns_event(name, at, json.dumps(published), topic)


def request_event(
    name: str, at: int, method: str, headers: dict[str, str], *, route: str = ROUTE
) -> Json:
    """Return a request for a route, without query and body."""
    return proxy_event(route, name, at, method=method, headers=headers, agent=_AGENT)
