"""Shows the provider's analytics of an account, and our counters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from whatsapp.actions.accounts.analytics import counters, fields
from whatsapp.actions.accounts.analytics.periods import MOST_DAYS, Period
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Day, Input, PhoneNumber, WabaId
from whatsapp.actions.calls.provider_objects import MetaReport
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.sending.failures import NotConfigured
from whatsapp.sending.views import View

if TYPE_CHECKING:
    from whatsapp.store.items.analytics.counts import Analytics

ANALYTICS = Group("analytics")
EXTRA = Group("analytics_extra")
# Upper-case names, so that the expression cannot contain anything else.
type Dimension = Annotated[str, Field(pattern=r"^[A-Z][A-Z_]{0,63}$")]


class AnalyticsInput(Input):
    """
    At most 93 days; without dates the last 30. *granularity* is of the provider's numbers, ours are by day. *source*:
    `both` shows the provider's numbers only if the account has access to Graph.
    """

    meta_waba_id: WabaId
    start_date: Day | None = None
    end_date: Day | None = None
    granularity: Literal["DAY", "MONTH", "HALF_HOUR"] = "DAY"
    source: Literal["local", "meta", "both"] = "both"


class AnalyticsDay(View):
    """One day (UTC), as counted at *counted_at*."""

    date: str
    counts: counters.Totals
    templates_used: dict[str, int]
    billable: dict[str, int]
    ad_sources: dict[str, int]
    counted_at: str | None = None


class AnalyticsView(View):
    """
    *totals* and *days* are our counters, *meta* is the provider's answer; each is absent if it was not asked for.
    *note* says why the provider's numbers are missing.
    """

    meta_waba_id: str
    start_date: str
    end_date: str
    totals: counters.Totals | None = None
    days: list[AnalyticsDay] | None = None
    meta: MetaReport | None = None
    note: str | None = None


class ExtraInput(Input):
    """Days within a year. *phone_numbers*: of the account, absent for all; *dimensions*: the provider's names."""

    meta_waba_id: WabaId
    start_date: Day
    end_date: Day
    granularity: Literal["HALF_HOUR", "DAILY", "MONTHLY"] = "DAILY"
    phone_numbers: Annotated[list[PhoneNumber], Field(min_length=1, max_length=50)] = Field(
        default_factory=list
    )
    dimensions: Annotated[list[Dimension], Field(min_length=1, max_length=10)] = Field(
        default_factory=list
    )


class Report(View):
    """*meta* is the provider's answer."""

    meta_waba_id: str
    start_date: str
    end_date: str
    meta: MetaReport


class PricingReport(Report):
    """*billable*: the messages by price category that we counted from the statuses of the provider."""

    billable: dict[str, int]


@ANALYTICS.reads("remote_graph", Scope.WHATSAPP_ANALYTICS)
def get_analytics(call: Call[AnalyticsInput]) -> AnalyticsView:
    """
    Show the daily counters of an account, and the provider's numbers. Reads at most 93 days.

    Days without messages are omitted. With `source` meta the account needs access to Graph, else `not_configured`.
    """
    given = call.input
    participants.account_of(call, given.meta_waba_id)
    period = Period.of(given.start_date, given.end_date)
    view = AnalyticsView(
        meta_waba_id=given.meta_waba_id,
        start_date=period.first.isoformat(),
        end_date=period.last.isoformat(),
    )
    if given.source != "meta":
        found = counters.days(call, [given.meta_waba_id], period)
        view.totals = counters.totals(found)
        view.days = [_day(day) for day in found]
    if given.source != "local":
        try:
            graph = remote.graph_of_account(call, given.meta_waba_id)
        except NotConfigured as fault:
            if given.source == "meta":
                raise
            view.note = str(fault)
            return view
        asked = fields.expression("analytics", period, given.granularity)
        view.meta = _asked(graph, given.meta_waba_id, "analytics", asked)
    return view


@EXTRA.reads("remote_graph", Scope.WHATSAPP_ANALYTICS)
def get_conversation_analytics(call: Call[ExtraInput]) -> Report:
    """Show the provider's analytics of conversations, of at most a year."""
    return _report(call, "conversation_analytics")


@EXTRA.reads("remote_graph", Scope.WHATSAPP_ANALYTICS)
def get_pricing_analytics(call: Call[ExtraInput]) -> PricingReport:
    """
    Show the provider's analytics of prices, beside the billable messages that we counted. Reads at most 93 days.

    Our counts are of the whole account, also if `phoneNumbers` are given.
    """
    report = _report(call, "pricing_analytics", most_days=MOST_DAYS)
    period = Period(call.input.start_date, call.input.end_date)
    found = counters.days(call, [call.input.meta_waba_id], period)
    billable = counters.by_name(day.billable for day in found)
    return PricingReport(**dict(report), billable=billable)


@EXTRA.reads("remote_graph", Scope.WHATSAPP_ANALYTICS)
def get_call_analytics(call: Call[ExtraInput]) -> Report:
    """Show the provider's analytics of calls, of at most a year."""
    return _report(call, "call_analytics")


def _day(day: Analytics) -> AnalyticsDay:
    return AnalyticsDay(
        date=day.date,
        counts=counters.totals([day]),
        templates_used=day.templates_used,
        billable=day.billable,
        ad_sources=day.ad_sources,
        counted_at=day.counted_at,
    )


def _report(call: Call[ExtraInput], field: fields.Field, **limits: int) -> Report:
    given = call.input
    period = Period.at_the_provider(given.start_date, given.end_date, **limits)
    numbers = _numbers(call)
    graph = remote.graph_of_account(call, given.meta_waba_id)
    asked = fields.expression(
        field, period, given.granularity, phone_numbers=numbers, dimensions=given.dimensions
    )
    return Report(
        meta_waba_id=given.meta_waba_id,
        start_date=period.first.isoformat(),
        end_date=period.last.isoformat(),
        meta=_asked(graph, given.meta_waba_id, field, asked),
    )


def _asked(
    graph: remote.GraphAccount, waba: str, field: fields.Field, expression: str
) -> MetaReport:
    """Return the provider's numbers; without any, its answer has only the account's id."""
    answer: dict[str, Any] = graph.get(waba, fields=expression)
    return MetaReport.model_validate(answer.get(field) or {})


def _numbers(call: Call[ExtraInput]) -> list[str]:
    """Return the digits of the given numbers. Raises NotFound for one that is not of the company's account."""
    phones = participants.account_of(call, call.input.meta_waba_id)
    found = []
    for place, text in enumerate(call.input.phone_numbers):
        field = f"phoneNumbers.{place}"
        digits = participants.number_of(text, phones[0], field)
        own = next((phone for phone in phones if phone.has_number(digits)), None)
        if own is None:
            raise NotFound(f"{field}: is not a number of metaWabaId")
        found.append(own.display_phone)
    return found
