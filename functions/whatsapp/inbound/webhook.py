"""
Ingress: turns a provider's request into events on `whatsapp.fifo`, acknowledged all together or not at all.

Does not access the table: the worker detects duplicates and checks who owns the number.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from shared.api.webhook_signatures import is_one_of, meta_app
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret, texts
from shared.aws.sqs_fifo import BATCH_BYTES, FifoQueue, to_json
from shared.runtime import clock
from whatsapp.configuration.folders import claims
from whatsapp.inbound import splitter
from whatsapp.inbound.event import CANARY_APP, Event
from whatsapp.inbound.json_body import BodyRefused, read_body, read_webhook
from whatsapp.inbound.splitter import Delivery

# Meta sends at most 1,000 updates in one notification ("Webhooks", "Frequency"). More events than this cannot be
# enqueued before the function times out, even if the sender repeats them.
MOST_EVENTS = 5_000


def is_handshake(query: Mapping[str, str], secret: JsonSecret) -> bool:
    """Whether a GET is Meta's verification of our address with one of the active verify tokens."""
    tokens = texts(secret.value().get("verify_token"))
    return query.get("hub.mode") == "subscribe" and is_one_of(
        query.get("hub.verify_token", ""), tokens
    )


def signer_of(
    body: bytes,
    signature: str,
    secret: JsonSecret,
    canary: JsonSecret | None,
    apps: frozenset[str] | None = None,
) -> str | None:
    """
    Return the id of the app that signed the body, None if no known app did; a new secret works within a minute.

    *apps*: only these are considered; None: all of the deployment. The canary's own secret is checked last, so that a
    fault in it cannot reject Meta's webhooks.
    """
    app = meta_app(body, signature, secrets_of_apps(secret.value(), apps))
    if app is None and secret.refreshed():
        app = meta_app(body, signature, secrets_of_apps(secret.value(), apps))
    if app is None and canary is not None:
        app = meta_app(body, signature, {CANARY_APP: texts(canary.value().get("app_secret"))})
    return app


def take_meta(body: bytes, app: str, queue: FifoQueue, bucket: Bucket) -> int:
    """
    Enqueue all events of a verified Meta body and return their number.

    A body without events, or with more than MOST_EVENTS, is stored in S3 for the worker to park: otherwise the sender
    would repeat it for days. Raises NotEnqueued.
    """
    delivery = Delivery(source="meta", app=app, accepted_at=clock.now_ms())
    try:
        events = _bounded(splitter.events_of(read_webhook(body), delivery))
    except BodyRefused as refusal:
        events = [_malformed(body, delivery, bucket, refusal.problem)]
    return take_events(events, queue, bucket)


def take_events(events: Iterable[Event], queue: FifoQueue, bucket: Bucket) -> int:
    """Enqueue events that a caller has checked, as `take_meta` does, and return their number. Raises NotEnqueued."""
    return queue.send(splitter.queue_entry(_fit_to_queue(event, bucket)) for event in events)


def take_social(message: str, queue: FifoQueue, bucket: Bucket) -> int:
    """
    Enqueue all events of one SNS message of AWS End User Messaging Social and return their number.

    The entry is JSON text inside the JSON message; an object is accepted too. Raises NotEnqueued.
    """
    delivery = Delivery(source="eum", app="", accepted_at=clock.now_ms())
    try:
        envelope = read_body(message)
        delivery = replace(delivery, id=str(envelope.get("messageId") or ""))
        events = _bounded(splitter.events_of_entry(_entry_of(envelope), delivery))
    except BodyRefused as refusal:
        body = message.encode("utf-8", "replace")
        events = [_malformed(body, delivery, bucket, refusal.problem)]
    return take_events(events, queue, bucket)


def _entry_of(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry in an SNS message. Raises BodyRefused."""
    entry = envelope.get("whatsAppWebhookEntry")
    parsed = read_body(entry) if isinstance(entry, str) else entry
    if not isinstance(parsed, dict):
        raise BodyRefused("whatsAppWebhookEntry: must be an object, or its JSON text")
    if "changes" in parsed:
        # The service passes the entry on without its time, and account-level events have no other time.
        return {"time": _seconds_of(envelope.get("message_timestamp"))} | parsed
    return parsed


def _bounded(events: Iterable[Event]) -> list[Event]:
    """Return the events. Raises BodyRefused for none and for more than MOST_EVENTS: the body is stored as a whole."""
    first_events = list(islice(events, MOST_EVENTS + 1))
    if not first_events:
        raise BodyRefused("entry: must not be empty")
    if len(first_events) > MOST_EVENTS:
        raise BodyRefused(f"entry: must not have more than {MOST_EVENTS} events")
    return first_events


def _seconds_of(timestamp: object) -> int | None:
    """Convert a time written by AWS to seconds since 1970; None if unreadable."""
    try:
        return clock.from_text(str(timestamp)) // 1_000
    except ValueError:
        return None


def secrets_of_apps(
    secret: Mapping[str, Any], apps: frozenset[str] | None = None
) -> dict[str, list[str]]:
    """Return the active secrets of each of the *apps*, by default of all of the deployment."""
    stored = secret.get("apps")
    if not isinstance(stored, dict):
        return {}
    return {app: texts(each) for app, each in stored.items() if apps is None or app in apps}


def _malformed(body: bytes, delivery: Delivery, bucket: Bucket, problem: str) -> Event:
    fingerprint = hashlib.sha256(body).hexdigest()
    wrapped_body = json.dumps({"raw": body.decode("utf-8", "replace")}).encode()
    claim = claims(bucket).put(fingerprint, wrapped_body)
    return splitter.malformed(claim.attributes(), delivery, fingerprint, problem)


def _fit_to_queue(event: Event, bucket: Bucket) -> Event:
    """Return the event, with its payload moved to S3 if it is too large for the queue."""
    if len(event.to_json()) <= BATCH_BYTES:
        return event
    claim = claims(bucket).put(event.hash, to_json(event.payload).encode())
    # Group and deduplication ids are made from the payload, so the remaining part must be enough for them.
    slim = replace(event, payload=_short_texts(event.payload), claim=claim.attributes())
    if len(slim.to_json()) <= BATCH_BYTES or slim.contact is None:
        return slim
    return replace(slim, contact=_short_texts(slim.contact))


def _short_texts(part: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the first short texts of a payload: ids, addresses, type and time, which determine its message group."""
    longest, most = 512, 64
    entries = (part or {}).items()
    short = ((key, value) for key, value in entries if len(key) <= longest)
    texts_only = (
        (key, value) for key, value in short if isinstance(value, str) and len(value) <= longest
    )
    return dict(islice(texts_only, most))
