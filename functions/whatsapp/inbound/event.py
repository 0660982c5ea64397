"""The canonical event: one message, status or change of a webhook, in the form queued on `whatsapp.fifo`."""

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Self

from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.events.versions import FIELD, VERSION

# Events that another context queued in the format of `shared.events.exchange`: their type there, and their kind in
# this context.
ANNOUNCED = "outbound_message"
OUTBOUND = "outbound"
# A send whose function died, or whose outcome is in doubt.
UNFINISHED_SEND = "unfinished_send"
# A payment to be looked up: a gateway reported it, or its check is due.
PAYMENT_CLAIM = "payment_claim"
# On the queue of jobs: a part of a campaign's list to be read, and a page of its recipients.
CAMPAIGN_CUT, CAMPAIGN_PAGE = "campaign_cut", "campaign_page"
SEQUENCE_STEP = "sequence_step"  # on the same queue: the next message of a customer's sequence
REFRESH = "refresh"  # on the same queue: what the providers report about numbers and templates
TRANSCRIPTION = "transcription"  # on the same queue: the words of a message's recording
PRIVACY_JOB = "privacy"  # a step of an erasure or export
# The app id under which Parley's canary signs. Not an app of Meta: their ids are digits.
CANARY_APP = "canary"
LONGEST_ID = 1_000  # A table key holds up to 2 KB.
# JSON names that differ from the field names.
JSON_NAMES = {
    "accepted_at": "acceptedAt",
    "display_phone": "displayPhone",
    "replay_of": "replayOf",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """
    One item of a webhook, a follow-up event of the worker, or a message sent by another context (`source` parley).

    A plain dataclass, because the ingress functions import this module and must start fast. Its consumers validate it
    with `whatsapp.inbound.queued_events`.
    """

    kind: str  # message, echo, status, payment, media, receipt, ...: selects the handler
    id: str  # the provider's id of the item, or a hash if it has none
    source: (
        str  # meta | eum | gateway | parley; a replay keeps it, so that its number is checked again
    )
    app: str  # id of the Meta app whose secret signed it; empty over SNS
    accepted_at: int  # when our ingress accepted it, milliseconds since 1970
    waba: str  # Meta's id of the WhatsApp Business Account
    phone: str  # Meta's id of the business phone number; empty for account-level events; for `outbound` any address
    display_phone: str  # the same number as displayed, digits
    field: str  # the webhook field, such as `messages`
    at: int  # the provider's time, epoch seconds
    index: int  # position in its array: orders items of the same second
    contact: dict[str, Any] | None  # the `contacts[]` entry of the sender
    payload: dict[str, Any] | None  # the item as received; with `claim` only its short texts
    hash: str  # SHA-256 of the payload without the parts that change with every delivery
    # Pointer (`shared.aws.stored_objects`) to the whole payload, if it is too large for the queue.
    claim: dict[str, Any] | None = None
    # Position among all events of its webhook: orders messages of one second that were accepted together.
    place: int = 0
    replay_of: str | None = None  # id of the original parked event
    replay: int = 0  # number of the replay

    @property
    def correlation_id(self) -> str:
        """The event's id in logs: a hash, because a WhatsApp message id contains the customer's number in base64."""
        return correlation_id_of(self.id)

    def unreplayed(self) -> Self:
        """Return the event as first received."""
        return replace(self, replay_of=None, replay=0)

    def to_json(self) -> str:
        """Return the event as ASCII JSON."""
        fields = {JSON_NAMES.get(name, name): value for name, value in asdict(self).items()}
        return to_json({FIELD: VERSION, **fields})

    def entry(
        self, *, group: tuple[str, ...], deduplication: tuple[str, ...], delay_seconds: int = 0
    ) -> Entry:
        """Return the event as a queue entry; both ids are hashes of the given parts."""
        ids = digest(*group), digest(*deduplication, self.hash)
        return Entry(self.to_json(), *ids, delay_seconds)


def correlation_id_of(provider_id: str) -> str:
    """Return the name of a provider's message or event in logs."""
    return digest(provider_id)[:26]


class Outcome(StrEnum):
    """Every accepted event has exactly one outcome."""

    PERSISTED = "persisted"  # something new is stored
    DUPLICATE = "duplicate"  # already stored; steps missed by a crash are completed
    PARKED = "parked"  # stored for a later replay, with a reason
