"""Routes of the warm-up of senders' domains."""

from collections.abc import Callable
from dataclasses import dataclass

from newsletters.api.access import NotFound
from newsletters.issues.api import inputs, presenters, views
from newsletters.issues.dependencies import IssueDependencies
from newsletters.store.delivery import warm_ups
from newsletters.store.items import WarmUp
from shared.access.ownership import claims
from shared.api.auth import Caller, Scope
from shared.api.errors import InvalidInput
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.identity.addresses import AddressInvalid, email_address

_ALL = "/newsletters/warm-ups"
_ONE = f"{_ALL}/{{domain}}"
_ADMIN = Scope.NEWSLETTERS_ADMIN
_READ = (Scope.NEWSLETTERS_READ, Scope.NEWSLETTERS_WRITE, Scope.NEWSLETTERS_SEND, _ADMIN)


@dataclass(frozen=True, slots=True)
class WarmUpRoutes:
    """The routes over the dependencies of issues."""

    deps: IssueDependencies

    @route_methods.reads(f"GET {_ALL}", *_READ)
    def list_warm_ups(self, request: Request[NoInput]) -> views.WarmUps:
        """List the warm-ups of the company's domains."""
        found = warm_ups.of_company(self.deps.store.table, request.caller.company)
        return views.WarmUps(warm_ups=[presenters.warm_up_view(one) for one in found])

    @route_methods.reads(f"GET {_ONE}", *_READ)
    def get_warm_up(self, request: Request[NoInput], domain: str) -> views.WarmUpView:
        """Return the warm-up of a domain that the company owns."""
        return presenters.warm_up_view(self._found(request.caller, domain))

    @route_methods.changes(f"PUT {_ONE}", _ADMIN)
    def put_warm_up(
        self, request: Request[inputs.WarmUpInput], domain: str
    ) -> Callable[[], views.WarmUpView]:
        """Replace the plan of a domain: other limits, or none for one that has sent mails for long. Counts stay."""
        present, given = self._found(request.caller, domain), request.input.given()
        if missing := [name for name, value in given.items() if value is None]:
            raise InvalidInput([{"field": one, "problem": "must not be null"} for one in missing])
        limits = given.get("limits", present.limits)
        percent = given.get("provider_percent", present.provider_percent)
        as_read = present.model_copy(update={"version": request.input.version})

        def change() -> views.WarmUpView:
            by = request.caller.principal
            written = warm_ups.put_plan(self.deps.store.table, as_read, limits, percent, by)
            return presenters.warm_up_view(written)

        return change

    def _found(self, caller: Caller, domain: str) -> WarmUp:
        """Return the warm-up of a domain. Raises NotFound for one that the company does not own."""
        try:
            address = email_address(f"a@{domain}")
        except AddressInvalid:
            raise NotFound("domain: not found") from None
        if claims.owner_of_email(self.deps.log, address)[0] != caller.company:
            raise NotFound("domain: not found")
        return warm_ups.get(self.deps.store.table, caller.company, address.rpartition("@")[2])
