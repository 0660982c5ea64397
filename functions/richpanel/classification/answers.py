"""What a classifier is asked and what it answers, whoever it is: rules, a model, or both."""

from dataclasses import dataclass
from enum import StrEnum

from richpanel.channels import Channel
from richpanel.taxonomy import (
    Intent,
    Level,
    Modifier,
    RiskFlag,
    are_one,
    intents,
    thresholds,
)

# Of a turn. What is longer is cut at the front: the newest words say what is wanted.
MOST_CHARACTERS = 4_000


class Language(StrEnum):
    """What a message is written in, as far as the rules need to know."""

    ENGLISH = "en"
    SPANISH = "es"
    UNKNOWN = "unknown"


class Doubt(StrEnum):
    """What speaks against answering with facts of one order, although the message asks for its status."""

    OTHER_OWNER = "other_owner"  # "my sister's order"
    CHANGE_REQUEST = "change_request"  # asks for something to be done with the order
    DISPUTES_ANSWER = "disputes_answer"  # "that is not what the tracking says"
    SEVERAL_ORDERS = "several_orders"  # two numbers, or "both my orders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """
    One customer turn. *text* is the comment to be handled, *earlier* those before it that nobody has handled yet,
    oldest first: each as it came, plain or HTML. Quotes and signatures are taken off each, then the newest 4,000
    characters count.

    *expects_order_number*: we asked for one, so that a bare number is one. *order_mask*: how the shop's own order
    numbers look, `9` for a digit and everything else as it is (`SH-99999`); such a number needs no word before it.
    *is_automatic*: the help desk says that no person wrote it (bounce, our own address).
    """

    text: str
    channel: Channel = Channel.EMAIL
    subject: str | None = None
    earlier: tuple[str, ...] = ()
    has_attachment: bool = False
    has_linked_order: bool = False
    expects_order_number: bool = False
    order_mask: str | None = None
    is_automatic: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """One intent and how sure the classifier is, 0 to 1."""

    intent: Intent
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """
    What a message is about. Says nothing of teams, tags or replies.

    *intents* is never empty and starts with the primary one: first those that are present, most urgent first (level,
    then confidence, then row of the taxonomy), then the rest, which count for the margin only. Where none is present,
    the best guess stands first with its low confidence; a message that says nothing known has `unknown_other` at 0.0.
    On a channel of its own, that channel's intent stands there instead of both.
    *order_numbers* are in normal form (upper case, no `#`), different ones only; *tracking_numbers* without spaces.
    *own_order_only*: each clause that says something known is about an order of the sender.
    *is_resolution*: the customer says that it is settled. *has_text* is False for a file or sticker alone.
    *is_doubted*: routed by its primary intent, but too unlike what such messages say for a machine to answer it.
    """

    language: Language
    intents: tuple[Scored, ...]
    risk_flags: frozenset[RiskFlag] = frozenset()
    modifiers: frozenset[Modifier] = frozenset()
    doubts: frozenset[Doubt] = frozenset()
    order_numbers: tuple[str, ...] = ()
    tracking_numbers: tuple[str, ...] = ()
    word_count: int = 0
    has_text: bool = True
    is_resolution: bool = False
    own_order_only: bool = False
    is_doubted: bool = False
    version: str = ""

    @property
    def primary(self) -> Intent:
        """What the ticket is routed by."""
        return self.intents[0].intent

    @property
    def confidence(self) -> float:
        """How sure the classifier is of the primary intent, before any penalty."""
        return self.intents[0].confidence

    @property
    def present(self) -> tuple[Scored, ...]:
        """The intents that the message is about, the primary one first."""
        return tuple(scored for scored in self.intents if is_present(scored))

    @property
    def secondary(self) -> tuple[Intent, ...]:
        """What else it is about: at most two, by urgency."""
        others = [scored.intent for scored in self.present if scored.intent != self.primary]
        return tuple(others[: thresholds.most_secondary_intents])

    @property
    def margin(self) -> float:
        """How far the primary intent is ahead of its level: what the order of levels resolves is not ambiguous."""
        first = self.intents[0]
        rivals = [
            scored.confidence
            for scored in self.intents[1:]
            if intents[scored.intent].level == intents[first.intent].level
            and not are_one(scored.intent, first.intent)
        ]
        return round(first.confidence - max(rivals, default=0.0), 4)

    @property
    def routing_confidence(self) -> float:
        """The confidence after penalties for a narrow margin, for few words and for several intents."""
        reasons = (
            self.margin < thresholds.narrow_margin,
            self.word_count < thresholds.few_words,
            len(self._things()) > 1,
        )
        return round(max(0.0, self.confidence - thresholds.penalty * sum(reasons)), 4)

    def _things(self) -> list[Intent]:
        """The intents present, those that count as one counted once."""
        things: list[Intent] = []
        for scored in self.present:
            if not any(are_one(scored.intent, other) for other in things):
                things.append(scored.intent)
        return things


def is_present(scored: Scored) -> bool:
    """Whether a message is about this intent. For P0 any signal is enough."""
    if scored.intent is Intent.UNKNOWN_OTHER:
        return False
    if intents[scored.intent].level is Level.P0:
        return scored.confidence > 0
    return scored.confidence >= thresholds.present
