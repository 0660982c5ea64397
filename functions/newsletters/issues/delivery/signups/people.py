"""
Contacts of readers: a confirmed address becomes a contact that people can find and write to, in the list it asked for.

What the company has stored of a contact stays: a sign-up adds only what is absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from newsletters.issues.readers import acts
from newsletters.issues.readers.reader_data import contact_of
from newsletters.store.readers import interest
from shared.aws.sqs_fifo import digest
from shared.contacts import lists
from shared.identity.contacts import details, merges, resolution
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.details import TooManyValues, VersionConflict
from shared.identity.contacts.history import Act
from shared.identity.contacts.items import Profile, What
from shared.identity.identifiers import IdentifierKind, identifier
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.store.items import Choices, Signup
    from shared.aws.dynamodb import Table
    from shared.identity.identifiers import Identifier

READER: Final = "reader"  # who changes the contact, in its history


def join(resources: SendingResources, signup: Signup) -> bool:
    """
    Record the consent of a confirmed sign-up to its list, and make the contact a member; False if the list has gone.

    Safe to repeat. Raises Transient.
    """
    company, table = signup.company_id, resources.people.contacts
    acts.record_confirmed(resources.people.consents, signup)
    if signup.confirmed_at is not None:
        interest.note(resources.store.table, company, signup.recipient, signup.confirmed_at)
    cause = digest("newsletter signup", company, signup.recipient, str(signup.confirmed_at))
    own = identifier(IdentifierKind.EMAIL, signup.email)
    person = _contact(table, company, own, cause)
    _complete(table, person, Act(cause, READER), signup)
    return lists.add(table, company, signup.list_id, person)


def leave_all(resources: SendingResources, asked: Signup) -> None:
    """
    Record that a reader who is to be erased wants no newsletter, and take the contact out of all lists.

    Safe to repeat. Raises Transient.
    """
    company, table = asked.company_id, resources.people.contacts
    acts.record_confirmed(resources.people.consents, asked)
    person = contact_of(table, company, asked.email)
    if person is None:
        return
    for one in lists.of_person(table, person):
        lists.leave(table, company, one.sk, person)


def choose(resources: SendingResources, made: Choices) -> None:
    """Bring a contact into the chosen lists, and store the chosen language and name. Repeatable. Raises Transient."""
    table = resources.people.contacts
    person = resolution.current(table, made.company_id, made.contact_id)
    if person is None:
        return  # erased meanwhile
    for list_id in made.joins:
        lists.add(table, made.company_id, list_id, person)
    fields: dict[str, Any] = {}
    if made.is_language_new and made.language:
        fields["language"] = made.language
    if made.first_name is not None:
        fields["given_names"] = made.first_name or None
    if fields:
        named = (made.company_id, made.recipient, made.changed_at, str(made.version))
        cause = digest("newsletter choices", *named)
        _change(table, person, fields, Act(cause, READER), What.CHANGED)


def _contact(table: Table, company: str, own: Identifier, cause: str) -> Profile:
    """Return the contact of an address, made if it is new, on which the address is stored."""
    resolution.resolve(table, company, (Claim(own, Proof.PROVIDER),), clock.now_ms())
    ids = resolution.ids_of(company, own)
    stored = map(
        Profile.read, table.get_many([Profile.key(company, contact_id) for contact_id in ids])
    )
    by_id = {one.contact_id: one for one in stored}
    profile = next((by_id[one] for one in ids if one in by_id), None)
    if profile is None:
        raise Transient("contact_erased_meanwhile")
    if profile.value is None:
        merges.name_identifier(table, profile, own.value, cause)
    person = resolution.current(table, company, profile.contact_id)
    if person is None:
        raise Transient("contact_erased_meanwhile")
    return person


def _complete(table: Table, person: Profile, act: Act, signup: Signup) -> None:
    """Store the reader's name and language, as far as the contact has none."""
    present = details.described(table, person).details
    given = {"given_names": signup.first_name or None, "language": signup.language}
    absent = {
        name: value
        for name, value in given.items()
        if value and not (present and getattr(present, name))
    }
    if absent:
        what = What.CHANGED if present else What.CREATED
        _change(table, person, absent, act, what)


def _change(table: Table, person: Profile, fields: dict[str, Any], act: Act, what: What) -> None:
    try:
        details.change(table, person, fields, act=act, what=what)
    except VersionConflict:
        raise Transient("contact_contended") from None
    except TooManyValues:
        return  # The contact has had so many values that searches would not find it by further ones.
