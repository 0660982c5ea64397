"""The event on `richpanel.fifo` and `richpanel-live.fifo`, and the ids of events."""

import hashlib
import html
import re
import unicodedata
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from richpanel.inbound.channels import Channel
from shared.aws.sqs_fifo import Entry, to_json
from shared.events.versions import FIELD, VERSION

LONGEST_TEXT = 4_000  # characters
BUCKET_MS = 300_000  # five minutes
BACKFILL = "backfill"
SOURCES = frozenset({"webhook", "sweep", "replay", BACKFILL})

_ID = re.compile(r"[!-~]{1,128}")
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class RichpanelEvent:
    """
    A change in a conversation; the worker reads the details from the help desk.

    A plain dataclass, because the webhook function imports this module and must start fast. Its consumers validate it
    with `richpanel.inbound.queued_events`. Times are ms since 1970.
    """

    conversation_id: str  # the ticket's id, or its hash if it is not a valid key
    event_id: str | None  # `evt:rp:...`; None: the worker uses the newest customer comment's
    adopts: str | None  # its id in the previous time bucket; an existing row with that id wins
    message_id: str | None  # the help desk's id of the comment, if the sender knew it
    source: str  # webhook | sweep | replay | backfill
    channel: Channel
    trigger: str  # the help desk's rule that made the call, for operators
    created_at: int | None  # when the comment was written, at most a minute ahead of our clock
    received_at: int  # when a relay or, without one, our webhook function received it
    accepted_at: int  # when our webhook function accepted it
    text: str  # used only if the ticket cannot be read
    attachments: int  # number of files sent with the text

    def to_json(self) -> str:
        """Return the event as ASCII JSON."""
        return to_json({FIELD: VERSION, **asdict(self)})

    def entry(self, deduplication: str) -> Entry:
        """Return the event as a queue entry; its message group is the conversation, as the contract requires."""
        return Entry(self.to_json(), group=self.conversation_id, deduplication=deduplication)


def is_sound(event: RichpanelEvent) -> bool:
    """Whether the ids, the source and the times of an event are valid."""
    numbers = (event.received_at, event.accepted_at, event.created_at or 0, event.attachments)
    prefix = event_prefix(event.conversation_id)
    return (
        bool(_ID.fullmatch(event.conversation_id))
        and all(
            event_id is None or event_id.startswith(prefix)
            for event_id in (event.event_id, event.adopts)
        )
        and event.source in SOURCES
        and all(number >= 0 for number in numbers)
    )


def id_or_hash(identifier: str) -> str:
    """Return an id in its key form: unchanged if 1 to 128 printable ASCII characters, no blanks; else its SHA-256."""
    return identifier if _ID.fullmatch(identifier) else _sha256(identifier)


def event_prefix(conversation_id: str) -> str:
    """Return the prefix of all event ids of a conversation."""
    return f"evt:rp:{conversation_id}:"


def event_id_of_message(conversation_id: str, message_id: str) -> str:
    """Return `evt:rp:{conversation}:{message}`, the contract's key of an inbound event whose message has an id."""
    return event_prefix(conversation_id) + id_or_hash(message_id)


def event_id_of_text(conversation_id: str, text: str, moment_ms: int) -> str | None:
    """
    Return `evt:rp:{conversation}:{hash}`, the contract's key of a message without an id (text and 5-minute bucket).

    None if the text has no words: all pictures within five minutes would share one key.
    """
    words = _normalized(text)
    if not words:
        return None
    return event_prefix(conversation_id) + _sha256(words + _bucket(moment_ms))


def is_event_id(event_id: str, conversation_id: str) -> bool:
    """Whether this is a valid id of an event of this conversation."""
    prefix = event_prefix(conversation_id)
    return event_id.startswith(prefix) and bool(_ID.fullmatch(event_id.removeprefix(prefix)))


def deduplication_id(event_id: str) -> str:
    """Return the id by which the queue drops repeats of an event within five minutes."""
    return _sha256(event_id)


def plain(text: str) -> str:
    """Normalise a text for comparison: NFKC, no HTML, single blanks."""
    unmarked = html.unescape(_TAG.sub(" ", unicodedata.normalize("NFKC", text)))
    return " ".join(unmarked.split())


def _normalized(text: str) -> str:
    return plain(text).lower()


def _bucket(moment_ms: int) -> str:
    start = datetime.fromtimestamp((moment_ms - moment_ms % BUCKET_MS) // 1_000, UTC)
    return f"{start:%Y-%m-%dT%H:%MZ}"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
