"""
Effects of a row on the contacts: decided from the stored ones, and the same when repeated.

    no contact has an identifier of the row      the contact is created
    one contact has                              its details are updated, further identifiers are added
    two contacts have                            refused: a file joins no contacts

The requests of a row have causes of their own, one for a contact that it makes and one for a contact that it changes.
So a run that repeats a row finds by them what an earlier one has done, and reports the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from console.contacts.changes.consents import cover
from console.contacts.imports import attestations
from console.contacts.imports.attestations import Attestation
from console.contacts.imports.rows import RowRefused
from shared.aws.sqs_fifo import digest
from shared.contacts import lists
from shared.identity.contacts import details, merges, resolution
from shared.identity.contacts.attributes import ValuesRefused
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.details import TooManyValues, VersionConflict
from shared.identity.contacts.history import Act
from shared.identity.contacts.items import Profile, What
from shared.identity.contacts.merges import MergeRefused, Missing
from shared.identity.identifiers import IdentifierKind
from shared.policy.consent import withdrawals
from shared.policy.consent.attested import EVIDENCE
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from console.contacts.imports.rows import Row
    from console.search.contacts import ContactSearch
    from console.store.contacts.imports import Attested
    from shared.aws.dynamodb import Table
    from shared.identity.contacts.items import AttributeValue
    from shared.identity.identifiers import Identifier
    from shared.policy.consent.records import Consents

type Outcome = Literal["created", "updated", "unchanged", "refused"]


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What a row does. *person*: the contact that has one of its identifiers, None for a new one. *fields* and *values*
    are those that differ from what is stored, *missing* the identifiers that the contact lacks.
    """

    outcome: Outcome
    person: Profile | None
    fields: Mapping[str, Any] = field(repr=False)
    values: Mapping[str, AttributeValue] = field(repr=False)
    missing: Sequence[Identifier] = field(repr=False)
    seen: Mapping[Identifier, str | None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ImportedPeople:
    """
    The contacts of an import's company. *fills*: stored details stay, only what is absent is added. *erased*: the ids
    of profiles of people who were erased since the import has begun.
    """

    search: ContactSearch
    consents: Consents
    company: str
    import_id: str
    by: str
    fills: bool
    erased: Collection[str] = ()

    @property
    def table(self) -> Table:
        """The table of the contacts."""
        return self.search.contacts

    def plan(self, row: Row) -> Plan:
        """Return what a row does. Raises RowRefused."""
        if any(map(self._has_changed_hands, row.identifiers)):
            raise RowRefused("the phone number was another person's before: add it to a contact")
        if any(map(self._was_erased, row.identifiers)):
            raise RowRefused("the person was erased after the import had begun")
        profiles = self._profiles(row.identifiers)
        seen = {one: found.named_by if found else None for one, found in profiles.items()}
        made, changed = self._act(row, "created").cause, self._act(row, "updated").cause
        people = self._people(
            [one for one in profiles.values() if one is not None], {made, changed}
        )
        own = made in seen.values()
        if len(people) > 1:
            raise RowRefused("the identifiers of the row belong to different contacts")
        person = next(iter(people.values()), None)
        if person is None:
            return Plan("created", None, row.details, row.values, row.identifiers, seen)
        stored = details.described(self.table, person).details
        members = {person.contact_id, *person.members}
        missing = [
            one
            for one, found in profiles.items()
            if found is None or found.contact_id not in members
        ]
        if own:
            # Details that people have written since stay.
            is_new = stored is None or stored.cause == made
            fields, values = (row.details, row.values) if is_new else ({}, {})
            return Plan("created", person, fields, values, missing, seen)
        fields = self._changed(row.details, {} if stored is None else stored.model_dump())
        values = self._changed(row.values, (stored.attributes if stored else None) or {})
        did = (stored is not None and stored.cause == changed) or changed in seen.values()
        outcome: Outcome = "updated" if fields or values or missing or did else "unchanged"
        return Plan(outcome, person, fields, values, missing, seen)

    def apply(self, row: Row, plan: Plan) -> Profile:
        """Do what a row does, and return its contact. Safe to repeat. Raises RowRefused and Transient."""
        act = self._act(row, plan.outcome)
        try:
            person = self._applied(plan, act)
        except VersionConflict:
            raise Transient("contact_contended") from None
        except (MergeRefused, TooManyValues) as refusal:
            raise RowRefused(str(refusal)) from None
        except Missing:
            raise RowRefused("the contact was erased meanwhile") from None
        except ValuesRefused as refusal:
            raise RowRefused(next(iter(refusal.problems.values()))) from None
        if plan.outcome != "unchanged" and len(row.identifiers) > 1:
            # Also of a repeated row, whose first run may have added identifiers and ended then.
            cover(self.search, self.consents, person.contact_id)
        return person

    def join(self, list_id: str, person: Profile) -> None:
        """Make a contact a member of a list, unless the list was removed meanwhile. Safe to repeat."""
        lists.add(self.table, self.company, list_id, person, import_id=self.import_id)

    def attest(self, row: Row, attested: Attested, person: Profile) -> None:
        """Record what the company has attested of the person of a row. Safe to repeat."""
        attestations.record(self.consents, self.table, person, row.identifiers, self._of(attested))

    def _of(self, attested: Attested) -> Attestation:
        return Attestation(
            company=self.company,
            state=attested.state,
            channels=sorted(attested.channels),
            at_ms=clock.from_text(attested.given_at),
            evidence=EVIDENCE.format(import_id=self.import_id, source=attested.source),
            by=self.by,
        )

    def _applied(self, plan: Plan, act: Act) -> Profile:
        person, missing = plan.person, list(plan.missing)
        if person is None:
            first = self._named(missing.pop(0), act, plan.seen)
            person = self._current(first.contact_id)
        is_new = plan.outcome == "created"
        if plan.fields or plan.values or (is_new and self._lacks_details(person)):
            fields = dict(plan.fields)
            what = What.CREATED if is_new else What.CHANGED
            details.change(self.table, person, fields, act=act, what=what, values=dict(plan.values))
        for one in missing:
            added = self._named(one, act, plan.seen)
            merges.add_identifier(
                self.table, self.company, person.contact_id, added.contact_id, act
            )
        return self._current(person.contact_id)

    def _lacks_details(self, person: Profile) -> bool:
        return details.described(self.table, person).details is None

    def _has_changed_hands(self, one: Identifier) -> bool:
        """Whether a number has another owner than its contact: a file does not say which of both it means."""
        if one.kind is not IdentifierKind.PHONE:
            return False
        changes = withdrawals.changes_of(self.consents.table, self.company, one.value)
        now = clock.to_text(clock.now_ms())
        return withdrawals.change_before(changes, now, None) is not None

    def _was_erased(self, one: Identifier) -> bool:
        return not set(self.erased).isdisjoint(resolution.ids_of(self.company, one))

    def _named(self, one: Identifier, act: Act, seen: Mapping[Identifier, str | None]) -> Profile:
        """Return the profile of an identifier, made if it is new, on which this row is stored."""
        claims = (Claim(one, Proof.COMPANY),)
        resolution.resolve(self.table, self.company, claims, clock.now_ms())
        profile = self._profiles([one])[one]
        if profile is None:
            raise Missing("erased meanwhile")
        merges.name_identifier(self.table, profile, one.value, act.cause, seen=seen[one])
        return profile

    def _current(self, contact_id: str) -> Profile:
        person = resolution.current(self.table, self.company, contact_id)
        if person is None:
            raise Missing("erased meanwhile")
        return person

    def _profiles(self, identifiers: Sequence[Identifier]) -> dict[Identifier, Profile | None]:
        """Return the profile of each identifier itself, None for a new one."""
        ids = {one: resolution.ids_of(self.company, one) for one in identifiers}
        keys = [Profile.key(self.company, each) for found in ids.values() for each in found]
        stored = {one.contact_id: one for one in map(Profile.read, self.table.get_many(keys))}
        return {
            one: next((stored[each] for each in found if each in stored), None)
            for one, found in ids.items()
        }

    def _people(self, profiles: Sequence[Profile], own: set[str]) -> dict[str, Profile]:
        """
        Return the contacts of profiles by id, without contacts of which nothing is known: what an earlier run of the
        row (causes *own*) has begun, or an erasure has left.
        """
        found: dict[str, Profile] = {}
        for profile in profiles:
            person = resolution.current(self.table, self.company, profile.contact_id)
            if person is None or person.contact_id in found:
                continue
            is_known = (
                details.described(self.table, person).details is not None
                or person.named_by not in {None, *own}
                or self.search.listed(person, 1, None)
            )
            if is_known:
                found[person.contact_id] = person
        return found

    def _changed(self, given: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that differ from the stored ones; labels are added to those that the contact has."""
        changed: dict[str, Any] = {}
        for name, value in given.items():
            before = stored.get(name)
            after = value | (before or set()) if name == "labels" else value
            is_kept = self.fills and name != "labels" and before is not None
            if after != before and not is_kept:
                changed[name] = after
        return changed

    def _act(self, row: Row, what: str) -> Act:
        cause = digest("contact import", self.company, self.import_id, str(row.line), what)
        return Act(cause, self.by)
