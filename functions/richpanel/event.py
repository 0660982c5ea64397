"""The event of this context, as it travels over `richpanel.fifo` and `richpanel-live.fifo`; and the ids of events."""

import hashlib
import html
import json
import re
import unicodedata
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from richpanel.channels import Channel
from shared.aws.sqs_fifo import Entry, to_json
from shared.failures import Permanent

VERSION = 1
LONGEST_ID = 128
LONGEST_TEXT = 4_000  # characters
BUCKET_MS = 300_000  # five minutes
SOURCES = frozenset({"webhook", "sweep", "replay"})

_ID = re.compile(r"[!-~]{1,128}")
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class RichpanelEvent:
    """
    That something happened in a conversation; what it was, the worker reads in the help desk.

    A plain dataclass, because the ingress imports this module and must start fast. Times are milliseconds since 1970.
    """

    conversation_id: str  # the ticket's id, or a hash that stands in for one that is no key
    event_id: str | None  # `evt:rp:...`; None: the worker makes it of the newest customer comment
    adopts: str | None  # the id this event has if it was taken in the bucket before; that row wins
    message_id: str | None  # the help desk's id of the comment, where the sender knew it
    source: str  # webhook | sweep | replay
    channel: Channel
    trigger: str  # the rule of the help desk that called, for people
    created_at: int | None  # when the comment was written, never later than a minute from now
    received_at: int  # when the first of us had it: a relay, or our ingress
    accepted_at: int  # when our ingress took it
    text: str  # serves only where the ticket cannot be read
    attachments: int  # how many files came with the text

    def to_json(self) -> str:
        """The event as ASCII JSON."""
        return to_json({"v": VERSION, **asdict(self)})

    def entry(self, deduplication: str) -> Entry:
        """The event as a queue entry: the conversation is its group, as the contract has it."""
        return Entry(self.to_json(), group=self.conversation_id, deduplication=deduplication)


def parse_event(body: str) -> RichpanelEvent:
    """
    The event of a queue record. Raises Permanent (`malformed_event`) for anything else.

    Strict, since only our own functions write to these queues; unknown fields are left out, so that a newer ingress
    may add some.
    """
    try:
        raw = json.loads(body)
        fields = {name: raw[name] for name in RichpanelEvent.__dataclass_fields__}
        event = RichpanelEvent(**fields | {"channel": Channel(raw["channel"])})
        is_sound = raw["v"] == VERSION and _is_sound(event)
    except (ValueError, TypeError, KeyError):
        raise Permanent("malformed_event") from None
    if not is_sound:
        raise Permanent("malformed_event")
    return event


def _is_sound(event: RichpanelEvent) -> bool:
    optional_ids = (event.event_id, event.adopts, event.message_id)
    moments: tuple[Any, ...] = (event.received_at, event.accepted_at, event.created_at or 0)
    return (
        bool(_ID.fullmatch(event.conversation_id))
        and all(isinstance(each, str | None) for each in optional_ids)
        and all(
            each is None or each.startswith(event_prefix(event.conversation_id))
            for each in (event.event_id, event.adopts)
        )
        and event.source in SOURCES
        and all(type(each) is int and each >= 0 for each in (*moments, event.attachments))
        and isinstance(event.trigger, str)
        and isinstance(event.text, str)
    )


def id_or_hash(given: str) -> str:
    """An id that fits into a key: itself where it is 1 to 128 printable characters without blanks, else its SHA-256."""
    return given if _ID.fullmatch(given) else _sha256(given)


def event_prefix(conversation_id: str) -> str:
    """How the ids of all events of a conversation begin."""
    return f"evt:rp:{conversation_id}:"


def event_id_of_message(conversation_id: str, message_id: str) -> str:
    """`evt:rp:{conversation}:{message}`: the contract's key of an inbound event whose message has an id."""
    return event_prefix(conversation_id) + id_or_hash(message_id)


def event_id_of_text(conversation_id: str, text: str, moment_ms: int) -> str | None:
    """
    `evt:rp:{conversation}:{hash}`: the contract's key of a message without an id, by its words and five minutes.

    None where the text has no words: pictures of five minutes would become one.
    """
    words = _normalized(text)
    if not words:
        return None
    return event_prefix(conversation_id) + _sha256(words + _bucket(moment_ms))


def is_event_id(given: str, conversation_id: str) -> bool:
    """Whether this may be the id of an event of this conversation."""
    prefix = event_prefix(conversation_id)
    return given.startswith(prefix) and bool(_ID.fullmatch(given.removeprefix(prefix)))


def deduplication_id(event_id: str) -> str:
    """What the queue drops repeats of an event by, within five minutes."""
    return _sha256(event_id)


def plain(text: str) -> str:
    """The words of a text however it was marked up and spaced: NFKC, no HTML, single blanks."""
    unmarked = html.unescape(_TAG.sub(" ", unicodedata.normalize("NFKC", text)))
    return " ".join(unmarked.split())


def _normalized(text: str) -> str:
    return plain(text).lower()


def _bucket(moment_ms: int) -> str:
    start = datetime.fromtimestamp((moment_ms - moment_ms % BUCKET_MS) // 1_000, UTC)
    return f"{start:%Y-%m-%dT%H:%MZ}"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
