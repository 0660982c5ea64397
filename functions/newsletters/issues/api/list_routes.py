"""Routes of what the public sees of lists: their sign-up, their archive, and who sends their mails."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from newsletters.issues.api import inputs, presenters, views
from newsletters.issues.dependencies import IssueDependencies
from newsletters.store.items import PublicList
from newsletters.store.items.item import timestamp
from newsletters.store.readers import public_lists
from shared.access.ownership import claims
from shared.api.auth import Caller, Scope
from shared.api.errors import InvalidInput
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.contacts import lists
from shared.contacts.lists import ListNotFound
from shared.runtime import clock

_ALL = "/newsletters/lists"
_ONE = f"{_ALL}/{{list_id}}"
_ADMIN = Scope.NEWSLETTERS_ADMIN
_READ = (Scope.NEWSLETTERS_READ, Scope.NEWSLETTERS_WRITE, Scope.NEWSLETTERS_SEND, _ADMIN)
_NEEDED = ("title", "sender", "sender_name", "postal_address")


@dataclass(frozen=True, slots=True)
class ListRoutes:
    """The routes over the dependencies of issues."""

    deps: IssueDependencies

    @route_methods.reads(f"GET {_ALL}", *_READ)
    def list_public_lists(self, request: Request[NoInput]) -> views.PublicLists:
        """List what the public sees of the company's lists."""
        found = public_lists.of_company(self.deps.store.table, request.caller.company)
        return views.PublicLists(lists=[presenters.public_list_view(one) for one in found])

    @route_methods.reads(f"GET {_ONE}", *_READ)
    def get_public_list(self, request: Request[NoInput], list_id: str) -> views.PublicListView:
        """Return what the public sees of a list."""
        return presenters.public_list_view(self._found(request.caller, list_id))

    @route_methods.changes(f"PUT {_ONE}", _ADMIN)
    def put_public_list(
        self, request: Request[inputs.PublicListInput], list_id: str
    ) -> Callable[[], views.PublicListView]:
        """Publish a list of contacts, or change what the public sees of it. Absent fields keep their values."""
        company = request.caller.company
        lists.get(self.deps.people.contacts, company, list_id)
        present = public_lists.get(self.deps.store.table, company, list_id)
        made = _completed(request, list_id, present)
        if claims.owner_of_email(self.deps.log, made.sender)[0] != company:
            problem = "must be of a domain that the company owns"
            raise InvalidInput([{"field": "sender", "problem": problem}])
        return lambda: presenters.public_list_view(public_lists.put(self.deps.store.table, made))

    @route_methods.changes(f"DELETE {_ONE}", _ADMIN)
    def remove_public_list(
        self, request: Request[NoInput], list_id: str
    ) -> Callable[[], views.RemovedList]:
        """Publish nothing of a list any more. Its members, their consent and its issues stay."""
        self._found(request.caller, list_id)

        def change() -> views.RemovedList:
            public_lists.remove(self.deps.store.table, request.caller.company, list_id)
            return views.RemovedList(list_id=list_id)

        return change

    def _found(self, caller: Caller, list_id: str) -> PublicList:
        found = public_lists.get(self.deps.store.table, caller.company, list_id)
        if found is None:
            raise ListNotFound("list_id: list not published")
        return found


def _completed(
    request: Request[inputs.PublicListInput], list_id: str, present: PublicList | None
) -> PublicList:
    """Return a list with the present values of absent fields. Raises InvalidInput."""
    given: dict[str, Any] = request.input.given()
    empty: dict[str, Any] = {"description": "", "topics": [], "reply_to": None, "welcome": None}
    fields = {name: empty.get(name) if value is None else value for name, value in given.items()}
    missing = [name for name, value in fields.items() if value is None and name not in empty]
    if present is None:
        missing += [name for name in _NEEDED if name not in fields]
    if missing:
        problem = "must not be null or absent"
        raise InvalidInput([{"field": name, "problem": problem} for name in sorted({*missing})])
    if (welcome := request.input.welcome) is not None:
        fields["welcome"] = welcome.model_dump()
    company = request.caller.company
    kept = present.model_dump(exclude={"PK", "SK"}) if present else {}
    changed = {
        **kept,
        **fields,
        "company_id": company,
        "list_id": list_id,
        "updated_at": timestamp(clock.now_ms()),
        "updated_by": request.caller.principal,
    }
    return PublicList.model_validate({**PublicList.key(company, list_id), **changed})
