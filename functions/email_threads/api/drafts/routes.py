"""Routes of drafts."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from email_threads.api.drafts import actions, files, inputs, views
from email_threads.api.queries import ApiDependencies, head_of
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.inputs import Input, NoInput
from shared.api.routing import Request, Routes

_T = "/email-threads/{conversation_id}"
_R = f"{_T}/replies/{{reply_id}}"
_READ, _WRITE, _APPROVE = Scope.EMAIL_READ, Scope.EMAIL_WRITE, Scope.EMAIL_APPROVE


@dataclass(frozen=True, slots=True)
class DraftRoutes:
    """The routes over the resources of the API."""

    deps: ApiDependencies

    def declare(self, routes: Routes) -> None:
        """Declare the routes."""
        reads, changes = routes.reads, routes.changes
        reads(
            "GET /email-threads/drafts",
            _READ,
            input_model=inputs.DraftsQuery,
            result=views.Drafts,
        )(self.list_waiting_drafts)
        reads(f"GET {_T}/replies", _READ, input_model=NoInput, result=views.Drafts)(
            self.list_drafts
        )
        reads(f"GET {_R}", _READ, input_model=NoInput, result=views.DraftView)(self.get_draft)
        changes(
            f"POST {_T}/uploads",
            _WRITE,
            input_model=inputs.UploadInput,
            result=views.UploadView,
        )(self.upload_file)
        created: list[tuple[str, type[Input], Callable[..., Callable[[], views.DraftState]]]] = [
            ("POST /email-threads", inputs.NewMailInput, self.begin_thread),
            (f"POST {_T}/replies", inputs.ReplyInput, self.compose_draft),
        ]
        for line, model, act in created:
            changes(
                line,
                _WRITE,
                input_model=model,
                result=views.DraftState,
                status=HTTPStatus.CREATED,
            )(act)
        changes(f"PATCH {_R}", _WRITE, input_model=inputs.AmendInput, result=views.DraftState)(
            self.amend_draft
        )
        reviewed: list[tuple[str, type[Input], Callable[..., Callable[[], views.DraftState]]]] = [
            ("approve", inputs.ApproveInput, self.approve_draft),
            ("send", inputs.ApproveInput, self.send_draft),
            ("resolve", inputs.ResolveInput, self.resolve_draft),
        ]
        for name, model, act in reviewed:
            changes(
                f"POST {_R}/{name}",
                _APPROVE,
                input_model=model,
                result=views.DraftState,
                status=HTTPStatus.ACCEPTED,
            )(act)
        changes(
            f"POST {_R}/reject",
            _APPROVE,
            input_model=inputs.RejectInput,
            result=views.DraftState,
        )(self.reject_draft)

    def list_waiting_drafts(self, request: Request[inputs.DraftsQuery]) -> Page[views.Drafts]:
        """List the company's drafts that wait for a person, oldest change first."""
        return actions.waiting(self.deps, request)

    def list_drafts(self, request: Request[NoInput], conversation_id: str) -> views.Drafts:
        """List the drafts of a thread that are not final, newest change first."""
        return actions.listed(self.deps, request, conversation_id)

    def get_draft(
        self, request: Request[NoInput], conversation_id: str, reply_id: str
    ) -> views.DraftView:
        """Return one draft, also a final one."""
        return actions.one(self.deps, request.caller.company, conversation_id, reply_id)

    def upload_file(
        self, request: Request[inputs.UploadInput], conversation_id: str
    ) -> views.UploadView:
        """Return a form that uploads a file to attach."""
        thread = head_of(self.deps.table, request.caller.company, conversation_id)
        return files.upload_form(self.deps, thread, request.input, request.cause)

    def begin_thread(self, request: Request[inputs.NewMailInput]) -> Callable[[], views.DraftState]:
        """Draft a mail that begins a thread."""
        return lambda: actions.begin(self.deps, request)

    def compose_draft(
        self, request: Request[inputs.ReplyInput], conversation_id: str
    ) -> Callable[[], views.DraftState]:
        """Draft an answer to a mail of a thread, or a forward of one."""
        thread = head_of(self.deps.table, request.caller.company, conversation_id)
        return lambda: actions.compose(self.deps, thread, request)

    def amend_draft(
        self, request: Request[inputs.AmendInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Change recipients, subject, text or files of a draft."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: actions.amend(self.deps, thread, draft, request)

    def approve_draft(
        self, request: Request[inputs.ApproveInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Approve a draft: it is sent once."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: actions.approve(self.deps, thread, draft, request)

    def send_draft(
        self, request: Request[inputs.ApproveInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Approve a draft: it is sent once (as `approve`)."""
        return self.approve_draft(request, conversation_id, reply_id)

    def reject_draft(
        self, request: Request[inputs.RejectInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """Close a draft without sending it."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: actions.reject(self.deps, thread, draft, request)

    def resolve_draft(
        self, request: Request[inputs.ResolveInput], conversation_id: str, reply_id: str
    ) -> Callable[[], views.DraftState]:
        """State whether a mail whose send is unknown has arrived."""
        thread, draft = actions.of_thread(
            self.deps, request.caller.company, conversation_id, reply_id
        )
        return lambda: actions.resolve(self.deps, thread, draft, request)
