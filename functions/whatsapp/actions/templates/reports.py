"""Shows the provider's reports about templates: quality, pauses and numbers. Nothing is derived from our own counts."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Day, Input, Language, TemplateName, WabaId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates import accounts, views
from whatsapp.actions.templates.accounts import GraphTemplates, Templates
from whatsapp.actions.templates.authoring import editing
from whatsapp.actions.templates.naming import TemplateId
from whatsapp.actions.templates.provider_objects import TemplateChange, TemplatePoint
from whatsapp.actions.templates.views import TemplateView
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View
from whatsapp.store.items.accounts.templates import TemplateMeta
from whatsapp.store.items.analytics.counts import Analytics

MARKETING = Group("marketing_templates")
META = Group("templates_meta")
MOST_DAYS, DEFAULT_DAYS, MOST_TEMPLATES = 90, 30, 10
EVENT_DAYS = 30
_EVENT_PAGES = 10  # of 100 events of all companies, for each field
_METRICS = "sent,delivered,read,clicked"
PACING_FIELDS = (
    "message_template_status_update",
    "message_template_quality_update",
    "template_category_update",
)
QUALITY_FIELDS = ("message_template_quality_update",)


class TemplateAnalytics(Input):
    """
    Up to ten templates, by `templateName` (all its languages) or `templateIds`; days in UTC, at most 90 days back.

    The last 30 days by default.
    """

    meta_waba_id: WabaId
    template_name: TemplateName | None = None
    template_ids: Annotated[list[TemplateId], Field(min_length=1, max_length=10)] | None = None
    start_date: Day | None = None
    end_date: Day | None = None
    granularity: Literal["DAILY"] = "DAILY"

    @model_validator(mode="after")
    def _names_templates(self) -> Self:
        if (self.template_name is None) == (self.template_ids is None):
            raise PydanticCustomError(
                "templates", "must have exactly one of templateName, templateIds"
            )
        return self


class OneTemplate(Input):
    """A translation; `language` is en_US by default."""

    meta_waba_id: WabaId
    template_name: TemplateName
    language: Language = "en_US"


class OneMetaTemplate(Input):
    """A translation; `language` is en_US by default."""

    meta_waba_id: WabaId
    name: TemplateName
    language: Language = "en_US"


class OwnDay(View):
    """The number of messages with the templates on a day in our own records, by name."""

    date: str
    sent: dict[str, int]


class AnalyticsView(View):
    """*data_points* are the provider's; *own* are our counts of the same days."""

    start_date: str
    end_date: str
    data_points: list[TemplatePoint]
    own: list[OwnDay]


class TemplateEvent(View):
    """A webhook about the template, with the provider's values."""

    field: str
    received_at: str
    occurred_at: str | None
    values: TemplateChange


class PacingView(View):
    """
    The template as the provider describes it now, with its webhooks of the last 30 days, newest first.

    *quality_at*: the provider's time of the quality score (seconds since 1970), if it gives one.
    """

    template: TemplateView
    quality_at: int | None = None
    events: list[TemplateEvent]


@MARKETING.reads("remote_graph", Scope.WHATSAPP_ANALYTICS)
def get_template_analytics(call: Call[TemplateAnalytics]) -> AnalyticsView:
    """
    Show the provider's numbers of messages sent, delivered, read and clicked, by template and day.

    The account must have confirmed template insights; otherwise the provider refuses. Our own counts of the same days
    are beside them.
    """
    given = call.input
    first, last = _days(given)
    account = accounts.on_graph(call, given.meta_waba_id)
    names, ids = _templates(account, given)
    answer = remote.GraphAccount(call.resources, account.token).get(
        given.meta_waba_id,
        "template_analytics",
        start=str(_seconds(first)),
        end=str(_seconds(last)),
        granularity=given.granularity.lower(),
        metric_types=_METRICS,
        template_ids=json.dumps(ids, separators=(",", ":")),
    )
    points = [
        TemplatePoint.model_validate(point)
        for part in answer.get("data", [])
        for point in part.get("data_points", [])
    ]
    return AnalyticsView(
        start_date=first.isoformat(),
        end_date=last.isoformat(),
        data_points=points,
        own=_own(call, names, first, last),
    )


@MARKETING.reads("remote_graph", Scope.WHATSAPP_TEMPLATES)
def get_template_pacing(call: Call[OneTemplate]) -> PacingView:
    """Show the provider's present status, quality, pauses and rejection reason, and the webhooks about them."""
    given = call.input
    account = accounts.of_waba(call, given.meta_waba_id)
    return _state(call, account, given.template_name, given.language, PACING_FIELDS)


@META.reads("remote_graph", Scope.WHATSAPP_TEMPLATES)
def get_template_quality(call: Call[OneMetaTemplate]) -> PacingView:
    """Show the provider's quality score with its date, and its changes. Nothing is guessed from counts."""
    given = call.input
    account = accounts.on_graph(call, given.meta_waba_id)
    return _state(call, account, given.name, given.language, QUALITY_FIELDS)


def _state(
    call: Call[Any], account: Templates, name: str, language: str, fields: tuple[str, ...]
) -> PacingView:
    """Read a template from the provider, cache it, and return it with its events. Raises NotFound."""
    listed = editing.found(account, name, language)
    accounts.remember(account, listed)
    score = listed.get("quality_score")
    at = score.get("date") if isinstance(score, dict) else None
    events = [event for field in fields for event in _events(call, account, field, name, language)]
    return PacingView(
        template=views.of_listed(listed, has_components=False),
        quality_at=at if isinstance(at, int) else None,
        events=sorted(events, key=lambda event: event.received_at, reverse=True),
    )


def _events(
    call: Call[Any], account: Templates, field: str, name: str, language: str
) -> Iterator[TemplateEvent]:
    """Yield the webhooks of the last 30 days about a translation."""
    since = clock.to_text(clock.now_ms() - EVENT_DAYS * clock.DAY_SECONDS * clock.SECOND_MS)
    found = store.events.of_company(
        call.table, field, call.company, since=since, pages=_EVENT_PAGES
    )
    for event in found:
        payload = event.payload or {}
        about = (payload.get("message_template_name"), payload.get("message_template_language"))
        if event.waba_meta_id == account.phone.waba_meta_id and about == (name, language):
            prefix = "message_template_"
            values = {k: v for k, v in payload.items() if not k.startswith(prefix)}
            yield TemplateEvent(
                field=field,
                received_at=event.received_at,
                occurred_at=event.occurred_at,
                values=TemplateChange.model_validate(values),
            )


def _days(given: TemplateAnalytics) -> tuple[date, date]:
    """Return the first and the last day. Raises InvalidInput."""
    today = datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC).date()
    last = given.end_date or today
    first = given.start_date or last - timedelta(days=DEFAULT_DAYS)
    if not first <= last <= today:
        raise _invalid("endDate", "must not be before startDate or in the future")
    if today - first > timedelta(days=MOST_DAYS):
        raise _invalid("startDate", f"must be at most {MOST_DAYS} days back")
    return first, last


def _templates(account: GraphTemplates, given: TemplateAnalytics) -> tuple[set[str], list[str]]:
    """Return the names and the ids of the templates, from the cache. Raises NotFound and InvalidInput."""
    table, phone = account.resources.table, account.phone
    if given.template_name is not None:
        key = TemplateMeta.key(phone.waba_meta_id, given.template_name)
        item = store.account_reports.get_template(table, TemplateMeta, key)
        languages: Mapping[str, Any] = item.languages if item else {}
        ids = sorted(str(entry["id"]) for entry in languages.values() if entry.get("id"))
        if item is None or item.company != phone.company or not ids:
            raise NotFound("templateName: not in the cache; synchronise the account's templates")
        if len(ids) > MOST_TEMPLATES:
            problem = f"has more than {MOST_TEMPLATES} languages; give templateIds"
            raise _invalid("templateName", problem)
        return {given.template_name}, ids
    wanted = given.template_ids or []
    cached = store.cached_templates.every_of_meta_account(table, phone.waba_meta_id)
    names = {one.template_name for one in cached if one.template_id in wanted}
    return names, wanted


def _own(call: Call[TemplateAnalytics], names: set[str], first: date, last: date) -> list[OwnDay]:
    """Return our own counts of the days that have any."""
    waba = call.input.meta_waba_id
    dates = [first + timedelta(days=day) for day in range((last - first).days + 1)]
    counted = store.counts.days(call.table, [Analytics.key(waba, day.isoformat()) for day in dates])
    return [
        OwnDay(
            date=day.date,
            sent={name: count for name, count in day.templates_used.items() if name in names},
        )
        for day in sorted(counted, key=lambda day: day.date)
        if day.company == call.company
    ]


def _seconds(day: date) -> int:
    """Return the start of a day in UTC. Not confirmed by our own traffic: that the provider includes the last day."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
