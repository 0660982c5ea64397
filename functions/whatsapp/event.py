"""The canonical event: one message, status or change of a webhook, as it travels over `whatsapp.fifo`."""

import json
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from shared import clock
from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.failures import Permanent

VERSION = 1
# What another context put on the queue, in the words of `shared.events`: as it is called there, and of its event here.
ANNOUNCED = "outbound_message"
OUTBOUND = "outbound"
LONGEST_ID = 1_000  # A key of the table holds 2 KB.
# The name on the wire, where it is not the field's.
_ON_THE_WIRE = {
    "accepted_at": "acceptedAt",
    "display_phone": "displayPhone",
    "replay_of": "replayOf",
}
_IN_CODE = {wire: code for code, wire in _ON_THE_WIRE.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """
    One item of a webhook, a follow-up that the worker sends itself, or what another context sent (`source` parley).

    A plain dataclass, because the ingress functions import this module and must start fast.
    """

    kind: str  # message, echo, status, payment, media, receipt, ...: what decides who handles it
    id: str  # the provider's id of the item, or a hash where it has none
    source: str  # meta | eum | parley; a replay keeps it, so that its number is checked as it was at first
    app: str  # id of the Meta app whose secret signed it; empty over SNS
    accepted_at: int  # when our ingress took it, milliseconds since 1970
    waba: str  # Meta's id of the WhatsApp Business Account
    phone: str  # Meta's id of the business phone number; empty for events of a whole account; of `outbound` any address
    display_phone: str  # the same number as people write it, digits
    field: str  # the webhook field, such as `messages`
    at: int  # the provider's time, epoch seconds
    index: int  # position in its array: orders items of the same second
    contact: dict[str, Any] | None  # the `contacts[]` entry of the sender
    payload: dict[str, Any] | None  # the item as received; with `claim` only its short texts
    hash: str  # SHA-256 of the payload without what changes at every delivery
    # Pointer (`shared.aws.stored_objects`) to the whole payload, where it is too large for the queue.
    claim: dict[str, Any] | None = None
    replay_of: str | None = None  # id of the parked event that it was
    replay: int = 0  # the how many-th replay of it

    @property
    def correlation_id(self) -> str:
        """What logs call the event: a hash of its id, since an id of WhatsApp holds the customer's number in base64."""
        return correlation_id_of(self.id)

    def unreplayed(self) -> Self:
        """The event as it first came."""
        return replace(self, replay_of=None, replay=0)

    def to_json(self) -> str:
        """The event as ASCII JSON."""
        fields = {_ON_THE_WIRE.get(name, name): value for name, value in asdict(self).items()}
        return to_json({"v": VERSION, **fields})

    def entry(self, *, group: tuple[str, ...], deduplication: tuple[str, ...]) -> Entry:
        """The event as a queue entry; both ids are hashes of the given parts."""
        return Entry(self.to_json(), digest(*group), digest(*deduplication, self.hash))


def correlation_id_of(provider_id: str) -> str:
    """The name under which logs know a message or event of a provider."""
    return digest(provider_id)[:26]


def parse_event(body: str) -> Event:
    """
    The event of a queue record. Raises Permanent (`malformed_event`) for anything else.

    Strict, since only our own functions write to this queue; unknown fields are left out, so that a newer ingress may
    add some. What another context sent gets the envelope that it comes without.
    """
    try:
        raw = json.loads(body)
        if raw.get("type") == ANNOUNCED:
            raw = _enveloped(raw)
        fields = {_IN_CODE.get(name, name): value for name, value in raw.items()}
        known = {name: fields[name] for name in Event.__dataclass_fields__ if name in fields}
        event = Event(**known)
        version = fields["v"]
    except (ValueError, AttributeError, TypeError, KeyError):
        raise Permanent("malformed_event") from None
    texts = (
        event.kind,
        event.id,
        event.source,
        event.app,
        event.waba,
        event.phone,
        event.field,
        event.hash,
    )
    numbers = (event.accepted_at, event.at, event.index, event.replay)
    if (
        version != VERSION
        or not 0 < len(event.id) <= LONGEST_ID
        or not all(isinstance(text, str) for text in (*texts, event.display_phone))
        or not all(isinstance(number, int) for number in numbers)
        or not isinstance(event.payload, dict | None)
        or not isinstance(event.contact, dict | None)
        or not isinstance(event.claim, dict | None)
        or not isinstance(event.replay_of, str | None)
    ):
        raise Permanent("malformed_event")
    return event


def _enveloped(announced: dict[str, Any]) -> dict[str, Any]:
    """The event of a `shared.events.OutboundMessage`, whose parts the worker checks when it uses them."""
    sent_at = clock.from_text(announced["occurred_at"])
    return {
        "v": announced["v"],
        "kind": OUTBOUND,
        "id": announced["provider_message_id"],
        "source": "parley",
        "app": "",
        "acceptedAt": sent_at,
        "waba": announced.get("account") or "",
        "phone": announced["business_address"],
        "displayPhone": "",
        "field": ANNOUNCED,
        "at": sent_at // 1_000,
        "index": sent_at % 1_000,  # Here nothing is ordered by its place in a webhook.
        "contact": None,
        "payload": announced,
        # One action is one message, whatever its wording was when it was told again.
        "hash": digest(announced["action_id"]),
    }
