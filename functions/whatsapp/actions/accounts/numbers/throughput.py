"""Shows and sets the sending rate of a number: the provider's level, our pace, and recent counts."""

from typing import Annotated, Literal, Self

from pydantic import Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.aws.tables.rate_limits.limit import Rate
from shared.identity.keyed_hashes import keyed_hash
from shared.policy.limits import WHATSAPP_PAIR
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.accounts.numbers import reports
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Flag, PhoneOrUserId, SenderInput, Whole
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending import gate
from whatsapp.sending.views import View
from whatsapp.store.accounts.numbers import phone_settings, recent_messages
from whatsapp.store.items import Phone, pk
from whatsapp.store.items.analytics.counts import Analytics, Hour
from whatsapp.store.items.sending.rates import SendRate

THROUGHPUT = Group("throughput")
_TIERS = {"STANDARD": 80, "HIGH": 250, "HIGHER": 500, "HIGHEST": 1_000}
# Messages a second that the provider's level permits (Meta, "Throughput").
_LEVELS = {"STANDARD": 80, "HIGH": 1_000}
# Codes of failed messages that were sent too fast.
_RATE_ERRORS = frozenset({"80007", "130429", "131056"})
_MINUTE_MS = 60 * clock.SECOND_MS


class RefreshInput(SenderInput):
    """*refresh*: ask the provider; else the stored values are shown."""

    refresh: Flag = True


class Limits(View):
    """
    *provider_tier* and *messaging_limit* are the provider's values; *messages_per_second* is our pace, and
    *largest_messages_per_second* the provider's limit.
    """

    phone_number_id: str
    provider_tier: str | None = None
    messaging_limit: str | None = None
    messages_per_second: int
    largest_messages_per_second: int


class SetTier(SenderInput):
    """Exactly one of the two; a tier stands for 80, 250, 500 or 1,000 messages a second."""

    tier: Literal["STANDARD", "HIGH", "HIGHER", "HIGHEST"] | None = None
    messages_per_second: Annotated[int, Strict(), Field(ge=1, le=1_000)] | None = None

    @model_validator(mode="after")
    def _names_one_pace(self) -> Self:
        if (self.tier is None) == (self.messages_per_second is None):
            raise PydanticCustomError("pace", "must have exactly one of tier, messagesPerSecond")
        return self


class StatsInput(SenderInput):
    """The last minute, the current hour, or the current day (UTC)."""

    period: Literal["minute", "hour", "today"] = "today"


class Stats(View):
    """
    Messages sent from a number. *rate_errors*: messages that the provider refused because of the rate; only for the
    last minute. *counted_at*: hours and days are counted every few minutes.
    """

    phone_number_id: str
    period: Literal["minute", "hour", "today"]
    sent: int
    rate_errors: int | None = None
    counted_at: str | None = None


class RateCheck(SenderInput):
    """A number of messages; with *to*, all to this customer."""

    message_count: Annotated[Whole, Field(ge=1, le=100_000)] = 1
    to: PhoneOrUserId | None = None


class RateAnswer(View):
    """
    Whether the messages fit now; else *free_at* is when the last of them would, and *bound_by* the limit that decides.

    *unique_users_limit* is the portfolio's limit of customers in 24 hours, which only the provider counts.
    """

    fits: bool
    bound_by: Literal["phone_rate", "pair_rate"] | None = None
    free_at: str | None = None
    messages_per_second: int
    unique_users_limit: str | None = None


@THROUGHPUT.reads("remote_graph", Scope.WHATSAPP_READ)
def get_throughput_limits(call: Call[RefreshInput]) -> Limits:
    """Show the provider's throughput level, the portfolio's messaging limit, and our own pace."""
    phone = participants.sender_of(call)
    if call.input.refresh:
        graph = reports.graph_with(call.resources, phone)
        fields = "throughput,whatsapp_business_manager_messaging_limit"
        report = reports.of_graph(graph.get(phone.phone, fields=fields))
        reports.keep(call.resources, phone, report)
        phone = participants.phone_by_id(call, phone.phone)
    return _limits(phone)


@THROUGHPUT.changes("local", Scope.WHATSAPP_ADMIN)
def set_throughput_tier(call: Call[SetTier]) -> Limits:
    """
    Set our own pace for a number, at most the limit of the provider's level.

    The provider raises its level by itself: no call can set it, and `providerTier` shows it unchanged.
    """
    phone = participants.sender_of(call)
    pace = call.input.messages_per_second or _TIERS[str(call.input.tier)]
    largest = _largest(phone)
    if pace > largest:
        raise StateConflict(f"the provider's level permits {largest} messages a second")
    phone_settings.change(call.table, phone, messages_per_second=pace)
    return _limits(participants.phone_by_id(call, phone.phone))


@THROUGHPUT.reads("local", Scope.WHATSAPP_ANALYTICS)
def get_throughput_stats(call: Call[StatsInput]) -> Stats:
    """Show the number of messages that a number sent in the last minute, this hour or today (UTC)."""
    phone, period, now = participants.sender_of(call), call.input.period, clock.now_ms()
    stats = Stats(phone_number_id=phone.phone, period=period, sent=0)
    if period == "minute":
        since = clock.to_text(now - _MINUTE_MS)
        messages = recent_messages.messages(call.table, phone.phone_arn, since)
        codes = [str((message.status_error or {}).get("code")) for message in messages]
        errors = sum(code.removeprefix("graph_") in _RATE_ERRORS for code in codes)
        return stats.model_copy(update={"sent": len(messages), "rate_errors": errors})
    text = clock.to_text(now)
    if period == "hour":
        key = Hour.of(phone.waba_meta_id, text[:13].replace("-", "").replace("T", ""))
        hour = store.counts.hours(call.table, [key]).get(key)
        if hour is None or hour.company != phone.company:
            return stats
        return stats.model_copy(
            update={"sent": hour.phones.get(phone.phone, 0), "counted_at": hour.counted_at}
        )
    for day in store.counts.days(call.table, [Analytics.key(phone.waba_meta_id, text[:10])]):
        if day.company == phone.company:
            sent = day.phones.get(phone.phone, 0)
            stats = stats.model_copy(update={"sent": sent, "counted_at": day.counted_at})
    return stats


@THROUGHPUT.reads("local", Scope.WHATSAPP_READ)
def check_rate_limit(call: Call[RateCheck]) -> RateAnswer:
    """
    Return whether that many messages could be sent now, the time at which they could, and the limit that decides.
    Reserves nothing.

    The portfolio's limit of unique customers is shown but not checked: only the provider knows how much of it is used.
    """
    phone, count = participants.sender_of(call), call.input.message_count
    rate = gate.rate_of(phone)
    free_at = {"phone_rate": _free_at(call, f"phone#{phone.phone}", rate, count)}
    if call.input.to is not None:
        contact, _, _ = participants.contact_of(call, phone, call.input.to, "to")
        pair = keyed_hash("pair", phone.phone, contact)
        free_at["pair_rate"] = _free_at(call, f"pair#{pair}", WHATSAPP_PAIR, count)
    bound_by = max(free_at, key=lambda name: free_at[name])
    is_free = free_at[bound_by] <= clock.now_ms()
    return RateAnswer(
        fits=is_free,
        bound_by=None if is_free else bound_by,
        free_at=None if is_free else clock.to_text(free_at[bound_by]),
        messages_per_second=_pace(phone),
        unique_users_limit=phone.messaging_limit,
    )


def _free_at(call: Call[RateCheck], subject: str, rate: Rate, count: int) -> int:
    """Return when the last of *count* messages would be permitted (ms since 1970); see `rate_limits.gcra`."""
    item = call.table.get(pk(SendRate.key(subject)))
    stored = SendRate.read(item).free_at if item else 0
    return max(stored, clock.now_ms()) + (count - 1) * rate.every_ms - rate.ahead_ms


def _limits(phone: Phone) -> Limits:
    return Limits(
        phone_number_id=phone.phone,
        provider_tier=phone.throughput_level,
        messaging_limit=phone.messaging_limit,
        messages_per_second=_pace(phone),
        largest_messages_per_second=_largest(phone),
    )


def _pace(phone: Phone) -> int:
    return phone.messages_per_second or clock.SECOND_MS // gate.NUMBER.every_ms


def _largest(phone: Phone) -> int:
    return _LEVELS.get(phone.throughput_level or "STANDARD", _LEVELS["STANDARD"])
