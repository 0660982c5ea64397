"""The routes of notes, history, consents and attributes of people."""

from collections.abc import Callable
from dataclasses import dataclass

from console.api.inbox import InboxDependencies
from console.api.inputs import PageQuery
from console.contacts import contacts, views
from console.contacts.changes import consents, definitions, inputs, notes
from console.contacts.changes import history as changes
from shared.api.auth import Forbidden, Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.policy.consent.records import Consents


@dataclass(slots=True, eq=False)
class RecordRoutes:
    """Records about a person beside the contact itself, and the consent records of the company."""

    deps: InboxDependencies
    consents: Consents

    @route_methods.reads("GET /contacts/{contact_id}/notes", Scope.CONTACTS_READ)
    def list_notes(self, request: Request[PageQuery], contact_id: str) -> Page[views.ContactNotes]:
        """List the notes about a person, newest first."""
        return notes.listed(self.deps, request.caller, contact_id, request.input)

    @route_methods.changes("POST /contacts/{contact_id}/notes", Scope.CONTACTS_WRITE)
    def add_note(
        self, request: Request[inputs.NoteInput], contact_id: str
    ) -> Callable[[], views.ContactNote]:
        """Write a note about a person."""
        return notes.add(self.deps, request.caller, contact_id, request.input, request.cause)

    @route_methods.changes("PATCH /contacts/{contact_id}/notes/{note_id}", Scope.CONTACTS_WRITE)
    def change_note(
        self, request: Request[inputs.ChangeNoteInput], contact_id: str, note_id: str
    ) -> Callable[[], views.ContactNote]:
        """Change an own note; one of others needs `contacts:admin`, too."""
        ids = contact_id, note_id
        return notes.change(self.deps, request.caller, ids, request.input, request.cause)

    @route_methods.changes("DELETE /contacts/{contact_id}/notes/{note_id}", Scope.CONTACTS_WRITE)
    def remove_note(
        self, request: Request[NoInput], contact_id: str, note_id: str
    ) -> Callable[[], views.RemovedNote]:
        """Remove an own note; one of others needs `contacts:admin`, too."""
        return notes.remove(self.deps, request.caller, (contact_id, note_id), request.cause)

    @route_methods.reads("GET /contacts/{contact_id}/changes", Scope.CONTACTS_READ)
    def list_contact_changes(
        self, request: Request[PageQuery], contact_id: str
    ) -> Page[views.ContactChanges]:
        """List who changed what of a person's record, newest first."""
        return changes.listed(self.deps, request.caller, contact_id, request.input)

    @route_methods.reads(
        "GET /contacts/{contact_id}/tickets", Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE
    )
    def list_tickets(self, request: Request[NoInput], contact_id: str) -> views.ContactTickets:
        """List the tickets of the help desk that a person has opened; needs `contacts:read`, too."""
        if Scope.CONTACTS_READ not in request.caller.scopes:
            raise Forbidden(f"the scope {Scope.CONTACTS_READ} is needed, too")
        return contacts.tickets_of(self.deps, request.caller, contact_id)

    @route_methods.reads("GET /contacts/{contact_id}/consents", Scope.CONSENT_READ)
    def get_consents(self, request: Request[NoInput], contact_id: str) -> views.ContactConsents:
        """Return the consent of a person on all channels, with evidence."""
        return consents.read(self.deps, self.consents, request.caller, contact_id)

    @route_methods.changes(
        "POST /contacts/{contact_id}/consents", Scope.CONSENT_WRITE, Scope.CONTACTS_WRITE
    )
    def record_consent(
        self, request: Request[inputs.ConsentInput], contact_id: str
    ) -> Callable[[], views.ContactConsents]:
        """Record an opt-out or opt-in for all identifiers of a person; an opt-in needs `consent:write`."""
        return consents.record(self.deps, self.consents, request.caller, contact_id, request.input)

    @route_methods.changes("POST /contacts/{contact_id}/reachability", Scope.CONTACTS_ADMIN)
    def lift_report(
        self, request: Request[inputs.LiftInput], contact_id: str
    ) -> Callable[[], views.ContactConsents]:
        """Write again to an address that the provider has reported as unreachable. Opt-outs and complaints stay."""
        return consents.lift(self.deps, self.consents, request.caller, contact_id, request.input)

    @route_methods.reads("GET /attributes", Scope.CONTACTS_READ)
    def list_attributes(self, request: Request[NoInput]) -> views.AttributeDefinitions:
        """List the attributes that the company defines for contacts."""
        return definitions.listed(self.deps, request.caller)

    @route_methods.changes("PUT /attributes/{name}", Scope.CONTACTS_ADMIN)
    def define_attribute(
        self, request: Request[inputs.DefinitionInput], name: str
    ) -> Callable[[], views.AttributeDefinitions]:
        """Define an attribute of contacts, or change its title and choices."""
        return definitions.define(self.deps, request.caller, name, request.input)

    @route_methods.changes("DELETE /attributes/{name}", Scope.CONTACTS_ADMIN)
    def remove_attribute(
        self, request: Request[NoInput], name: str
    ) -> Callable[[], views.AttributeDefinitions]:
        """Remove the definition of an attribute; its values are not shown any more."""
        return definitions.remove(self.deps, request.caller, name)
