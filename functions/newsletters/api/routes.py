"""Routes of newsletters: their configuration, steps, review and exports."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from newsletters.api import (
    changes,
    configuration,
    exports,
    inputs,
    presenters,
    queries,
    reviews,
    steps,
    views,
)
from newsletters.api.access import own, own_as_stored, readable
from newsletters.api.queries import ApiDependencies
from newsletters.configuration.resources import Resources
from newsletters.store.bucket.objects import Store
from newsletters.store.content.newsletters import Newsletter
from newsletters.store.items import ReviewState
from shared.api.auth import Caller, Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

_ALL = "/newsletters"
_ONE = f"{_ALL}/{{code}}"
_STEP = f"{_ONE}/{{step}}"
_READ = (Scope.NEWSLETTERS_READ, Scope.NEWSLETTERS_WRITE, Scope.NEWSLETTERS_REVIEW)
_WRITE, _REVIEW = Scope.NEWSLETTERS_WRITE, Scope.NEWSLETTERS_REVIEW


@dataclass(frozen=True, slots=True)
class NewsletterRoutes:
    """The routes over the resources of the API."""

    deps: ApiDependencies

    @property
    def _resources(self) -> Resources:
        return self.deps.resources

    @property
    def _store(self) -> Store:
        return self.deps.resources.store

    def _readable(self, caller: Caller, code: str) -> Newsletter:
        return readable(self._store, caller, code)

    def _own(self, caller: Caller, code: str) -> Newsletter:
        return own(self._store, caller, code)

    @route_methods.reads(f"GET {_ALL}", *_READ)
    def list_newsletters(
        self, request: Request[inputs.NewslettersQuery]
    ) -> Page[views.Newsletters]:
        """List own newsletters, or the company's, newest first."""
        return queries.list_newsletters(self.deps, request.caller, request.input)

    @route_methods.reads(f"GET {_ALL}/options", *_READ)
    def get_options(self, request: Request[NoInput]) -> views.OptionsView:  # noqa: ARG002 - the same for all callers
        """Return the values that a configuration may have, with labels."""
        return queries.options()

    @route_methods.reads(f"GET {_ONE}", *_READ)
    def get_newsletter(self, request: Request[NoInput], code: str) -> views.NewsletterView:
        """Return a whole newsletter: configuration, topics, outline and draft."""
        return presenters.whole(self._readable(request.caller, code))

    @route_methods.reads(f"GET {_ONE}/exports", *_READ)
    def get_exports(self, request: Request[NoInput], code: str) -> views.ExportsView:
        """Return the exported files and the jobs of each format."""
        found = exports.export_jobs(self._store, code)
        return exports.exports_view(self._readable(request.caller, code), found)

    @route_methods.reads(f"GET {_ONE}/exports/{{format}}", *_READ)
    def get_export(
        self,
        request: Request[inputs.ExportQuery],
        code: str,
        format: str,  # noqa: A002 - the name in the path
    ) -> views.ExportLink:
        """Return a link that downloads an exported file, or shows it, for 15 minutes."""
        newsletter = self._readable(request.caller, code)
        return exports.export_link(self._store, newsletter, format, inline=request.input.inline)

    @route_methods.reads(f"GET {_STEP}/status", *_READ)
    def get_step_status(
        self, request: Request[NoInput], code: str, step: str
    ) -> views.StepStatusView:
        """Return the state of a step and the progress of its job, without content."""
        newsletter = self._readable(request.caller, code)
        return steps.step_status(self._store, newsletter, steps.step_named(step))

    @route_methods.reads(f"GET {_STEP}/revisions", *_READ)
    def list_revisions(self, request: Request[NoInput], code: str, step: str) -> views.Revisions:
        """List the contents of a step that were replaced, newest first."""
        newsletter = self._readable(request.caller, code)
        return steps.list_revisions(self._store, newsletter, steps.step_named(step))

    @route_methods.changes(f"POST {_ALL}", _WRITE, status=HTTPStatus.CREATED)
    def create_newsletter(
        self, request: Request[inputs.NewNewsletterInput]
    ) -> Callable[[], views.WrittenNewsletter]:
        """Create a newsletter, also with the configuration and the topics of another one."""
        code = request.input.copy_from
        copied = self._readable(request.caller, code) if code is not None else None
        return lambda: configuration.create(self._store, request, copied)

    @route_methods.changes(f"PATCH {_ONE}", _WRITE)
    def change_newsletter(
        self, request: Request[inputs.NewsletterChange], code: str
    ) -> Callable[[], views.WrittenNewsletter]:
        """Change the configuration of a newsletter."""
        newsletter = self._own(request.caller, code)
        return lambda: configuration.configure(self._store, newsletter, request.input)

    @route_methods.changes(f"DELETE {_ONE}", _WRITE)
    def delete_newsletter(
        self, request: Request[NoInput], code: str
    ) -> Callable[[], views.DeletedView]:
        """Delete a newsletter with its steps, jobs and files."""
        newsletter = own_as_stored(self._store, request.caller, code)
        return lambda: changes.delete(self._resources, newsletter)

    @route_methods.changes(f"PUT {_ONE}/topics", _WRITE)
    def select_topics(
        self, request: Request[inputs.TopicsInput], code: str
    ) -> Callable[[], views.WrittenTopics]:
        """Select the information types. Passages that were retrieved stay until the next retrieval."""
        newsletter = self._own(request.caller, code)
        return lambda: changes.select_topics(self._store, newsletter, request.input)

    @route_methods.changes(f"PUT {_ONE}/outline", _WRITE)
    def change_outline(
        self, request: Request[inputs.OutlineInput], code: str
    ) -> Callable[[], views.WrittenOutline]:
        """Replace the outline: reorder, rename, edit, add, remove, exclude or annotate items."""
        newsletter = self._own(request.caller, code)
        return lambda: changes.change_outline(
            self._store, newsletter, request.input, request.caller.principal
        )

    @route_methods.changes(f"PUT {_ONE}/draft", _WRITE)
    def change_draft(
        self, request: Request[inputs.DraftInput], code: str
    ) -> Callable[[], views.WrittenDraft]:
        """Replace the text of the draft; the generated text stays, and the replaced text is a revision."""
        newsletter = self._own(request.caller, code)
        return lambda: changes.change_draft(
            self._store, newsletter, request.input, request.caller.principal
        )

    @route_methods.changes(f"PUT {_ONE}/draft/sections/{{key}}", _WRITE)
    def change_section(
        self, request: Request[inputs.DraftInput], code: str, key: str
    ) -> Callable[[], views.WrittenDraft]:
        """Replace the text below the heading of one section."""
        newsletter = self._own(request.caller, code)
        return lambda: changes.change_draft(
            self._store, newsletter, request.input, request.caller.principal, key
        )

    @route_methods.changes(f"DELETE {_ONE}/draft/edits", _WRITE)
    def discard_edits(
        self, request: Request[inputs.VersionInput], code: str
    ) -> Callable[[], views.WrittenDraft]:
        """Return to the generated text."""
        newsletter = self._own(request.caller, code)
        return lambda: changes.discard_edits(
            self._store, newsletter, request.input.version, request.caller.principal
        )

    @route_methods.changes(f"POST {_ONE}/review/request", _WRITE)
    def request_review(
        self, request: Request[inputs.ReviewRequestInput], code: str
    ) -> Callable[[], views.WrittenNewsletter]:
        """Ask colleagues to review the present text."""
        newsletter = self._own(request.caller, code)
        return lambda: reviews.request_review(
            self._store, newsletter, request.caller, request.input
        )

    @route_methods.changes(f"POST {_ONE}/review/approve", _REVIEW)
    def approve_draft(
        self, request: Request[inputs.ApprovalInput], code: str
    ) -> Callable[[], views.WrittenNewsletter]:
        """Approve the text under review."""
        newsletter = self._readable(request.caller, code)
        return lambda: reviews.decide(
            self._store, newsletter, request.caller, ReviewState.APPROVED, request.input
        )

    @route_methods.changes(f"POST {_ONE}/review/return", _REVIEW)
    def return_draft(
        self, request: Request[inputs.ReturnInput], code: str
    ) -> Callable[[], views.WrittenNewsletter]:
        """Return the text under review to its author, with notes."""
        newsletter = self._readable(request.caller, code)
        return lambda: reviews.decide(
            self._store, newsletter, request.caller, ReviewState.RETURNED, request.input
        )

    @route_methods.changes(f"POST {_ONE}/exports", _WRITE, status=HTTPStatus.ACCEPTED)
    def start_exports(
        self, request: Request[inputs.ExportsInput], code: str
    ) -> Callable[[], views.StartedExports]:
        """Export the draft in the given formats."""
        newsletter = self._own(request.caller, code)
        return lambda: exports.start_exports(self._resources, newsletter, request)

    @route_methods.changes(f"POST {_STEP}/start", _WRITE, status=HTTPStatus.ACCEPTED)
    def start_step(
        self, request: Request[inputs.StartInput], code: str, step: str
    ) -> Callable[[], views.StartedView]:
        """Start the retrieval of passages, or the generation of the outline or draft."""
        newsletter = self._own(request.caller, code)
        name = steps.step_named(step)
        return lambda: steps.start_step(self._resources, newsletter, name, request)

    @route_methods.changes(f"POST {_STEP}/restore", _WRITE)
    def restore_revision(
        self, request: Request[inputs.RestoreInput], code: str, step: str
    ) -> Callable[[], views.WrittenStep]:
        """Restore the content of a revision. The present content becomes a revision."""
        newsletter = self._own(request.caller, code)
        name = steps.step_named(step)
        return lambda: changes.restore(
            self._store, newsletter, name, request.input, request.caller.principal
        )

    @route_methods.changes(f"POST {_STEP}/cancel", _WRITE)
    def cancel_step(
        self, request: Request[NoInput], code: str, step: str
    ) -> Callable[[], views.CancelledView]:
        """Cancel the job of a step. The last content stays."""
        newsletter = own_as_stored(self._store, request.caller, code)
        name = steps.step_named(step)
        return lambda: steps.cancel_step(self._resources, newsletter, name)
