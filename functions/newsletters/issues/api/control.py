"""Changes of issues by people: made, changed, approved, scheduled, sent, paused, resumed and cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from newsletters.api.access import NotFound, readable
from newsletters.issues import checklist, content
from newsletters.issues.api import variants
from newsletters.issues.checklist import ChecklistFailed, Findings
from newsletters.issues.delivery import subject_tests
from newsletters.issues.local_times import EARLIEST_ZONE, moment_of
from newsletters.store import companies, issues
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.content.step_inputs import content_hash
from newsletters.store.items import Issue, IssueState
from newsletters.store.items.issues import is_issue_id
from newsletters.store.items.item import timestamp
from newsletters.store.readers import recipients
from shared.api.auth import Forbidden
from shared.api.errors import InvalidInput
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.issues.api import inputs
    from newsletters.issues.dependencies import IssueDependencies
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request

SOONEST_MS: Final = 60 * clock.SECOND_MS
LATITUDE_MS: Final = 15 * 60 * clock.SECOND_MS  # a run of the schedule may begin five minutes late
_DRAFT, _APPROVED, _SCHEDULED = IssueState.DRAFT, IssueState.APPROVED, IssueState.SCHEDULED
_MISSED, _SENDING, _PAUSED = IssueState.MISSED, IssueState.SENDING, IssueState.PAUSED
_NO_TIME: Final[dict[str, Any]] = {
    "scheduled_for": None,
    "timezone": None,
    "local": None,
    "in_reader_zone": False,
    "not_after": None,
}


class WrongState(Exception):
    """The issue is in a state in which this is not possible."""


def found(deps: IssueDependencies, caller: Caller, issue_id: str) -> Issue:
    """Return an issue of the caller's company. Raises NotFound."""
    issue = issues.get(deps.store.table, issue_id) if is_issue_id(issue_id) else None
    if issue is None or issue.company_id != caller.company:
        raise NotFound("issue_id: issue not found")
    return issue


def create(deps: IssueDependencies, request: Request[inputs.IssueInput]) -> Issue:
    """Make an issue of a newsletter that the caller may read. Safe to repeat. Raises NotFound."""
    given, caller = request.input, request.caller
    newsletter = readable(deps.store, caller, given.newsletter_code)
    now = clock.now_ms()
    issue_id = issues.new_id(request.cause, now)
    fields = given.model_dump(exclude={"newsletter_code"})
    made = Issue(
        **Issue.key(issue_id),
        **fields,
        issue_id=issue_id,
        company_id=caller.company,
        newsletter_code=newsletter.code,
        language=newsletter.metadata.language,
        created_at=timestamp(now),
        created_by=caller.principal,
        updated_at=timestamp(now),
        cause=request.cause,
    )
    variants.check(deps, caller, made)
    return issues.create(deps.store.table, made)


def configure(
    deps: IssueDependencies, caller: Caller, issue: Issue, given: inputs.IssueChange
) -> Issue:
    """Change an issue before its approval. Raises StaleVersion, WrongState and InvalidInput."""
    fields = {name: value for name, value in given.given().items() if name != "version"}
    optional = {"reply_to", "consent_statement", "template_id", "subject_test"}
    if missing := [
        name for name, value in fields.items() if value is None and name not in optional
    ]:
        raise InvalidInput([{"field": name, "problem": "must not be null"} for name in missing])
    if given.subject_test is not None:
        fields["subject_test"] = variants.with_kept_texts(issue, given.subject_test)
    changed = issue.model_copy(update=fields)
    if not changed.audiences:
        raise InvalidInput([{"field": "list_ids", "problem": "an issue needs a list or a segment"}])
    if changed.consent == "attested" and not changed.consent_statement:
        raise InvalidInput(
            [{"field": "consent_statement", "problem": "attested consent needs one"}]
        )
    variants.check(deps, caller, changed, has_new_texts=given.subject_test is not None)
    return _changed(deps, issue, given.version, [_DRAFT], **fields)


def remove(deps: IssueDependencies, issue: Issue) -> None:
    """Delete an issue that is not approved. Raises StaleVersion and WrongState."""
    _require(issue, _DRAFT)
    issues.delete(deps.store.table, issue)


def checked(deps: IssueDependencies, issue: Issue, *, acknowledged: bool = False) -> Findings:
    """Return the findings of the checklist."""
    return checklist.of_issue(
        deps, issue, checklist.newsletter_of(deps, issue), acknowledged=acknowledged
    )


def approve(
    deps: IssueDependencies, issue: Issue, caller: Caller, given: inputs.IssueApproval
) -> Issue:
    """
    Seal the content of an issue that the checklist has shown. Raises ChecklistFailed, WrongState, StaleVersion if issue
    or content have changed since, and Forbidden if the company wants a second person to approve.
    """
    _require(issue, _DRAFT)
    settings = companies.get_settings(deps.store.table, issue.company_id)
    if settings is not None and settings.four_eyes and caller.principal == issue.created_by:
        raise Forbidden("the author of an issue may not approve it")
    newsletter = checklist.newsletter_of(deps, issue)
    findings = checklist.of_issue(deps, issue, newsletter, acknowledged=given.acknowledge_warnings)
    draft = newsletter.draft if newsletter is not None else None
    if findings.blocking or findings.parts is None or newsletter is None or draft is None:
        raise ChecklistFailed(findings)
    if content.id_of(findings.parts, findings.variants) != given.content_id:
        raise StaleVersion("content_id: the text or its look has changed; read the checklist again")
    return _changed(
        deps,
        issue,
        given.version,
        [_DRAFT],
        state=_APPROVED,
        **content.sealed_fields(deps.store, issue, findings.parts, findings.variants),
        content_hash=content_hash(newsletter.metadata, draft),
        tracks_clicks=settings is not None and settings.track_clicks,
        approved_at=timestamp(clock.now_ms()),
        approved_by=caller.principal,
    )


def schedule(deps: IssueDependencies, issue: Issue, given: inputs.IssueSchedule) -> Issue:
    """Send an approved issue at a time. Raises ChecklistFailed, StaleVersion, WrongState and InvalidInput."""
    _require(issue, _APPROVED, _SCHEDULED, _MISSED)
    at_ms, not_after = _times_of(given)
    if given.in_reader_zone and issue.subject_test is not None:
        problem = "not with a subject test, whose sample gets its mails at one time"
        raise InvalidInput([{"field": "in_reader_zone", "problem": problem}])
    _require_checked(deps, issue)
    return _changed(
        deps,
        issue,
        given.version,
        [_APPROVED, _SCHEDULED, _MISSED],
        state=_SCHEDULED,
        scheduled_for=at_ms,
        timezone=given.timezone,
        local=given.local,
        in_reader_zone=given.in_reader_zone,
        not_after=not_after,
        due_ms=at_ms,
    )


def unschedule(deps: IssueDependencies, issue: Issue, version: int) -> Issue:
    """Take back the time of an issue. Raises StaleVersion and WrongState."""
    _require(issue, _SCHEDULED)
    return _changed(deps, issue, version, [_SCHEDULED], state=_APPROVED, **_NO_TIME)


def send(deps: IssueDependencies, issue: Issue, version: int) -> Issue:
    """Begin to send an approved issue. Raises ChecklistFailed, StaleVersion, WrongState and NotEnqueued."""
    _require(issue, _APPROVED, _SCHEDULED, _MISSED)
    _require_checked(deps, issue)
    return _begun(
        deps,
        issue,
        version,
        [_APPROVED, _SCHEDULED, _MISSED],
        **_NO_TIME,
        started_at=timestamp(clock.now_ms()),
    )


def choose_winner(deps: IssueDependencies, issue: Issue, given: inputs.WinnerInput) -> Issue:
    """
    Send a variant to all who are not in the sample. Raises StaleVersion, WrongState, NotEnqueued and
    InvalidInput.
    """
    _require(issue, _SENDING, _PAUSED)
    is_paused = issue.state is _PAUSED and issue.pause_reason not in subject_tests.PAUSES
    if is_paused or issue.decide_at is None or not subject_tests.is_open(issue):
        raise WrongState("state: the issue waits for no choice of a subject")
    if given.variant not in issue.subjects:
        raise InvalidInput([{"field": "variant", "problem": "must be a variant of the issue"}])
    chosen: dict[str, Any] = {"winner": given.variant, "pause_reason": None}
    return _begun(deps, issue, given.version, [_SENDING, _PAUSED], **chosen)


def resend_unknown(deps: IssueDependencies, issue: Issue, version: int) -> Issue:
    """
    Send the unknown mails of a sent issue again: a reader who got the first one gets it twice. Raises StaleVersion,
    WrongState and NotEnqueued.
    """
    _require(issue, IssueState.SENT)
    if not recipients.stats(deps.store.table, issue.issue_id).unknown:
        raise WrongState("state: no mail of the issue is unknown")
    place: dict[str, Any] = {"phase": "again", "shard": 0, "after_recipient": None}
    return _begun(deps, issue, version, [IssueState.SENT], ended_at=None, **place)


def pause(deps: IssueDependencies, issue: Issue) -> Issue:
    """Pause an issue that is being sent; the batch of a worker is still sent. Raises WrongState."""
    _require(issue, _SENDING)
    paused = issues.pause(deps.store.table, issue, "person")
    if paused is None:
        raise WrongState("state: the issue is not being sent any more")
    return paused


def resume(deps: IssueDependencies, issue: Issue) -> Issue:
    """Go on with a paused issue, exactly behind its last recipient. Raises StaleVersion, WrongState and NotEnqueued."""
    _require(issue, _PAUSED)
    return _begun(deps, issue, issue.version, [_PAUSED], pause_reason=None)


def cancel(deps: IssueDependencies, issue: Issue) -> Issue:
    """End an issue that is not sent: nothing more is sent. Raises StaleVersion and WrongState."""
    states = [_DRAFT, _APPROVED, _SCHEDULED, _MISSED, _SENDING, _PAUSED]
    _require(issue, *states)
    ended = timestamp(clock.now_ms())
    return _changed(deps, issue, issue.version, states, state=IssueState.CANCELLED, ended_at=ended)


def _times_of(given: inputs.IssueSchedule) -> tuple[int, int | None]:
    """Return when an issue begins, and when it is too late (ms since 1970). Raises InvalidInput."""
    zone = EARLIEST_ZONE if given.in_reader_zone else given.timezone
    at_ms = moment_of(given.local, zone)
    if at_ms < clock.now_ms() + SOONEST_MS:
        where = f", also in {EARLIEST_ZONE}" if given.in_reader_zone else ""
        problem = f"must be at least a minute ahead{where}"
        raise InvalidInput([{"field": "local", "problem": problem}])
    if given.not_after is None:
        return at_ms, None
    not_after = moment_of(given.not_after, given.timezone)
    if not_after < at_ms + LATITUDE_MS:
        problem = "must be at least 15 minutes after the issue begins"
        raise InvalidInput([{"field": "not_after", "problem": problem}])
    return at_ms, not_after


def _begun(
    deps: IssueDependencies,
    issue: Issue,
    version: int,
    states: list[IssueState],
    **changes: Any,  # noqa: ANN401 - fields of the issue
) -> Issue:
    """Move an issue to its next turn and queue that; a lost message is found by the schedule."""
    from newsletters.issues.delivery import turns  # noqa: PLC0415 - with all modules of the worker

    begun = _changed(
        deps,
        issue,
        version,
        states,
        state=_SENDING,
        turn=issue.turn + 1,
        due_ms=clock.now_ms() + issues.LOOK_AFTER_MS,
        **changes,
    )
    turns.start(deps.resources, begun)
    return begun


def _changed(
    deps: IssueDependencies,
    issue: Issue,
    version: int,
    states: list[IssueState],
    **changes: Any,  # noqa: ANN401 - fields of the issue
) -> Issue:
    _require(issue, *states)
    if issue.version != version:
        raise StaleVersion(f"version: the issue has version {issue.version}")
    return issues.change(deps.store.table, issue, *states, **changes)


def _require(issue: Issue, *states: IssueState) -> None:
    if issue.state not in states:
        raise WrongState(f"state: the issue is {issue.state.value}")


def _require_checked(deps: IssueDependencies, issue: Issue) -> None:
    findings = checked(deps, issue)
    if findings.blocking:
        raise ChecklistFailed(findings)
