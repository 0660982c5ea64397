"""
Events for the functions of the inbox that no provider calls; see `events.direct`.

They are not part of the day's samples and have no expected result.
"""

import base64
import hashlib
import hmac
import json
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlencode

from events import direct
from events.direct import schedule
from events.sqs import sqs_event
from events.whatsapp import gateway
from events.whatsapp.actions import bodies
from events.whatsapp.payloads import Json
from events.whatsapp.sample_builder import FOLDER, Sample, SampleBuilder
from events.whatsapp.sample_data import APP_ID, COMPANY, COUNTER
from events.whatsapp.samples import sample

CONVERSATIONS = "/whatsapp/conversations"
CANNED_REPLIES = "/whatsapp/canned-replies"
PARKED = "/whatsapp/parked"
FLOWS = "/webhooks/whatsapp/flows"
PAYMENTS = "/webhooks/payments/"
ORDER = "order-2026-0007"
# Below `gateways` of the app secrets.
GATEWAY_SECRET = "the-secret-of-the-sample-gateways"  # noqa: S105 - a made-up secret
UNKNOWN_KEY = "pk_0123456789abcdef_" + "A" * 43  # the format of a key, but not registered

_QUEUE = "parley-local-whatsapp.fifo"
_FILES_QUEUE = "parley-local-whatsapp-jobs"
_METHOD_ARN = f"arn:aws:execute-api:us-east-1:000000000000:parleylocal/local/GET{CONVERSATIONS}"
_MINUTE = 600


class Direct(direct.Direct):
    """An event of the inbox context."""

    folder: ClassVar[Path] = FOLDER


class ActionCall(direct.Direct):
    """A call of an action."""

    folder: ClassVar[Path] = FOLDER / "actions"


def action_calls() -> list[ActionCall]:
    """Return one call of each action, by name."""
    at = SampleBuilder().at(_MINUTE)
    return [
        ActionCall(name, "WhatsAppActions", f"A call of `{name}`.", _action_call(name, body, at))
        for name, body in sorted(bodies().items())
    ]


def direct_events() -> list[Direct]:
    """Return all events."""
    at = SampleBuilder().at(_MINUTE)
    return [
        Direct(
            "queue_text",
            "WhatsAppWorker",
            "The message of `text.json` as the webhook enqueues it.",
            queue_batch(sample("text"), at),
        ),
        Direct(
            "queue_file",
            "WhatsAppJobs",
            "The file of `image.json` as the worker enqueues it.",
            _queued_file(sample("image"), at),
        ),
        Direct(
            "api_conversations",
            "WhatsAppApi",
            "A request for the conversations of a number, with the context of the authorizer.",
            _api_call("api_conversations", at, CONVERSATIONS, phone=COUNTER.phone, limit="20"),
        ),
        Direct(
            "sending_canned_replies",
            "WhatsAppSending",
            "A request for the canned replies of a company.",
            _api_call("sending_canned_replies", at, CANNED_REPLIES),
        ),
        Direct(
            "admin_parked",
            "WhatsAppAdmin",
            "A request for the parked events of a company in state `waiting`.",
            _api_call("admin_parked", at, PARKED, state="waiting", limit="20"),
        ),
        Direct(
            "authorizer_unknown_key",
            "ApiAuthorizer",
            "A request with an unknown key: `Unauthorized`. With a key of your stack the response is a policy.",
            _authorizer_request(),
        ),
        Direct(
            "scheduled_minute",
            "WhatsAppScheduled",
            "A minute at which the last hours are counted.",
            schedule("scheduled_minute", at, "WhatsAppScheduledMinute"),
        ),
        Direct(
            "canary_run",
            "WhatsAppCanary",
            "A run of the canary, which posts to the webhook and looks for its message.",
            schedule("canary_run", at, "WhatsAppCanarySchedule"),
        ),
        Direct(
            "flow_request",
            "WhatsAppFlows",
            "A signed request of a form's client that no key decrypts: 421, so that the client fetches the key again.",
            _flow_request("flow_request", at),
        ),
        Direct(
            "payment_razorpay",
            "WhatsAppPayments",
            "A payment of an order that Razorpay reports, signed with the secret of the samples.",
            payment_report("razorpay", at, razorpay_body(), razorpay_signature(razorpay_body())),
        ),
        Direct(
            "payment_payu",
            "WhatsAppPayments",
            "A payment of an order that PayU reports as a form, signed with the salt of the samples.",
            payment_report("payu", at, payu_form()),
        ),
    ]


def direct_event(name: str) -> Direct:
    """Return the event of this name. Raises ValueError."""
    (match,) = [event for event in direct_events() if event.name == name]
    return match


def _action_call(name: str, body: Json, at: int) -> Json:
    """Return a POST of an action's parameters, with the context of the authorizer."""
    scopes = "read write send admin privacy media templates profile commerce payments refunds groups calls flows"
    scopes += " campaigns analytics contacts"
    held = " ".join(f"whatsapp:{scope}" for scope in scopes.split())
    event = direct.api_call(f"action {name}", at, f"/whatsapp/actions/{name}", held)
    headers = event["headers"] | {
        "Content-Type": "application/json",
        "Idempotency-Key": f"sample-{name}",
    }
    return event | {
        "resource": "/whatsapp/actions/{action}",
        "httpMethod": "POST",
        "requestContext": event["requestContext"] | {"httpMethod": "POST"},
        "pathParameters": {"action": name},
        "headers": headers,
        "multiValueHeaders": {header: [value] for header, value in headers.items()},
        "body": _compact(body),
    }


def _queued_file(image_sample: Sample, at: int) -> Json:
    """Return the queue message of the file of a webhook's only message, sent at *at*."""
    (message,) = image_sample.items("messages")
    file = message["image"]
    body = {
        "v": 1,
        "kind": "media",
        "id": file["id"],
        "source": "parley",
        "app": APP_ID,
        "acceptedAt": at * 1_000,
        "waba": COUNTER.waba,
        "phone": COUNTER.phone,
        "displayPhone": COUNTER.display,
        "field": "media",
        "at": int(message["timestamp"]),
        "index": 0,
        "place": 0,
        "contact": None,
        "payload": {
            "messagePk": f"MSG#{message['id']}",
            "type": "image",
            "mimeType": file["mime_type"],
            "sha256": file["sha256"],
        },
        "hash": file["sha256"],
        "claim": None,
        "replay": 0,
        "replayOf": None,
    }
    return sqs_event("queue_file", at, _compact(body), queue=_FILES_QUEUE)


def queue_batch(text_sample: Sample, at: int) -> Json:
    """
    Return an SQS batch with the only message of a webhook, accepted at *at*.

    Written by hand, not by the code that reads it: a new version must be able to read records that an older version
    enqueued.
    """
    (message,) = text_sample.items("messages")
    contact = text_sample.entries[0]["changes"][0]["value"]["contacts"][0]
    fingerprint = _digest(_compact(message))
    body = {
        "v": 1,
        "kind": "message",
        "id": message["id"],
        "source": "meta",
        "app": APP_ID,
        "acceptedAt": at * 1_000,
        "waba": COUNTER.waba,
        "phone": COUNTER.phone,
        "displayPhone": COUNTER.display,
        "field": "messages",
        "at": int(message["timestamp"]),
        "index": 0,
        "place": 0,
        "contact": contact,
        "payload": message,
        "hash": fingerprint,
        "claim": None,
        "replay": 0,
        "replayOf": None,
    }
    return sqs_event(
        text_sample.name,
        at,
        _compact(body),
        queue=_QUEUE,
        group=_digest(COUNTER.phone, message["from"]),
        deduplication=_digest("message", COUNTER.phone, message["id"], fingerprint),
    )


def _api_call(name: str, at: int, route: str, **query: str) -> Json:
    """Return an API request with the context of the authorizer."""
    headers = {"Accept": "application/json", "x-api-key": UNKNOWN_KEY}
    event = gateway.request_event(name, at, "GET", headers, route=route)
    authorizer_context = {
        "company": COMPANY,
        "scopes": "whatsapp:read",
        "principal": "api-key:0123456789abcdef",
        "projects": "*",
        "principalId": "api-key:0123456789abcdef",
        "integrationLatency": 12,
    }
    return event | {
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {key: [value] for key, value in query.items()},
        "requestContext": event["requestContext"] | {"authorizer": authorizer_context},
        "body": None,
        "isBase64Encoded": False,
    }


def _flow_request(name: str, at: int) -> Json:
    """Return a request of the data endpoint of forms with made-up ciphertext: real keys are random."""
    made_up = {"encrypted_flow_data": 40, "encrypted_aes_key": 256, "initial_vector": 16}
    parts = {part: base64.b64encode(bytes(size)).decode() for part, size in made_up.items()}
    raw = _compact(parts).encode()
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": gateway.sign(raw)}
    event = gateway.request_event(name, at, "POST", headers, route=FLOWS)
    query = {"account": COUNTER.waba}
    return event | {
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {key: [value] for key, value in query.items()},
        "body": raw.decode(),
        "isBase64Encoded": False,
    }


def payment_report(name: str, at: int, raw: bytes, signature: str = "") -> Json:
    """Return a webhook of the gateway *name*; PayU's has its signature in the body."""
    headers = {"Content-Type": "application/json", "X-Razorpay-Signature": signature}
    if not signature:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
    event = gateway.request_event(f"payment_{name}", at, "POST", headers, route=PAYMENTS + name)
    return event | {
        "resource": PAYMENTS + "{gateway}",
        "pathParameters": {"gateway": name},
        "body": raw.decode(),
        "isBase64Encoded": False,
    }


def razorpay_body(reference: str = ORDER, amount: int = 2_500, currency: str = "INR") -> bytes:
    """Return the body of Razorpay's `payment.captured` about an order, *amount* in minor units."""
    payment = {
        "id": "pay_29QQoUBi66xm2f",
        "status": "captured",
        "amount": amount,
        "currency": currency,
        "notes": {"reference_id": reference},
    }
    report = {"event": "payment.captured", "payload": {"payment": {"entity": payment}}}
    return _compact(report).encode()


def razorpay_signature(raw: bytes, secret: str = GATEWAY_SECRET) -> str:
    """Return the value of X-Razorpay-Signature."""
    return hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()


def payu_form(reference: str = ORDER, amount: str = "25.00", salt: str = GATEWAY_SECRET) -> bytes:
    """Return PayU's form about an order: `hash` is over salt, status, and the other fields in reverse order."""
    fields = {
        "key": "JPM7Fg",
        "txnid": "order-7",
        "amount": amount,
        "productinfo": "Bike",
        "firstname": "Ada",
        "email": "ada@example.com",
        "udf1": reference,
        "udf2": "",
        "udf3": "",
        "udf4": "",
        "udf5": "",
    }
    signed = "|".join([salt, "success", *[""] * 5, *reversed(fields.values())])
    fields |= {
        "status": "success",
        "unmappedstatus": "captured",
        "mihpayid": "403993715521889530",
        "hash": hashlib.sha512(signed.encode()).hexdigest(),
    }
    return urlencode(fields).encode()


def _authorizer_request() -> Json:
    headers = {"x-api-key": UNKNOWN_KEY}
    return {"type": "REQUEST", "methodArn": _METHOD_ARN, "headers": headers}


def _compact(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
