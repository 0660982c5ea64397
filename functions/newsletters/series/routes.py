"""Routes of series: made and changed by their owners, read by the company."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final
from zoneinfo import ZoneInfo

from newsletters.api.access import NotFound
from newsletters.api.inputs import NewsletterInput
from newsletters.drafting.retrieval.catalogue import selected_names
from newsletters.issues.api import queries
from newsletters.issues.dependencies import IssueDependencies
from newsletters.series import calendar_dates, inputs, views
from newsletters.store import series as store
from newsletters.store.items import Series, SeriesRule
from newsletters.store.items.item import timestamp
from shared.api.auth import Caller, Forbidden, Scope
from shared.api.errors import InvalidInput
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

_ALL: Final = "/newsletters/series"
_ONE: Final = f"{_ALL}/{{series_id}}"
_WRITE, _ADMIN = Scope.NEWSLETTERS_WRITE, Scope.NEWSLETTERS_ADMIN
_READ = (Scope.NEWSLETTERS_READ, _WRITE, Scope.NEWSLETTERS_REVIEW, Scope.NEWSLETTERS_SEND, _ADMIN)
_ID_DIGITS: Final = 16
_TONES: Final = frozenset({"tone_preset", "tone_professional", "tone_technical"})
_SHOWN: Final = (
    "series_id", "title", "selected_types", "timezone", "enabled", "issue", "created_at", "created_by",
    "updated_at", "updated_by", "version",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SeriesRoutes:
    """The routes over the dependencies of issues."""

    deps: IssueDependencies

    @route_methods.reads(f"GET {_ALL}", *_READ)
    def list_series(self, request: Request[NoInput]) -> views.SeriesList:
        """List the series of the company."""
        found = store.of_company(self.deps.store.table, request.caller.company)
        return views.SeriesList(series=[_view(one) for one in found])

    @route_methods.reads(f"GET {_ONE}", *_READ)
    def get_series(self, request: Request[NoInput], series_id: str) -> views.SeriesView:
        """Return a series with its newest runs."""
        return _view(self._found(request.caller, series_id))

    @route_methods.changes(f"POST {_ALL}", _WRITE, status=HTTPStatus.CREATED)
    def create_series(self, request: Request[inputs.SeriesInput]) -> Callable[[], views.SeriesView]:
        """Draft newsletters on a calendar. Their owner is the caller; nothing is sent without an approval."""
        given, caller = request.input, request.caller
        self._check(caller, given.issue)
        rule = SeriesRule(**given.rule.model_dump())
        issue = _issue(given.issue, {})
        _check_subjects(given.title, issue)
        now, series_id = clock.now_ms(), digest("series", request.cause)[:_ID_DIGITS]
        day, at_ms = _next(rule, given.timezone)
        made = Series(
            **Series.key(caller.company, series_id),
            series_id=series_id,
            company_id=caller.company,
            title=given.title,
            configuration=_configuration(given.newsletter, {}),
            selected_types=_types(given.selected_types),
            rule=rule,
            timezone=given.timezone,
            issue=issue,
            next_date=day.isoformat(),
            next_run=at_ms,
            created_at=timestamp(now),
            created_by=caller.principal,
            updated_at=timestamp(now),
            updated_by=caller.principal,
            cause=request.cause,
        )
        return lambda: _view(store.create(self.deps.store.table, made))

    @route_methods.changes(f"PATCH {_ONE}", _WRITE, _ADMIN)
    def change_series(
        self, request: Request[inputs.SeriesChange], series_id: str
    ) -> Callable[[], views.SeriesView]:
        """Change a series, or stop and begin it by `enabled`. A new rule counts from now on."""
        caller, given = request.caller, request.input
        found = self._own(caller, series_id)
        self._check(caller, given.issue)
        changes = _changes(found, given)
        version = given.version
        return lambda: _view(
            store.change(
                self.deps.store.table, found, version, updated_by=caller.principal, **changes
            )
        )

    @route_methods.changes(f"DELETE {_ONE}", _WRITE, _ADMIN)
    def delete_series(
        self, request: Request[NoInput], series_id: str
    ) -> Callable[[], views.RemovedSeries]:
        """Delete a series. Its newsletters and issues stay."""
        found = self._own(request.caller, series_id)

        def change() -> views.RemovedSeries:
            store.delete(self.deps.store.table, found)
            return views.RemovedSeries(series_id=found.series_id)

        return change

    def _check(self, caller: Caller, issue: inputs.SeriesIssueInput | None) -> None:
        if issue is not None:
            queries.check_audience(self.deps, caller, issue.list_ids, issue.segment_ids)
            queries.check_topics(self.deps, caller, issue.list_ids, issue.topics)
            queries.check_template(self.deps, caller, issue.template_id)

    def _found(self, caller: Caller, series_id: str) -> Series:
        is_id = len(series_id) == _ID_DIGITS and series_id.isalnum()
        found = store.get(self.deps.store.table, caller.company, series_id) if is_id else None
        if found is None:
            raise NotFound("series_id: series not found")
        return found

    def _own(self, caller: Caller, series_id: str) -> Series:
        """Return a series that the caller may change: an own one, or with the scope of administrators each."""
        found = self._found(caller, series_id)
        if found.created_by != caller.principal and _ADMIN not in caller.scopes:
            raise Forbidden("only the owner of a series, or an administrator, may change it")
        return found


def _changes(found: Series, given: inputs.SeriesChange) -> dict[str, Any]:
    """Return the fields that change. Raises InvalidInput."""
    named = given.given().keys() - {"version"}
    missing = [name for name in sorted(named - {"issue"}) if getattr(given, name) is None]
    if missing:
        raise InvalidInput([{"field": one, "problem": "must not be null"} for one in missing])
    changes: dict[str, Any] = {
        name: getattr(given, name) for name in ("title", "timezone", "enabled") if name in named
    }
    if given.newsletter is not None:
        changes["configuration"] = _configuration(given.newsletter, found.configuration)
    if given.selected_types is not None:
        changes["selected_types"] = _types(given.selected_types)
    if "issue" in named:
        changes["issue"] = _issue(given.issue, found.issue or {})
    if given.rule is not None:
        is_same_unit = given.rule.unit == found.rule.unit
        kept: dict[str, Any] = found.rule.model_dump() if is_same_unit else {}
        of_rule = given.rule.model_dump(exclude_unset=is_same_unit)
        changes["rule"] = SeriesRule(**{**kept, **of_rule})
    changed = found.model_copy(update=changes)
    if named & {"title", "issue"}:
        _check_subjects(changed.title, changed.issue)
    is_begun = changed.enabled and not found.enabled
    if is_begun or (changed.rule, changed.timezone) != (found.rule, found.timezone):
        day, at_ms = _next(changed.rule, changed.timezone)
        changes |= {"next_date": day.isoformat(), "next_run": at_ms}
    return changes


def _next(rule: SeriesRule, timezone: str) -> tuple[date, int]:
    """Return the first run after now."""
    now = clock.now_ms()
    today = (
        datetime.fromtimestamp(now // clock.SECOND_MS, UTC).astimezone(ZoneInfo(timezone)).date()
    )
    day = calendar_dates.first_from(rule, today)
    if calendar_dates.moment(day, rule, timezone) <= now:
        day = calendar_dates.first_from(rule, today + timedelta(days=1))
    return day, calendar_dates.moment(day, rule, timezone)


def _configuration(given: NewsletterInput, present: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a newsletter, with the present ones of absent fields. Raises InvalidInput."""
    named = given.model_dump(include=given.model_fields_set - {"title"})
    replaced = _TONES if _TONES & named.keys() else frozenset[str]()
    kept = {name: value for name, value in present.items() if name not in replaced}
    values = {name: value for name, value in {**kept, **named}.items() if value is not None}
    if not values.get("target_audience"):
        problem = "must name an audience, without which no topics are found"
        raise InvalidInput([{"field": "newsletter.target_audience", "problem": problem}])
    return values


def _issue(given: inputs.SeriesIssueInput | None, present: dict[str, Any]) -> dict[str, Any] | None:
    """Return the fields of an issue, with the present ones of absent fields; None for none."""
    if given is None:
        return None
    named = given.model_dump(exclude_unset=bool(present))
    return {name: one for name, one in {**present, **named}.items() if one is not None}


def _check_subjects(title: str, issue: dict[str, Any] | None) -> None:
    """Raise InvalidInput unless the subjects of a test differ from each other, and from that of every run."""
    from newsletters.series import titles  # noqa: PLC0415 - of few calls

    more: list[str] = ((issue or {}).get("subject_test") or {}).get("subjects", [])
    own = (issue or {}).get("subject")
    problem = (
        "must differ from the others, and from the subject of the issue, or of each newsletter"
    )
    repeated = [
        at
        for at, one in enumerate(more)
        if one in more[:at] or (titles.may_be_of_run(title, one) if own is None else one == own)
    ]
    if repeated:
        field = "issue.subject_test.subjects"
        raise InvalidInput([{"field": f"{field}.{at}", "problem": problem} for at in repeated])


def _types(words: Sequence[str]) -> list[str]:
    names = selected_names(words, [])
    problems = [
        {"field": f"selected_types.{at}", "problem": "is not a type, or twice in the list"}
        for at, name in enumerate(names)
        if not name or name in names[:at]
    ]
    if problems:
        raise InvalidInput(problems)
    return names


def _view(found: Series) -> views.SeriesView:
    runs = [*reversed(found.runs)]
    if found.run is not None:
        runs = [found.run, *runs]
    fields = views.RunView.model_fields
    return views.SeriesView(
        **{name: getattr(found, name) for name in _SHOWN},
        newsletter=found.configuration,
        rule=views.RuleView(
            **{name: getattr(found.rule, name) for name in views.RuleView.model_fields}
        ),
        next_run=timestamp(found.next_run) if found.enabled else None,
        runs=[views.RunView(**{name: getattr(one, name) for name in fields}) for one in runs],
    )
