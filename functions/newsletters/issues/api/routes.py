"""Routes of issues: made of a newsletter, approved, sent, and their recipients."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from newsletters.issues.api import control, inputs, presenters, queries, trials, views
from newsletters.issues.dependencies import IssueDependencies
from newsletters.store.items import Issue
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

_ALL = "/newsletters/issues"
_ONE = f"{_ALL}/{{issue_id}}"
_WRITE, _SEND = Scope.NEWSLETTERS_WRITE, Scope.NEWSLETTERS_SEND
_READ = (Scope.NEWSLETTERS_READ, _WRITE, Scope.NEWSLETTERS_REVIEW, _SEND)


@dataclass(frozen=True, slots=True)
class IssueRoutes:
    """The routes over the dependencies of issues."""

    deps: IssueDependencies

    @route_methods.reads(f"GET {_ALL}", *_READ)
    def list_issues(self, request: Request[inputs.IssuesQuery]) -> Page[views.Issues]:
        """List the issues of the company, newest first."""
        return queries.list_issues(self.deps, request.caller, request.input)

    @route_methods.changes(f"POST {_ALL}", _WRITE, _SEND, status=HTTPStatus.CREATED)
    def create_issue(self, request: Request[inputs.IssueInput]) -> Callable[[], views.IssueView]:
        """Make an issue of a newsletter. It is sent after its approval."""
        given = request.input
        queries.check_audience(self.deps, request.caller, given.list_ids, given.segment_ids)
        queries.check_topics(self.deps, request.caller, given.list_ids, given.topics)
        queries.check_template(self.deps, request.caller, given.template_id)
        return lambda: presenters.issue_view(control.create(self.deps, request))

    @route_methods.reads(f"GET {_ONE}", *_READ)
    def get_issue(self, request: Request[NoInput], issue_id: str) -> views.IssueView:
        """Return an issue."""
        return presenters.issue_view(control.found(self.deps, request.caller, issue_id))

    @route_methods.changes(f"PATCH {_ONE}", _WRITE, _SEND)
    def change_issue(
        self, request: Request[inputs.IssueChange], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """Change an issue before its approval."""
        issue = control.found(self.deps, request.caller, issue_id)
        given = request.input
        queries.check_audience(
            self.deps, request.caller, given.list_ids or [], given.segment_ids or []
        )
        of_lists = given.list_ids if given.list_ids is not None else issue.list_ids
        topics = given.topics if given.topics is not None else issue.topics
        queries.check_topics(self.deps, request.caller, of_lists, topics)
        queries.check_template(self.deps, request.caller, given.template_id)
        return lambda: presenters.issue_view(
            control.configure(self.deps, request.caller, issue, request.input)
        )

    @route_methods.changes(f"DELETE {_ONE}", _WRITE, _SEND)
    def delete_issue(
        self, request: Request[NoInput], issue_id: str
    ) -> Callable[[], views.RemovedIssue]:
        """Delete an issue before its approval."""
        issue = control.found(self.deps, request.caller, issue_id)

        def change() -> views.RemovedIssue:
            control.remove(self.deps, issue)
            return views.RemovedIssue(issue_id=issue.issue_id)

        return change

    @route_methods.reads(f"GET {_ONE}/checklist", *_READ)
    def get_checklist(self, request: Request[NoInput], issue_id: str) -> views.Checklist:
        """Check what an issue needs before it may be sent."""
        issue = control.found(self.deps, request.caller, issue_id)
        return presenters.checklist_view(control.checked(self.deps, issue))

    @route_methods.reads(f"GET {_ONE}/stats", *_READ)
    def get_stats(self, request: Request[NoInput], issue_id: str) -> views.StatsView:
        """Return the counters of an issue."""
        issue = control.found(self.deps, request.caller, issue_id)
        return queries.stats(self.deps, issue)

    @route_methods.reads(f"GET {_ONE}/recipients", *_READ)
    def list_recipients(
        self, request: Request[inputs.RecipientsQuery], issue_id: str
    ) -> Page[views.Recipients]:
        """List the recipients of an issue with their states."""
        issue = control.found(self.deps, request.caller, issue_id)
        return queries.list_recipients(self.deps, issue, request.input)

    @route_methods.changes(f"POST {_ONE}/approve", _SEND)
    def approve_issue(
        self, request: Request[inputs.IssueApproval], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """Approve an issue: its content is sealed, and later changes of the newsletter do not reach it."""
        issue = control.found(self.deps, request.caller, issue_id)
        return lambda: presenters.issue_view(
            control.approve(self.deps, issue, request.caller, request.input)
        )

    @route_methods.changes(f"POST {_ONE}/test", _WRITE, _SEND, status=HTTPStatus.ACCEPTED)
    def test_issue(
        self, request: Request[inputs.IssueTestInput], issue_id: str
    ) -> Callable[[], views.IssueTestView]:
        """Send an issue to people of the company. It counts nowhere, and its links change nothing."""
        issue = control.found(self.deps, request.caller, issue_id)
        trials.check_addresses(self.deps, issue, request.input.addresses)
        return lambda: trials.start(self.deps, issue, request)

    @route_methods.reads(f"GET {_ONE}/tests/{{test_id}}", *_READ)
    def get_test(
        self, request: Request[NoInput], issue_id: str, test_id: str
    ) -> views.IssueTestMails:
        """Return what has become of the mails of a test."""
        issue = control.found(self.deps, request.caller, issue_id)
        return trials.states(self.deps, issue, test_id)

    @route_methods.changes(f"POST {_ONE}/schedule", _SEND)
    def schedule_issue(
        self, request: Request[inputs.IssueSchedule], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """Send an approved issue at a local time; it begins within five minutes of it."""
        issue = control.found(self.deps, request.caller, issue_id)
        return lambda: presenters.issue_view(control.schedule(self.deps, issue, request.input))

    @route_methods.changes(f"POST {_ONE}/unschedule", _SEND)
    def unschedule_issue(
        self, request: Request[inputs.IssueVersion], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """Take back the time of an issue."""
        return self._versioned(control.unschedule, request, issue_id)

    @route_methods.changes(f"POST {_ONE}/send", _SEND, status=HTTPStatus.ACCEPTED)
    def send_issue(
        self, request: Request[inputs.IssueVersion], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """Send an approved issue now."""
        return self._versioned(control.send, request, issue_id)

    @route_methods.changes(f"POST {_ONE}/winner", _SEND, status=HTTPStatus.ACCEPTED)
    def choose_winner(
        self, request: Request[inputs.WinnerInput], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """Choose the subject of an issue with a subject test, for all readers who are not in the sample."""
        issue = control.found(self.deps, request.caller, issue_id)
        return lambda: presenters.issue_view(control.choose_winner(self.deps, issue, request.input))

    @route_methods.changes(f"POST {_ONE}/resend-unknown", _SEND, status=HTTPStatus.ACCEPTED)
    def resend_unknown(
        self, request: Request[inputs.IssueVersion], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """Send the mails again of which nothing is known; a reader may get one of them twice."""
        return self._versioned(control.resend_unknown, request, issue_id)

    @route_methods.changes(f"POST {_ONE}/pause", _SEND)
    def pause_issue(
        self, request: Request[NoInput], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """Pause an issue that is being sent, within one batch of 25 mails."""
        return self._changed(control.pause, request, issue_id)

    @route_methods.changes(f"POST {_ONE}/resume", _SEND, status=HTTPStatus.ACCEPTED)
    def resume_issue(
        self, request: Request[NoInput], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """Go on with a paused issue: people who have its mail get no second one."""
        return self._changed(control.resume, request, issue_id)

    @route_methods.changes(f"POST {_ONE}/cancel", _SEND)
    def cancel_issue(
        self, request: Request[NoInput], issue_id: str
    ) -> Callable[[], views.IssueView]:
        """End an issue that is not sent yet; nothing more is sent."""
        return self._changed(control.cancel, request, issue_id)

    def _changed(
        self,
        act: Callable[[IssueDependencies, Issue], Issue],
        request: Request[NoInput],
        issue_id: str,
    ) -> Callable[[], views.IssueView]:
        issue = control.found(self.deps, request.caller, issue_id)
        return lambda: presenters.issue_view(act(self.deps, issue))

    def _versioned(
        self,
        act: Callable[[IssueDependencies, Issue, int], Issue],
        request: Request[inputs.IssueVersion],
        issue_id: str,
    ) -> Callable[[], views.IssueView]:
        issue = control.found(self.deps, request.caller, issue_id)
        return lambda: presenters.issue_view(act(self.deps, issue, request.input.version))
