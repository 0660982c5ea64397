"""The decision on a turn: team, tags, optional reply and reasons."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from richpanel.classification import Language
from richpanel.classification.taxonomy import (
    HANDED_BACK_TAG,
    ControlTag,
    Intent,
    Level,
    Modifier,
    RiskFlag,
    Team,
    teams,
)
from richpanel.decisions.facts import NEED_ORDER_NUMBER, MatchPath, NoOrder, PendingFlow, Verdict
from richpanel.decisions.gates.gates import GateResult
from richpanel.decisions.replies.candidates import Tier2Refusal
from richpanel.decisions.routing import ROUTE_TAGS
from richpanel.decisions.templates.catalogue import ASK_ORDER_NUMBER, Tier, Variant

ORDER_STATUS_REPLY = "order_status"


class Rule(StrEnum):
    """The kind of rule that decided the intent. The values are part of audit rows."""

    TIER0_PATTERN = "tier0_pattern"  # a strong pattern, which no model overrules
    PENDING_FLOW = "pending_flow"  # the message responds to our request for an order number
    CHANNEL = "channel"  # no known intent: the channel determines it
    MODEL = "model"
    WORD_MODEL = "word_model"
    NONE = "none"  # no intent was recognised


def tags_when_sent(tier: Tier | None) -> tuple[str, ...]:
    """Return the tags to add only after the help desk has accepted a reply of this tier."""
    if tier is Tier.VERIFIED:
        return (ControlTag.AUTO_REPLIED, ControlTag.ORDER_STATUS_ANSWERED)
    return (ControlTag.AUTO_REPLIED,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """
    A reply to send. `catalogue.render` renders its text.

    *type* is stored with the conversation: `order_status`, `need_order_number`, or the intent.
    """

    template: str
    language: Language
    variant: Variant
    values: Mapping[str, str]
    tier: Tier
    intent: Intent

    @property
    def type(self) -> str:
        """The value for `last_auto_reply`."""
        if self.tier is Tier.VERIFIED:
            return ORDER_STATUS_REPLY
        return NEED_ORDER_NUMBER if self.template == ASK_ORDER_NUMBER else self.intent

    @property
    def tags_when_sent(self) -> tuple[str, ...]:
        """The tags to add only after the help desk has accepted the reply."""
        return tags_when_sent(self.tier)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """
    The decision that a worker executes and an audit row records. Contains no text of the customer.

    *tags* include the one route tag but no tag of a reply (see `Reply.tags_when_sent`). *tier* is the tier of *reply*,
    0 for tickets handled by human agents only, None for routing alone; *considered* is the candidate template, sent or
    not. *gates* are all gates in order; *reason* is the first shut one, else the reason of the reply. *tier2_refusal*:
    why facts of the order are not stated, even if another reply is sent. *close_when_confirmed*: close the ticket once
    a later read shows our reply as the newest comment. *pending_flow* applies if the reply was sent or there is none;
    *pending_flow_unsent* if it could not be sent. *risk_flags* concern this turn. *wants_order_lookup*,
    *wants_verdict*: decide again with the order, or with the model's verdict, before executing: the reply may become
    Tier 2. *policy_refusal*: the reason if the send policy refused.

    For the audit: *rule* decided the intent, *version* names the rules and the model that classified,
    *settings_version* the shop's settings, *match* says how
    an order was matched or why none was, *masked_order* is its number as `***1234`, *language* the reply's language.
    *suspected_tier0* are the P0 intents with a weak signal only, *modifiers* are found in the message. *cost_micros*:
    micro-dollars of the model's calls; None without an answered call, or if its price is not known.
    """

    intent: Intent
    secondary: tuple[Intent, ...]
    level: Level
    team: Team
    tags: tuple[str, ...]
    tier: Tier | None
    reply: Reply | None
    considered: str | None
    close_when_confirmed: bool
    reason: str
    gates: tuple[GateResult, ...]
    tier2_refusal: Tier2Refusal | None
    verdict: Verdict | None
    routing_confidence: float
    automation_confidence: float
    margin: float
    pending_flow: PendingFlow | None
    pending_flow_unsent: PendingFlow | None
    risk_flags: frozenset[RiskFlag]
    wants_order_lookup: bool
    wants_verdict: bool
    policy_refusal: str | None
    rule: Rule
    version: str
    settings_version: int
    match: MatchPath | NoOrder
    masked_order: str | None
    language: Language
    suspected_tier0: frozenset[Intent]
    modifiers: frozenset[Modifier]
    cost_micros: int | None = None

    @property
    def route_tag(self) -> str:
        """The tag that triggers the help desk's assignment of the ticket."""
        return teams[self.team].route_tag

    @property
    def takes_over(self) -> bool:
        """Whether an agent has to take the ticket over, beyond its routing."""
        return self.tier is Tier.HANDOFF or ControlTag.ESCALATED_HUMAN in self.tags

    def tags_to_remove(self, present: Collection[str]) -> tuple[str, ...]:
        """Return the route tags in *present* other than this decision's, and the tag of a hand-back."""
        obsolete = ROUTE_TAGS - {self.route_tag} | {HANDED_BACK_TAG}
        return tuple(sorted(obsolete.intersection(present)))
