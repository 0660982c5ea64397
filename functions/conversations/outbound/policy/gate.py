"""Builds the policy request for a message and maps each refusal to a conversation status."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import time
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from conversations.configuration.projects import ProjectStatus
from conversations.lifecycle.conversation import addresses_of
from conversations.lifecycle.status import Status
from conversations.outbound.results import End
from conversations.store.items import identifiers
from conversations.store.items.base import key
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.records import Rate
from conversations.store.items.turn import TurnKind
from shared.aws.tables.rate_limits.frequency_cap import Caps
from shared.aws.tables.rate_limits.gcra import Pace
from shared.aws.tables.rate_limits.limit import Limit
from shared.identity.addresses import normal_form
from shared.identity.keyed_hashes import keyed_hash
from shared.policy.consent import unreachable
from shared.policy.consent.records import Consents
from shared.policy.decision import decide
from shared.policy.facts import (
    Allowed,
    Author,
    Facts,
    Kind,
    Later,
    Reason,
    Refused,
    Switches,
    TemplateOnly,
)
from shared.policy.limits import WHATSAPP_PAIR, FrequencyLimits
from shared.policy.quiet_hours import QuietHours
from shared.policy.zones import zones_of
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.configuration.projects import Policy
    from conversations.lifecycle.conversation import OpenConversation
    from shared.aws.dynamodb import Attributes, Table
    from shared.policy.facts import Decision
    from shared.policy.kill_switches import KillSwitches

HOUR_SECONDS = 3_600
WEEK_SECONDS = 7 * clock.DAY_SECONDS
_ASKED = (Limit(1, 30 * clock.DAY_SECONDS),)  # how satisfied a person is
# Reasons that pass with time and need no agent.
_WAITS = frozenset({Reason.QUIET_HOURS, Reason.RATE_LIMITED, Reason.FREQUENCY_CAP})
_KINDS = {
    TurnKind.INITIAL: (Kind.FIRST, Author.AI),
    TurnKind.REPLY: (Kind.ANSWER, Author.AI),
    TurnKind.REENGAGEMENT: (Kind.REENGAGEMENT, Author.RULE),
    TurnKind.HUMAN: (Kind.ANSWER, Author.PERSON),
    # Automatic: without automation there are none.
    TurnKind.FOLLOW_UP: (Kind.REENGAGEMENT, Author.AI),
    # Without automation none, either; one to a customer who has written needs no consent.
    TurnKind.SATISFACTION: (Kind.ANSWER, Author.AI),
    TurnKind.NOTICE: (Kind.ANSWER, Author.RULE),
    TurnKind.OPT_OUT_CONFIRMATION: (Kind.OPT_OUT_CONFIRMATION, Author.RULE),
}
_STATUS_OF_FIRST = {
    Reason.AUTOMATION_OFF: Status.HANDOFF_PENDING,
    Reason.ADDRESS_UNUSABLE: Status.FAILED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SendRequest:
    """
    A message to be sent. With *takes* it is counted against the limits; without, they are only checked.

    *is_notice*: a fixed text in addition to the dialogue, not a reply.
    """

    kind: Kind
    author: Author
    action_id: str
    is_template: bool = False
    takes: bool = False
    is_notice: bool = False


@dataclass(kw_only=True, eq=False)
class PolicyGate:
    """Consent records and rate counters of the send policy, in the log table, and the kill switches."""

    log: Table
    switches: KillSwitches
    consents: Consents = field(init=False)
    caps: Caps = field(init=False)
    pace: Pace = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "consents", Consents(self.log))
        object.__setattr__(self, "caps", Caps(self.log, _cap_key))
        object.__setattr__(self, "pace", Pace(self.log, _pace_key))

    def decide(self, opened: OpenConversation, request: SendRequest) -> Decision:
        """Decide whether a message may be sent now. Each counter counts an action at most once."""
        conversation, company, now = opened.conversation, opened.company, clock.now_ms()
        channel = conversation.channel_method
        standing = self.consents.standing(company.company_id, addresses_of(opened), channel)
        unreachable_record = unreachable.of_address(
            self.log, company.company_id, opened.customer, channel
        )
        closed = self.switches.in_force()
        facts = Facts(
            kind=request.kind,
            author=request.author,
            channel=channel.value,
            now=now,
            requested_at=_ms(max(opened.state.asked_at or "", opened.state.send_at or "")) or now,
            switches=Switches(
                safe_mode=closed.safe_mode,
                automation=closed.automation and company.automation_enabled,
                project_is_active=company.project_status is ProjectStatus.ACTIVE,
                channel_is_allowed=channel in company.allowed_channels,
                begins_conversations=company.policy.permits_initiated,
            ),
            is_opted_out=standing.is_opted_out,
            has_consent=conversation.comms_consent or standing.is_opted_in,
            is_unreachable=unreachable_record is not None,
            last_inbound_at=_ms(opened.state.last_inbound_at),
            is_template=request.is_template,
            quiet_hours=_quiet_hours(company.policy),
            zones=() if channel is ChannelMethod.EMAIL else zones_of(opened.customer),
            project_zone=ZoneInfo(company.timezone),
        )
        decision = decide(facts)
        if not isinstance(decision, Allowed):
            return decision
        return decide(self._with_counters(facts, opened, request))

    def may_ask(self, opened: OpenConversation, action_id: str) -> bool:
        """
        Take the right to ask a person how satisfied they are: once in 30 days, under each of their addresses.

        Idempotent for an action. Raises Transient.
        """
        company = opened.company.company_id
        subjects = sorted(
            keyed_hash("asked", company, normal_form(one)) for one in addresses_of(opened)
        )
        if any(self.caps.look(one, action_id, _ASKED) is not None for one in subjects):
            return False
        return all(self.caps.take(one, action_id, _ASKED) is None for one in subjects)

    def _with_counters(self, facts: Facts, opened: OpenConversation, request: SendRequest) -> Facts:
        """Return the facts with the counters' values; evaluated last, so that refused messages are not counted."""
        limits = _limits(opened.company.policy).of(request.kind, request.author, facts.channel)
        free_at = None
        if limits:
            subject = _subject(opened, request.kind)
            ask = self.caps.take if request.takes else self.caps.look
            free_at = ask(subject, request.action_id, limits)
        rate_at = None
        if facts.channel == "whatsapp" and free_at is None:
            customer = normal_form(opened.customer)
            pair = keyed_hash("pair", opened.state.business_address, customer)
            ask_pace = self.pace.take if request.takes else self.pace.look
            rate_at = ask_pace(pair, WHATSAPP_PAIR)
        return Facts(
            **{
                name: getattr(facts, name)
                for name in Facts.__dataclass_fields__
                if name not in {"cap_free_at", "rate_free_at"}
            },
            cap_free_at=free_at,
            rate_free_at=rate_at,
        )

    def refusal(self, opened: OpenConversation, request: SendRequest) -> End | None:
        """Return the end of the turn of a refused message; None if it may be sent."""
        decision = self.decide(opened, request)
        if isinstance(decision, Allowed):
            return None
        return end_of(decision, request)


def send_request_of(
    opened: OpenConversation,
    turn_kind: TurnKind,
    turn_id: str,
    *,
    is_template: bool = False,
    takes: bool = False,
) -> SendRequest:
    """Build the policy request for the message of a turn."""
    kind, author = _KINDS[turn_kind]
    is_begun = opened.conversation.task_complete or opened.state.last_inbound_at is not None
    if turn_kind is TurnKind.HUMAN and not is_begun:
        kind = (
            Kind.FIRST
        )  # No first message was sent and the customer wrote nothing: this message starts it.
    return SendRequest(
        kind=kind,
        author=author,
        action_id=identifiers.action_id(opened.ref, turn_id),
        is_template=is_template,
        takes=takes,
        is_notice=turn_kind.is_notice,
    )


def end_of(decision: Refused | Later | TemplateOnly, request: SendRequest) -> End:
    """
    Map a refusal to the end of its turn.

    A first message is deferred, or blocked until an operator removes the cause; it fails if its channel does not reach
    the address, and waits for an agent if automation is off. A refused reply is handed to an agent; for quiet hours or
    limits it is deferred, and after an opt-out the conversation ends. Messages of agents and notices only record the
    refusal: they need no reply in their place, least of all after the conversation has ended.
    """
    reason = decision.reason
    due_at = decision.at if isinstance(decision, Later) else None
    if request.author is Author.PERSON or request.is_notice:
        return End(reason=reason)
    if request.kind is Kind.FIRST:
        status = _STATUS_OF_FIRST.get(reason) or (Status.DEFERRED if due_at else Status.BLOCKED)
        return End(reason=reason, status=status, due_at_ms=due_at)
    if reason is Reason.OPTED_OUT:
        return End(reason=reason, status=Status.OPTED_OUT)
    if due_at is not None and reason in _WAITS:
        return End(reason=reason, due_at_ms=due_at)
    return End(reason=reason, status=Status.HANDOFF_PENDING)


def _limits(rules: Policy) -> FrequencyLimits:
    usual = FrequencyLimits()
    begun = (
        # Zero is decided before the counters, which permit at least one.
        Limit(max(1, rules.initiated_per_day), clock.DAY_SECONDS),
        Limit(max(1, rules.initiated_per_week), WEEK_SECONDS),
    )
    if rules.answers_per_hour is None and rules.answers_per_day is None:
        return FrequencyLimits(begun_by_us=begun)
    answers = {
        channel: (
            Limit(rules.answers_per_hour or hour.most, HOUR_SECONDS),
            Limit(rules.answers_per_day or day.most, clock.DAY_SECONDS),
        )
        for channel, (hour, day) in usual.ai_answers.items()
    }
    return FrequencyLimits(begun_by_us=begun, ai_answers=answers)


def _quiet_hours(rules: Policy) -> QuietHours | None:
    if rules.quiet_hours is None:
        return None
    start, end = (time.fromisoformat(text) for text in rules.quiet_hours)
    return None if start == end else QuietHours(start, end)


def _subject(opened: OpenConversation, kind: Kind) -> str:
    if kind in {Kind.FIRST, Kind.REENGAGEMENT}:
        return keyed_hash("person", opened.company.company_id, normal_form(opened.customer))
    return opened.ref


def _cap_key(subject: str) -> Attributes:
    return key(Rate.partition("cap", subject))


def _pace_key(subject: str) -> Attributes:
    return key(Rate.partition("pace", subject))


def _ms(text: str | None) -> int | None:
    return clock.from_text(text) if text else None
