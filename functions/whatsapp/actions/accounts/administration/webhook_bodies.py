"""Checks bodies and signatures of webhooks, and queues the events of a body that a caller has kept."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from itertools import islice
from typing import Annotated, Any, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.api.webhook_signatures import meta_app, meta_signature
from shared.aws.secrets import texts
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock
from whatsapp.actions.accounts.administration.parked import SECURITY
from whatsapp.actions.accounts.administration.webhooks import WEBHOOKS
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import BadEnvelope, SignatureRefused
from whatsapp.actions.calls.inputs import Flag, Input, NoInput
from whatsapp.api.json_view import View
from whatsapp.api.queries import NotFound
from whatsapp.inbound import splitter, webhook
from whatsapp.inbound.event import Event
from whatsapp.inbound.json_body import WHATSAPP_OBJECT, BodyRefused, read_webhook
from whatsapp.inbound.splitter import Delivery

SIGNATURE_HEADER = "x-hub-signature-256"
LARGEST_BODY_BYTES = 3 << 20  # as the ingress takes
REPLAY = "replay"  # source of events that an authorised caller gives
_SAMPLE = b'{"object":"whatsapp_business_account","entry":[]}'

type Headers = dict[str, Annotated[str, Field(max_length=8_192)]]
type RawBody = Annotated[str, Field(max_length=4_194_304)]


class ProcessEvent(Input):
    """A provider's body with `entry`."""

    webhook_body: Annotated[dict[str, Any], Field(min_length=1)]


class Taken(View):
    """The number of queued events."""

    taken: int


class Verify(Input):
    """The query of a handshake: `hub.mode`, `hub.verify_token`, `hub.challenge`."""

    query_string_parameters: dict[str, Annotated[str, Field(max_length=2_048)]]


class Verified(View):
    """Whether a stored token accepts the handshake; then with its challenge."""

    accepted: bool
    challenge: str | None = None


class Signed(Input):
    """A signature, by itself or in headers, and the raw body; `bodyIsBase64` if it is encoded."""

    signature: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    headers: Headers | None = None
    payload: RawBody | None = None
    body: Annotated[RawBody | None, Field(description="the body as the provider sent it")] = None
    body_is_base64: Flag = False

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if (self.signature is None) == (self.headers is None):
            raise PydanticCustomError("signature", "must have one of signature, headers")
        if (self.payload is None) == (self.body is None):
            raise PydanticCustomError("payload", "must have one of payload, body")
        return self


class Validity(View):
    """Whether an active secret of the company made the signature, and the app that has it."""

    valid: bool
    app: str | None = None


class SecureWebhook(Input):
    """The headers and the raw body of a webhook; `bodyIsBase64` if it is encoded."""

    headers: Headers
    body: Annotated[RawBody, Field(description="the body as the provider sent it")]
    body_is_base64: Flag = False


class SecretTest(View):
    """The result for one active secret: *number* counts the secrets of its app."""

    app: str
    number: int
    passed: bool


class SelfTest(View):
    """The result for all active secrets of the company's apps."""

    passed: bool
    secrets: list[SecretTest]


@WEBHOOKS.changes("local", Scope.WHATSAPP_ADMIN)
def process_webhook_event(call: Call[ProcessEvent]) -> Taken:
    """
    Take the events of a webhook body again, as the ingress would. At most 3 MB.

    Every entry must be of an account of the company, and every number of it: otherwise nothing is taken (`not_found`).
    Events that were taken before are recognised and not stored twice.
    """
    raw = to_json({"object": WHATSAPP_OBJECT} | call.input.webhook_body).encode()
    # Its owner was checked here: the events carry no app, whose signature is not known.
    events = [replace(event, source=REPLAY, app="") for event in _events_in(raw, REPLAY, "")]
    return _taken(call, events)


@SECURITY.changes("local", Scope.WHATSAPP_ADMIN)
def process_secure_webhook(call: Call[SecureWebhook]) -> Taken:
    """
    Check the signature of a raw webhook body, then take its events as the ingress would.

    Errors: `invalid_signature`, with nothing taken; `not_found` for an account or number of another company.
    """
    raw = _raw(call.input.body, is_base64=call.input.body_is_base64)
    signature = _signature_in(call.input.headers)
    app = _signer(call, raw, signature)
    if app is None:
        raise SignatureRefused("headers: no active secret of the company has made the signature")
    return _taken(call, _events_in(raw, "meta", app))


@SECURITY.reads("local", Scope.WHATSAPP_ADMIN)
def verify_webhook(call: Call[Verify]) -> Verified:
    """Return whether a stored verify token accepts a handshake. The expected token is never a parameter."""
    query = call.input.query_string_parameters
    accepted = webhook.is_handshake(query, call.resources.webhook_secrets)
    return Verified(accepted=accepted, challenge=query.get("hub.challenge") if accepted else None)


@SECURITY.reads("local", Scope.WHATSAPP_ADMIN)
def validate_webhook_signature(call: Call[Signed]) -> Validity:
    """Return whether `X-Hub-Signature-256` fits the raw body, under any active secret of the company's apps."""
    asked = call.input
    body = asked.body if asked.payload is None else asked.payload
    raw = _raw(str(body), is_base64=asked.body_is_base64)
    signature = asked.signature or _signature_in(asked.headers or {})
    app = _signer(call, raw, signature)
    return Validity(valid=app is not None, app=app)


@SECURITY.reads("local", Scope.WHATSAPP_ADMIN)
def test_webhook_signature(call: Call[NoInput]) -> SelfTest:
    """
    Test every active secret of the company's apps: sign a built-in sample with it, and verify that.

    Takes no text and shows no signature, so that a caller can sign nothing with it. Without a secret it does not pass.
    """
    stored = call.resources.webhook_secrets.value()
    secrets = webhook.secrets_of_apps(stored, participants.apps_of(call))
    tests = [
        SecretTest(
            app=app,
            number=number,
            passed=meta_app(_SAMPLE, meta_signature(_SAMPLE, secret), {app: [secret]}) == app,
        )
        for app, each in secrets.items()
        for number, secret in enumerate(texts(each), start=1)
    ]
    return SelfTest(passed=bool(tests) and all(test.passed for test in tests), secrets=tests)


def _signer(call: Call[Any], raw: bytes, signature: str) -> str | None:
    """Return the app of the company that signed a body. Ignores apps of other companies."""
    secret = call.resources.webhook_secrets
    return webhook.signer_of(raw, signature, secret, None, participants.apps_of(call))


def _raw(text: str, *, is_base64: bool) -> bytes:
    """Return the bytes of a body. Raises InvalidInput and BadEnvelope."""
    try:
        raw = base64.b64decode(text, validate=True) if is_base64 else text.encode()
    except (binascii.Error, ValueError):
        problem = "must be base64" if is_base64 else "must be text without lone surrogates"
        raise InvalidInput([{"field": "body", "problem": problem}]) from None
    if len(raw) > LARGEST_BODY_BYTES:
        text = f"body: must have at most {LARGEST_BODY_BYTES} bytes"
        raise BadEnvelope(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "payload_too_large", text)
    return raw


def _signature_in(headers: Headers) -> str:
    """Return the signature in headers, whose names have any case; empty if there is none."""
    return next((v for name, v in headers.items() if name.lower() == SIGNATURE_HEADER), "")


def _events_in(raw: bytes, source: str, app: str) -> list[Event]:
    """Return the events of a body. Raises InvalidInput."""
    if len(raw) > LARGEST_BODY_BYTES:
        text = f"webhookBody: must have at most {LARGEST_BODY_BYTES} bytes"
        raise BadEnvelope(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "payload_too_large", text)
    delivery = Delivery(source=source, app=app, accepted_at=clock.now_ms())
    try:
        found = splitter.events_of(read_webhook(raw), delivery)
    except BodyRefused as refusal:
        raise InvalidInput([{"field": "body", "problem": refusal.problem}]) from None
    events = list(islice(found, webhook.MOST_EVENTS + 1))
    if not 0 < len(events) <= webhook.MOST_EVENTS:
        problem = f"entry: must have 1 to {webhook.MOST_EVENTS} events"
        raise InvalidInput([{"field": "body", "problem": problem}])
    return events


def _taken(call: Call[Any], events: Sequence[Event]) -> Taken:
    """Put the events on the queue, if all are of the company. Raises NotFound and NotEnqueued."""
    accounts = {phone.phone: phone.waba_meta_id for phone in participants.phones_of(call)}
    for event in events:
        is_own = event.waba in accounts.values()
        if not is_own or (event.phone and accounts.get(event.phone) != event.waba):
            raise NotFound("entry: account or number not found")
    resources = call.resources
    return Taken(taken=webhook.take_events(events, resources.queue, resources.bucket))
