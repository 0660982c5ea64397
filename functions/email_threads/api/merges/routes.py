"""Routes of merges and splits of threads."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from email_threads.api import inputs, queries, views
from email_threads.api.merges import actions
from email_threads.api.queries import ApiDependencies
from shared.api.auth import Scope
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

_ONE = "/email-threads/{conversation_id}"
_WRITE = Scope.EMAIL_WRITE


@dataclass(frozen=True, slots=True)
class MergeRoutes:
    """The routes over the table of e-mail threads."""

    deps: ApiDependencies

    @route_methods.changes(f"POST {_ONE}/merge", _WRITE, status=HTTPStatus.ACCEPTED)
    def merge_thread(
        self, request: Request[inputs.MergeInput], conversation_id: str
    ) -> Callable[[], views.Merging]:
        """Make a thread part of another one of the company; this undoes a split, too."""
        thread = queries.head_of(self.deps.table, request.caller.company, conversation_id)
        return lambda: actions.merge(self.deps, thread, request)

    @route_methods.changes(f"POST {_ONE}/unmerge", _WRITE, status=HTTPStatus.ACCEPTED)
    def unmerge_thread(
        self, request: Request[NoInput], conversation_id: str
    ) -> Callable[[], views.Separating]:
        """Undo the merge of a thread: its mails return to it, and later ones stay in the other thread."""
        thread = queries.own_head_of(self.deps.table, request.caller.company, conversation_id)
        return lambda: actions.unmerge(self.deps, thread, request)

    @route_methods.changes(f"POST {_ONE}/split", _WRITE, status=HTTPStatus.ACCEPTED)
    def split_thread(
        self, request: Request[inputs.SplitInput], conversation_id: str
    ) -> Callable[[], views.Separating]:
        """Move mails of a thread into a new one."""
        thread = queries.head_of(self.deps.table, request.caller.company, conversation_id)
        return lambda: actions.split(self.deps, thread, request)
