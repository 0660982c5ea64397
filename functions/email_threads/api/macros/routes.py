"""Routes of macros."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from email_threads.api.macros import inputs, run, views
from email_threads.api.queries import ApiDependencies, NotFound, head_of
from email_threads.store.configuration import macros
from email_threads.store.items import Macro
from shared.api.auth import Scope
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.tables.seen import Seen
from shared.inbox.canned_replies import texts
from shared.runtime import clock

_ALL = "/email-threads/macros"
_ONE = f"{_ALL}/{{name}}/remove"
_RUN = "/email-threads/{conversation_id}/macros/{name}"


@dataclass(frozen=True, slots=True)
class MacroRoutes:
    """The routes over the resources of the API."""

    deps: ApiDependencies

    @route_methods.reads(f"GET {_ALL}", Scope.EMAIL_READ)
    def list_macros(self, request: Request[NoInput]) -> views.Macros:
        """List the company's macros, by name."""
        found = macros.of_company(self.deps.table, request.caller.company)
        return views.Macros(macros=[_view(macro) for macro in found])

    @route_methods.changes(f"POST {_ALL}", Scope.EMAIL_ADMIN)
    def save_macro(self, request: Request[inputs.MacroInput]) -> Callable[[], views.WrittenMacro]:
        """Create a macro, or replace its steps."""
        return lambda: self._saved(request)

    @route_methods.changes(f"POST {_ONE}", Scope.EMAIL_ADMIN)
    def remove_macro(
        self, request: Request[NoInput], name: str
    ) -> Callable[[], views.WrittenMacro]:
        """Delete a macro; a missing one is no error."""
        texts.check_name(name)
        return lambda: self._removed(request.caller.company, name)

    @route_methods.changes(f"POST {_RUN}", Scope.EMAIL_WRITE)
    def run_macro(
        self, request: Request[inputs.MacroRunInput], conversation_id: str, name: str
    ) -> Callable[[], views.MacroRun]:
        """Run a macro on a thread: all steps together, then the send; the answer names a step that failed."""
        company = request.caller.company
        texts.check_name(name)
        thread = head_of(self.deps.table, company, conversation_id)
        macro = macros.get(self.deps.table, company, name)
        if macro is None:
            raise NotFound("name: macro not found")
        return lambda: run.run(self.deps, thread, macro, request)

    def _saved(self, request: Request[inputs.MacroInput]) -> views.WrittenMacro:
        caller, given = request.caller, request.input
        macro = Macro(
            **Macro.key(caller.company, given.name),
            company_id=caller.company,
            updated_at=clock.to_text(clock.now_ms()),
            updated_by=caller.principal,
            new_status=given.status,
            **given.model_dump(exclude_none=True, exclude={"status", "seen"}),
        )
        is_checked = "seen" in given.model_fields_set
        macros.put(self.deps.table, macro, Seen(given.seen) if is_checked else None)
        return views.WrittenMacro(name=given.name, exists=True)

    def _removed(self, company: str, name: str) -> views.WrittenMacro:
        macros.remove(self.deps.table, company, name)
        return views.WrittenMacro(name=name, exists=False)


def _view(macro: Macro) -> views.MacroView:
    named = set(views.MacroView.model_fields) - {"status"}
    return views.MacroView(status=macro.new_status, **macro.model_dump(include=named))
