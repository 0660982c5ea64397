"""Routes of drafts."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from email_threads.api.drafts import actions, files, inputs, steps, views
from email_threads.api.queries import ApiDependencies, head_of
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

_T = "/email-threads/{conversation_id}"
_R = f"{_T}/replies/{{reply_id}}"
_READ, _WRITE, _APPROVE = Scope.EMAIL_READ, Scope.EMAIL_WRITE, Scope.EMAIL_APPROVE


@dataclass(frozen=True, slots=True)
class DraftRoutes:
    """The routes over the resources of the API."""

    deps: ApiDependencies

    @route_methods.reads("GET /email-threads/drafts", _READ)
    def list_waiting_drafts(self, request: Request[inputs.DraftsQuery]) -> Page[views.Drafts]:
        """List the company's drafts that wait for a person, oldest change first."""
        return actions.waiting(self.deps, request)

    @route_methods.reads(f"GET {_T}/replies", _READ)
    def list_drafts(
        self, request: Request[inputs.ThreadDraftsQuery], conversation_id: str
    ) -> views.Drafts:
        """List the drafts of a thread that are not final, or rejected ones, newest change first."""
        return actions.listed(self.deps, request, conversation_id)

    @route_methods.reads(f"GET {_R}", _READ)
    def get_draft(
        self, request: Request[NoInput], conversation_id: str, reply_id: str
    ) -> views.DraftView:
        """Return one draft, also a final one."""
        return actions.one(self.deps, request.caller.company, conversation_id, reply_id)

    @route_methods.changes(f"POST {_T}/uploads", _WRITE)
    def upload_file(
        self, request: Request[inputs.UploadInput], conversation_id: str
    ) -> views.UploadView:
        """Return a form that uploads a file to attach."""
        thread = head_of(self.deps.table, request.caller.company, conversation_id)
        return files.upload_form(self.deps, thread, request.input, request.cause)

    @route_methods.changes("POST /email-threads", _WRITE, status=HTTPStatus.CREATED)
    def begin_thread(self, request: Request[inputs.NewMailInput]) -> Callable[[], views.DraftState]:
        """Draft a mail that begins a thread."""
        return lambda: actions.begin(self.deps, request)

    @route_methods.changes(f"POST {_T}/replies", _WRITE, status=HTTPStatus.CREATED)
    def compose_draft(
        self, request: Request[inputs.ReplyInput], conversation_id: str
    ) -> Callable[[], views.DraftState]:
        """Draft an answer to a mail of a thread, or a forward of one."""
        thread = head_of(self.deps.table, request.caller.company, conversation_id)
        return lambda: actions.compose(self.deps, thread, request)

    @route_methods.changes(f"PATCH {_R}", _WRITE)
    def amend_draft(
        self, request: Request[inputs.AmendInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Change recipients, subject, text or files of a draft."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: actions.amend(self.deps, thread, draft, request)

    @route_methods.changes(f"POST {_R}/approve", _APPROVE, status=HTTPStatus.ACCEPTED)
    def approve_draft(
        self, request: Request[inputs.ApproveInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Approve a draft: it is sent once."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: steps.approve(self.deps, thread, draft, request)

    @route_methods.changes(f"POST {_R}/send", _APPROVE, status=HTTPStatus.ACCEPTED)
    def send_draft(
        self, request: Request[inputs.ApproveInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Approve a draft: it is sent once (as `approve`)."""
        return self.approve_draft(request, conversation_id, reply_id)

    @route_methods.changes(f"POST {_R}/resolve", _APPROVE, status=HTTPStatus.ACCEPTED)
    def resolve_draft(
        self, request: Request[inputs.ResolveInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """State whether a mail whose send is unknown has arrived."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: steps.resolve(self.deps, thread, draft, request)

    @route_methods.changes(f"POST {_R}/reject", _APPROVE)
    def reject_draft(
        self, request: Request[inputs.RejectInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Close a draft without sending it."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: steps.reject(self.deps, thread, draft, request)

    @route_methods.changes(f"POST {_R}/undo", _WRITE)
    def undo_draft(
        self, request: Request[inputs.VersionInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Stop the send of an approved draft before its time; it waits for a person again."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: steps.undo(self.deps, thread, draft, request)

    @route_methods.changes(f"POST {_R}/withdraw", _WRITE)
    def withdraw_draft(
        self, request: Request[inputs.VersionInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Close a draft of the caller without sending it."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: steps.withdraw(self.deps, thread, draft, request)

    @route_methods.changes(f"POST {_R}/restore", _WRITE)
    def restore_draft(
        self, request: Request[inputs.VersionInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Let a rejected draft wait for a person again, for 30 days after its rejection."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: steps.restore(self.deps, thread, draft, request)
