"""The routes of people: find, read, create, describe, merge and separate them."""

from collections.abc import Callable
from dataclasses import dataclass

from console.api.inbox import InboxDependencies
from console.api.inputs import ContactsQuery, PageQuery
from console.contacts import contacts, views
from console.contacts.changes import consents, inputs, merge, stored, suggestions
from shared.api.auth import Caller, Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.policy.consent.records import Consents


@dataclass(slots=True, eq=False)
class ContactRoutes:
    """People over all contexts, as far as the caller may read their conversations."""

    deps: InboxDependencies
    consents: Consents

    @route_methods.reads("GET /contacts", Scope.CONTACTS_READ)
    def find_contacts(self, request: Request[ContactsQuery]) -> Page[views.Contacts]:
        """Find people over all contexts by name, number or address."""
        return contacts.search(self.deps, request.caller, request.input)

    @route_methods.reads("GET /contacts/{contact_id}", Scope.CONTACTS_READ)
    def get_contact(self, request: Request[NoInput], contact_id: str) -> views.ContactView:
        """Return a person."""
        return contacts.read(self.deps, request.caller, contact_id)

    @route_methods.reads("GET /contacts/{contact_id}/conversations", Scope.CONTACTS_READ)
    def list_conversations_of_contact(
        self, request: Request[PageQuery], contact_id: str
    ) -> Page[views.ContactConversations]:
        """List the conversations of a person over all contexts, the newest week first."""
        return contacts.conversations(self.deps, request.caller, contact_id, request.input)

    @route_methods.reads("GET /contacts/{contact_id}/suggestions", Scope.CONTACTS_READ)
    def list_suggestions(self, request: Request[NoInput], contact_id: str) -> views.Contacts:
        """List people of the same full name, who may be the same person."""
        return suggestions.of_contact(self.deps, request.caller, contact_id)

    @route_methods.changes("POST /contacts", Scope.CONTACTS_WRITE)
    def create_contact(
        self,
        request: Request[inputs.CreateContactInput],
    ) -> Callable[[], views.ContactView]:
        """Create a person, with at least one identifier."""
        created = stored.create(self.deps, request.caller, request.input, request.cause)

        def made() -> views.ContactView:
            view = created()
            if len(view.identifiers) > 1:
                consents.cover(self.deps.people(request.caller), self.consents, view.contact_id)
            return view

        return made

    @route_methods.changes("PATCH /contacts/{contact_id}", Scope.CONTACTS_WRITE)
    def change_contact(
        self, request: Request[inputs.ChangeContactInput], contact_id: str
    ) -> Callable[[], views.ContactView]:
        """Change what is stored about a person."""
        return stored.change(self.deps, request.caller, contact_id, request.input, request.cause)

    @route_methods.changes("POST /contacts/{contact_id}/identifiers", Scope.CONTACTS_WRITE)
    def add_identifier(
        self, request: Request[inputs.IdentifierInput], contact_id: str
    ) -> Callable[[], views.ContactView]:
        """Add an identifier to a person, with the proof `company`."""
        added = stored.add_identifier(
            self.deps, request.caller, contact_id, request.input, request.cause
        )
        return self._with_opt_outs(added, request.caller, contact_id)

    @route_methods.changes(
        "DELETE /contacts/{contact_id}/identifiers/{identifier_id}", Scope.CONTACTS_WRITE
    )
    def remove_identifier(
        self, request: Request[NoInput], contact_id: str, identifier_id: str
    ) -> Callable[[], views.ContactView]:
        """Take from a person an identifier that was added."""
        return stored.remove_identifier(
            self.deps, request.caller, contact_id, identifier_id, request.cause
        )

    @route_methods.changes("POST /contacts/{contact_id}/merge", Scope.CONTACTS_WRITE)
    def merge_contacts(
        self, request: Request[inputs.MergeInput], contact_id: str
    ) -> Callable[[], views.ContactMerge] | views.ContactMerge:
        """Make two contacts one person, or show what would move."""
        merged = merge.merge(self.deps, request.caller, contact_id, request.input, request.cause)
        if isinstance(merged, views.ContactMerge):
            return merged
        return self._with_opt_outs(merged, request.caller, contact_id)

    @route_methods.changes("POST /contacts/merges/{merge_id}/undo", Scope.CONTACTS_WRITE)
    def undo_merge(
        self, request: Request[NoInput], merge_id: str
    ) -> Callable[[], views.SeparatedContacts]:
        """Separate the contacts of a merge again, within 30 days."""
        return merge.undo(self.deps, request.caller, merge_id, request.cause)

    def _with_opt_outs[View](
        self, change: Callable[[], View], caller: Caller, contact_id: str
    ) -> Callable[[], View]:
        """Return a change that gives a contact addresses, after which its opt-outs are recorded for these, too."""

        def changed() -> View:
            view = change()
            consents.cover(self.deps.people(caller), self.consents, contact_id)
            return view

        return changed
