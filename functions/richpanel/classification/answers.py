"""Input and result of a classifier, for rules, a model or both."""

from dataclasses import dataclass, replace
from enum import StrEnum

from richpanel.classification.taxonomy import (
    Intent,
    Level,
    Modifier,
    RiskFlag,
    are_equivalent,
    intents,
    thresholds,
)
from richpanel.inbound.channels import Channel

# Per turn. Longer text is cut at the front, because the newest words state the request.
MOST_CHARACTERS = 4_000


class Language(StrEnum):
    """The language of a message, as far as the rules distinguish it. The values are ISO 639-1 codes."""

    ENGLISH = "en"
    SPANISH = "es"
    FRENCH = "fr"
    GERMAN = "de"
    ITALIAN = "it"
    PORTUGUESE = "pt"
    POLISH = "pl"
    SWEDISH = "sv"
    DUTCH = "nl"
    UNKNOWN = "unknown"


class Doubt(StrEnum):
    """A reason not to state facts of one order although the message asks for its status."""

    OTHER_OWNER = "other_owner"  # "my sister's order"
    CHANGE_REQUEST = "change_request"  # asks for a change to the order
    DISPUTES_ANSWER = "disputes_answer"  # "that is not what the tracking says"
    SEVERAL_ORDERS = "several_orders"  # two numbers, or "both my orders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """
    One customer turn. *text* is the current comment, *earlier* holds the unhandled comments before it, oldest first;
    all are as received, plain or HTML. Quotes and signatures are removed from each, then the newest 4,000 characters
    are classified.

    *expects_order_number*: an order number was requested, so a bare number counts as one. *order_mask*: the format of
    the shop's order numbers, `9` for a digit, other characters literal (`SH-99999`); a number in this format needs no
    keyword before it. *is_automatic*: the help desk marks the message as automatic (bounce, our own address).
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
    """One intent with its confidence, 0 to 1."""

    intent: Intent
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """
    The result of classifying a message. Contains no team, tag or reply.

    *intents* is never empty and starts with the primary intent: first the present intents, most urgent first (level,
    then confidence, then row of the taxonomy; a language model puts its main intent behind P0 only), then the others,
    which only affect the margin. If none is present, the best guess is first with its low confidence; a message without
    any recognised intent has `unknown_other` at 0.0. On a channel with its own intent (`unknown_becomes`), that intent
    replaces both.
    *strong_tier0*: the P0 intents found by strong patterns, which no model overrules. *suspected_tier0*: the P0 intents
    with only a weak signal; they forbid an automatic reply and change nothing else.
    *order_numbers* are distinct and in normal form (upper case, no `#`); *tracking_numbers* have no spaces.
    *names_own_order*: the text has an order number or refers to the sender's own order.
    *is_resolution*: the customer reports the matter as settled. *has_text* is False for a file or sticker alone.
    *may_reroute*: the text names a place, and does not merely complete or correct the address that was given; also set
    if the language has no patterns for this. With a request to change an order it is a `delivery_reroute`.
    *is_language_certain*: words of the text, or a model, indicate the language.
    *is_doubted*: the primary intent is used for routing, but the text is too unusual for it to be answered
    automatically.
    """

    language: Language
    intents: tuple[Scored, ...]
    strong_tier0: frozenset[Intent] = frozenset()
    suspected_tier0: frozenset[Intent] = frozenset()
    risk_flags: frozenset[RiskFlag] = frozenset()
    modifiers: frozenset[Modifier] = frozenset()
    doubts: frozenset[Doubt] = frozenset()
    order_numbers: tuple[str, ...] = ()
    tracking_numbers: tuple[str, ...] = ()
    word_count: int = 0
    has_text: bool = True
    is_resolution: bool = False
    names_own_order: bool = False
    may_reroute: bool = False
    is_language_certain: bool = True
    is_doubted: bool = False
    version: str = ""

    @property
    def primary(self) -> Intent:
        """The intent used for routing."""
        return self.intents[0].intent

    @property
    def confidence(self) -> float:
        """The confidence of the primary intent, before penalties."""
        return self.intents[0].confidence

    @property
    def present(self) -> tuple[Scored, ...]:
        """The intents present in the message, the primary one first."""
        return tuple(scored for scored in self.intents if is_present(scored))

    @property
    def secondary(self) -> tuple[Intent, ...]:
        """The other intents present, most urgent first, at most `thresholds.most_secondary_intents`."""
        others = [scored.intent for scored in self.present if scored.intent != self.primary]
        return tuple(others[: thresholds.most_secondary_intents])

    @property
    def margin(self) -> float:
        """
        The lead of the primary intent over the others of its level. Intents of other levels are not ambiguous with it:
        the order of the levels decides.
        """
        first = self.intents[0]
        rivals = [
            scored.confidence
            for scored in self.intents[1:]
            if intents[scored.intent].level == intents[first.intent].level
            and not are_equivalent(scored.intent, first.intent)
        ]
        return round(first.confidence - max(rivals, default=0.0), 4)

    @property
    def routing_confidence(self) -> float:
        """The confidence after penalties for a narrow margin, few words and several intents."""
        reasons = (
            self.margin < thresholds.narrow_margin,
            self.word_count < thresholds.few_words,
            len(self._distinct_intents()) > 1,
        )
        return round(max(0.0, self.confidence - thresholds.penalty * sum(reasons)), 4)

    def _distinct_intents(self) -> list[Intent]:
        """The intents present, with equivalent intents (`are_equivalent`) counted once."""
        distinct: list[Intent] = []
        for scored in self.present:
            if not any(are_equivalent(scored.intent, other) for other in distinct):
                distinct.append(scored.intent)
        return distinct


def with_reroute(classification: Classification) -> Classification:
    """Return *classification* with the modifier `delivery_reroute` if it changes an order and may name a new place."""
    is_change = any(
        scored.intent is Intent.ADDRESS_CHANGE_ORDER_EDIT for scored in classification.present
    )
    if not (is_change and classification.may_reroute):
        return classification
    found = classification.modifiers | {Modifier.DELIVERY_REROUTE}
    return replace(classification, modifiers=found)


def is_present(scored: Scored) -> bool:
    """Return whether the score is high enough for the intent to be present. For P0 any score above 0 is enough."""
    if scored.intent is Intent.UNKNOWN_OTHER:
        return False
    if intents[scored.intent].level is Level.P0:
        return scored.confidence > 0
    return scored.confidence >= thresholds.present
