"""Routes of lists of contacts and their members."""

from collections.abc import Callable
from dataclasses import dataclass

from console.api.inbox import InboxDependencies
from console.api.inputs import PageQuery
from console.contacts import contacts
from console.contacts.lists.inputs import JoinInput, ListInput, RenameListInput
from console.contacts.lists.views import ContactLists, ContactListView, JoinedList, LeftList
from console.contacts.views import Contacts
from console.jobs.contact_work import job_of
from console.jobs.runs import Runs
from console.store.contacts import work as contact_work
from console.store.contacts.work import OpenWork
from shared.api.auth import Scope
from shared.api.cursors import Listing, Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.contacts import lists, members
from shared.contacts.items import ContactList

_LISTS, _LIST = "/contacts/lists", "/contacts/lists/{list_id}"
_READ, _WRITE = Scope.CONTACTS_READ, Scope.CONTACTS_WRITE


@dataclass(frozen=True, slots=True)
class ListRoutes:
    """The routes over the resources of the API."""

    deps: InboxDependencies
    runs: Runs

    @route_methods.reads(f"GET {_LISTS}", _READ)
    def list_lists(self, request: Request[NoInput]) -> ContactLists:
        """List the lists of the company, oldest first."""
        found = lists.of_company(self.deps.contacts, request.caller.company)
        return ContactLists(lists=[view_of(one) for one in found])

    @route_methods.changes(f"POST {_LISTS}", _WRITE)
    def create_list(self, request: Request[ListInput]) -> Callable[[], ContactListView]:
        """Make a list of contacts."""
        caller = request.caller
        return lambda: view_of(
            lists.create(
                self.deps.contacts,
                caller.company,
                request.input.name,
                by=caller.principal,
                cause=request.cause,
            )
        )

    @route_methods.changes(f"PATCH {_LIST}", _WRITE)
    def rename_list(
        self, request: Request[RenameListInput], list_id: str
    ) -> Callable[[], ContactListView]:
        """Give a list another name."""
        company = request.caller.company
        found = lists.get(self.deps.contacts, company, list_id)
        name = request.input.name or found.name
        return lambda: view_of(lists.rename(self.deps.contacts, company, list_id, name))

    @route_methods.changes(f"DELETE {_LIST}", _WRITE)
    def delete_list(self, request: Request[NoInput], list_id: str) -> Callable[[], ContactListView]:
        """Delete a list at once; its memberships are removed afterwards. Its members stay contacts."""
        company = request.caller.company
        found = lists.get(self.deps.contacts, company, list_id)

        def deleted() -> ContactListView:
            work = OpenWork.of(company, "list", list_id)
            # Without room the schedule starts it later.
            has_room = contact_work.has_room(self.deps.contacts, company)
            lists.remove(self.deps.contacts, company, list_id, beside=work.attributes())
            if has_room:
                self.runs.start(job_of(work))
            return view_of(found)

        return deleted

    @route_methods.reads(f"GET {_LIST}/members", _READ)
    def list_members(self, request: Request[PageQuery], list_id: str) -> Page[Contacts]:
        """List the members whom the caller may see, each person once. A page may be short before the last one."""
        caller, query = request.caller, request.input
        seal = self.deps.seal
        listing = Listing(caller.company, "contact list", (list_id,))
        after = listing.position(seal, query.cursor)["contact"] if query.cursor else None
        page = members.page(
            self.deps.contacts, caller.company, list_id, limit=query.limit, after=after
        )
        people = self.deps.people(caller)
        shown = [found for one in page.people if (found := people.shown(one)) is not None]
        result = Contacts(contacts=contacts.views_of(self.deps, shown))
        return Page(result, listing.cursor(seal, {"contact": page.after}) if page.after else None)

    @route_methods.changes(f"POST {_LIST}/members", _WRITE)
    def add_members(self, request: Request[JoinInput], list_id: str) -> Callable[[], JoinedList]:
        """Take people into a list: those who are in it already stay in it once."""
        caller = request.caller
        lists.get(self.deps.contacts, caller.company, list_id)

        def joined() -> JoinedList:
            given = dict.fromkeys(request.input.contact_ids)
            found = [one for one in given if self._join(request, list_id, one)]
            missing = [one for one in given if one not in found]
            return JoinedList(members=found, missing=missing)

        return joined

    @route_methods.changes(f"DELETE {_LIST}/members/{{contact_id}}", _WRITE)
    def remove_member(
        self, request: Request[NoInput], list_id: str, contact_id: str
    ) -> Callable[[], LeftList]:
        """Take a person out of a list, with all contacts that were merged."""
        caller = request.caller
        lists.get(self.deps.contacts, caller.company, list_id)
        person = contacts.shown(self.deps, caller, contact_id).profile

        def left() -> LeftList:
            lists.leave(self.deps.contacts, caller.company, list_id, person)
            return LeftList(list_id=list_id, contact_id=person.contact_id)

        return left

    @route_methods.reads("GET /contacts/{contact_id}/lists", _READ)
    def list_lists_of_contact(self, request: Request[NoInput], contact_id: str) -> ContactLists:
        """List the lists in which a person is, oldest first."""
        person = contacts.shown(self.deps, request.caller, contact_id).profile
        found = lists.of_person(self.deps.contacts, person)
        return ContactLists(lists=[view_of(one) for one in found])

    def _join(self, request: Request[JoinInput], list_id: str, contact_id: str) -> bool:
        company = request.caller.company
        try:
            person = contacts.shown(self.deps, request.caller, contact_id).profile
        except contacts.ContactNotFound:
            return False
        return lists.add(self.deps.contacts, company, list_id, person)


def view_of(found: ContactList) -> ContactListView:
    """Return the view of a list."""
    return ContactListView(
        list_id=found.sk,
        name=found.name,
        created_at=found.created_at,
        created_by=found.created_by,
    )
