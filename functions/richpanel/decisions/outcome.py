"""What is decided about a turn: who gets the ticket, its tags, the reply if there is one, and why."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from richpanel.decisions.candidates import Tier2Refusal
from richpanel.decisions.facts import NEED_ORDER_NUMBER, PendingFlow, Verdict
from richpanel.decisions.gates import GateResult
from richpanel.decisions.replies.catalogue import ASK_ORDER_NUMBER, Tier, Variant
from richpanel.decisions.routing import ROUTE_TAGS
from richpanel.taxonomy import ControlTag, Intent, Level, RiskFlag, Team, teams

ORDER_STATUS_REPLY = "order_status"


def tags_when_sent(tier: Tier | None) -> tuple[str, ...]:
    """Tags that are true only once the help desk has taken a reply of this tier."""
    if tier is Tier.VERIFIED:
        return (ControlTag.AUTO_REPLIED, ControlTag.ORDER_STATUS_ANSWERED)
    return (ControlTag.AUTO_REPLIED,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """
    A reply to send. `catalogue.render` makes its text.

    *type* is what the conversation remembers of it: `order_status`, `need_order_number`, or the intent.
    """

    template: str
    variant: Variant
    values: Mapping[str, str]
    tier: Tier
    intent: Intent

    @property
    def type(self) -> str:
        """What `last_auto_reply` calls it."""
        if self.tier is Tier.VERIFIED:
            return ORDER_STATUS_REPLY
        return NEED_ORDER_NUMBER if self.template == ASK_ORDER_NUMBER else self.intent

    @property
    def tags_when_sent(self) -> tuple[str, ...]:
        """Tags that are true only once the help desk has taken the reply."""
        return tags_when_sent(self.tier)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """
    All that a worker acts on, and all that an audit row explains. Holds no words of the customer.

    *tags* hold the one route tag and no tag of a reply (see `Reply.tags_when_sent`). *tier* is that of *reply*, 0 for
    what only people handle, None for routing alone; *considered* is the template in question, sent or not. *gates*
    are all gates in order; *reason* is the first shut one, else why a reply goes out. *tier2_refusal*: why facts of the
    order are not stated, whatever else is. *close_when_confirmed*: close once a later read shows our reply as the
    newest comment. *pending_flow* holds where the reply went out or there is none; *pending_flow_unsent* where it could
    not be sent. *risk_flags* are those of this turn. *wants_order_lookup*, *wants_verdict*: decide again with the
    order, or with the model's verdict, before acting: the answer may become Tier 2. *policy_refusal*: why the send
    policy refused, where it did.
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

    @property
    def route_tag(self) -> str:
        """The tag by which the help desk assigns the ticket."""
        return teams[self.team].route_tag

    def tags_to_remove(self, present: Collection[str]) -> tuple[str, ...]:
        """The other route tags among those that a ticket has."""
        return tuple(sorted(ROUTE_TAGS.intersection(present) - {self.route_tag}))
