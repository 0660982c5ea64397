"""The signature of the caller."""

from collections.abc import Callable
from dataclasses import dataclass

from email_threads.api import inputs, views
from email_threads.api.queries import ApiDependencies
from email_threads.store.configuration import mailboxes
from email_threads.store.items import Signature
from shared.api.auth import Scope
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.runtime import clock

_PATH = "/email-threads/signature"


@dataclass(frozen=True, slots=True)
class SignatureRoutes:
    """The routes over the table of e-mail threads."""

    deps: ApiDependencies

    @route_methods.reads(f"GET {_PATH}", Scope.EMAIL_READ)
    def get_signature(self, request: Request[NoInput]) -> views.SignatureView:
        """Return the name and the signatures of the caller."""
        caller = request.caller
        found = mailboxes.signature_of(self.deps.table, caller.company, caller.principal)
        if found is None:
            return views.SignatureView(by_mailbox={})
        return views.SignatureView(
            name=found.name, text=found.text, by_mailbox=dict(sorted(found.by_mailbox.items()))
        )

    @route_methods.changes(f"POST {_PATH}", Scope.EMAIL_WRITE)
    def put_signature(
        self, request: Request[inputs.SignatureInput]
    ) -> Callable[[], views.WrittenSignature]:
        """Replace the name and the signatures of the caller."""
        return lambda: self._written(request)

    def _written(self, request: Request[inputs.SignatureInput]) -> views.WrittenSignature:
        caller, given = request.caller, request.input
        signature = Signature(
            **Signature.of(caller.company, caller.principal),
            company_id=caller.company,
            principal=caller.principal,
            updated_at=clock.to_text(clock.now_ms()),
            **given.model_dump(exclude_none=True),
        )
        mailboxes.put_signature(self.deps.table, signature)
        return views.WrittenSignature(registered=bool(given.text or given.by_mailbox))
