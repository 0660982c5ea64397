"""Builders of Twilio's signed webhooks as API Gateway events. All data is fictitious."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from events.proxy import Json, made_up_id, proxy_event

ROUTE = "/webhooks/twilio"
STATUS_ROUTE = "/webhooks/twilio/status"
PUBLIC_URL = "https://parley.example"
ACCOUNT = "AC" + "5a0d" * 8
AUTH_TOKEN = "sample-auth-token-not-a-real-one"  # noqa: S105 - fictitious: it signs only the samples
SHARED_KEY_ID = "SKEY1"
SHARED_KEY = "sample-shared-key-not-a-real-one"
SECRET = {
    "accounts": {ACCOUNT: {"auth_tokens": [AUTH_TOKEN], "shared_keys": {SHARED_KEY_ID: SHARED_KEY}}}
}
# Of ranges reserved for fiction.
SMS_NUMBER = "+12025550142"
WHATSAPP_NUMBER = "whatsapp:+12025550143"
CUSTOMER = "+447700900123"

type Form = Sequence[tuple[str, str]]

_AGENT = "TwilioProxy/1.1"


def text(name: str, body: str = "Hello", **fields: str) -> dict[str, str]:
    """Return the fields of an SMS from CUSTOMER; its id is made from *name*."""
    sid = sid_of(name)
    return {
        "ToCountry": "US",
        "FromCity": "",  # Twilio sends and signs unknown values as empty fields.
        "SmsMessageSid": sid,
        "NumMedia": "0",
        "SmsSid": sid,
        "SmsStatus": "received",
        "Body": body,
        "To": SMS_NUMBER,
        "NumSegments": "1",
        "MessageSid": sid,
        "AccountSid": ACCOUNT,
        "From": CUSTOMER,
        "ApiVersion": "2010-04-01",
    } | fields


def whatsapp(name: str, body: str = "Hello", **fields: str) -> dict[str, str]:
    """Return the fields of a WhatsApp message from CUSTOMER."""
    whatsapp_fields = {
        "From": f"whatsapp:{CUSTOMER}",
        "To": WHATSAPP_NUMBER,
        "ProfileName": "Ann",
        "WaId": CUSTOMER.removeprefix("+"),
        "MessageType": "text",
    }
    return text(name, body) | whatsapp_fields | fields


def status(name: str, status_name: str, **fields: str) -> dict[str, str]:
    """Return the fields of a status callback for the message whose id is made from *name*."""
    sid = sid_of(name)
    return {
        "ApiVersion": "2010-04-01",
        "AccountSid": ACCOUNT,
        "MessageSid": sid,
        "SmsSid": sid,
        "SmsStatus": status_name,
        "MessageStatus": status_name,
        "To": CUSTOMER,
        "From": SMS_NUMBER,
    } | fields


def sid_of(name: str) -> str:
    """Return the id of a message."""
    return "SM" + made_up_id(f"twilio {name}").replace("-", "")


def sign(url: str, form: Form = (), key: str = AUTH_TOKEN, algorithm: str = "sha1") -> str:
    """Return the value of `X-Twilio-Signature` for a form posted to *url*."""
    pairs = sorted({(name.encode(), value.encode()) for name, value in form})
    signed = url.encode() + b"".join(name + value for name, value in pairs)
    digest = hmac.new(key.encode(), signed, getattr(hashlib, algorithm)).digest()
    return base64.b64encode(digest).decode()


def post(
    fields: Mapping[str, str] | Form,
    *,
    route: str = ROUTE,
    query: Mapping[str, str] | None = None,
    key: str = AUTH_TOKEN,
    public_url: str = PUBLIC_URL,
    at: int = 0,
    in_base64: bool = False,
) -> Json:
    """Return a signed webhook with these fields, received at *at* (seconds since 1970)."""
    form = list(fields.items()) if isinstance(fields, Mapping) else list(fields)
    raw = urlencode(form)
    url = public_url + route + (f"?{urlencode(query)}" if query else "")
    headers = {
        "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8",
        "X-Twilio-Signature": sign(url, form, key),
    }
    body = base64.b64encode(raw.encode()).decode() if in_base64 else raw
    return _called(route, at, headers, query) | {"body": body, "isBase64Encoded": in_base64}


def callback(
    fields: Mapping[str, str], action_id: str | None, *, key: str = AUTH_TOKEN, at: int = 0
) -> Json:
    """Return a status callback for one of our actions, or without an action id for another message."""
    query = None if action_id is None else {"a": action_id}
    return post(fields, route=STATUS_ROUTE, query=query, key=key, at=at)


def post_json(fields: Json, *, route: str = ROUTE, key: str = AUTH_TOKEN, at: int = 0) -> Json:
    """Return a JSON webhook: the query contains the hash of the body, and only the URL is signed."""
    raw = json.dumps(fields)
    query = {"bodySHA256": hashlib.sha256(raw.encode()).hexdigest()}
    headers = {
        "Content-Type": "application/json",
        "X-Twilio-Signature": sign(f"{PUBLIC_URL}{route}?{urlencode(query)}", key=key),
    }
    return _called(route, at, headers, query) | {"body": raw, "isBase64Encoded": False}


def _called(route: str, at: int, headers: dict[str, str], query: Mapping[str, str] | None) -> Json:
    event = proxy_event(route, "twilio", at, method="POST", headers=headers, agent=_AGENT)
    if query:
        multi_value_query = {name: [value] for name, value in query.items()}
        event |= {
            "queryStringParameters": dict(query),
            "multiValueQueryStringParameters": multi_value_query,
        }
    return event
