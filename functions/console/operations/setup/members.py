"""The people of a company for its administrators: roles, teams, the end of sessions, and the block of a login."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from console.operations.setup.people import require_person
from console.operations.setup.views import (
    Members,
    MemberState,
    MemberView,
    SecondFactors,
)
from shared.access import revocations
from shared.access.groups import Role, role_of, team_of
from shared.access.refusals import ChangeRefused
from shared.access.user_pool import address_of, name_of, principal_of
from shared.api import principals
from shared.api.auth import Forbidden, Scope
from shared.aws import observation
from shared.aws.tables.seen import ChangedMeanwhile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from console.operations.setup.inputs import BlockInput, MemberInput
    from shared.access.user_pool import People
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

MOST_MEMBERS = 1_000  # of each group


class PersonNotFound(Exception):
    """There is no such person in the company."""


@dataclass(slots=True, eq=False)
class Administration:
    """*keys*: the table of API keys, which has the revocations. *people* returns the user pool."""

    keys: Table
    people: Callable[[], People]

    def listed(self, caller: Caller) -> Members:
        """Return the people with a role or team in the caller's company, also those who are blocked."""
        require_person(caller)
        pool, found = self.people(), dict[str, MemberView]()
        for group in pool.groups():
            if _company_of(group) == caller.company:
                for user in islice(pool.members_of(group), MOST_MEMBERS):
                    view = found.setdefault(user["Username"], _view(user))
                    _add(view, group)
        return Members(people=sorted(found.values(), key=lambda one: one.name or one.email))

    def second_factors(self, caller: Caller, person_id: str) -> SecondFactors:
        """Return what a person of the company has set up beside the password. Raises PersonNotFound."""
        name, _ = self._member(caller, person_id)
        return SecondFactors(second_factors=self.people().second_factors(name))

    def change(
        self, caller: Caller, person_id: str, given: MemberInput
    ) -> Callable[[], MemberState]:
        """
        Return the change that gives a person exactly these roles and teams in the caller's company.

        Sessions end in any case, so that a repeat completes a change that was cut off. Raises PersonNotFound,
        Forbidden, ChangedMeanwhile, and ChangeRefused for administrators who would lock themselves out.
        """
        name, held = self._member(caller, person_id)
        company = caller.company
        wanted = given.groups(company)
        # A repeat of a change that was cut off has a part of it already.
        seen = given.seen.groups(company) if given.seen is not None else held
        if not held ^ seen <= wanted ^ seen:
            raise ChangedMeanwhile("seen: roles or teams were changed meanwhile")
        if f"{company}:{Role.OPERATOR}" in wanted ^ held and Scope.OPERATOR not in caller.scopes:
            raise Forbidden("roles: only operators make operators")
        if principals.of_person(person_id) == caller.principal and Role.ADMIN not in given.roles:
            raise ChangeRefused("roles", "must keep admin: another administrator takes it")

        def change() -> MemberState:
            pool = self.people()
            for group in sorted(wanted - held):
                pool.add(name, group)
            for group in sorted(held - wanted):
                pool.remove(name, group)
            self._end_sessions(pool, name)
            observation.note(_rights(held), _rights(wanted))
            return MemberState(person_id=person_id, is_enabled=None)

        return change

    def sign_out(self, caller: Caller, person_id: str) -> Callable[[], MemberState]:
        """Return the change that ends all sessions of a person, who may log in again. Raises PersonNotFound."""
        name, _ = self._member(caller, person_id)

        def change() -> MemberState:
            pool = self.people()
            pool.sign_out(name)
            self._end_sessions(pool, name)
            observation.note({"is_signed_out": False}, {"is_signed_out": True})
            return MemberState(person_id=person_id, is_enabled=None)

        return change

    def block(self, caller: Caller, person_id: str, given: BlockInput) -> Callable[[], MemberState]:
        """
        Return the change that refuses all calls and logins of a person, or allows them again.

        Raises PersonNotFound; ChangeRefused for oneself, and for a person of other companies unless an operator asks.
        """
        name, _ = self._member(caller, person_id)
        principal = principals.of_person(person_id)
        if principal == caller.principal:
            raise ChangeRefused("person_id", "must be another person than the caller")
        companies = {_company_of(group) for group in self.people().groups_of(name)}
        if companies - {caller.company, None} and Scope.OPERATOR not in caller.scopes:
            raise ChangeRefused("person_id", "has roles in other companies: an operator blocks it")

        def change() -> MemberState:
            pool = self.people()
            was_blocked = revocations.find(self.keys, principal).is_blocked
            if given.blocked:
                # The API first: it refuses the person even if the call dies before the login provider does.
                revocations.end_sessions(self.keys, principal, pool.find(name).moment)
                revocations.block(self.keys, principal)
                pool.disable(name)
            else:
                pool.enable(name)
                revocations.unblock(self.keys, principal)
            observation.note({"is_blocked": was_blocked}, {"is_blocked": given.blocked})
            return MemberState(person_id=person_id, is_enabled=not given.blocked)

        return change

    def _member(self, caller: Caller, person_id: str) -> tuple[str, set[str]]:
        """Return the user name of a person and their groups in the caller's company. Raises PersonNotFound."""
        require_person(caller)
        pool = self.people()
        try:
            found = pool.find(principals.of_person(person_id))
        except ValueError:
            raise PersonNotFound from None
        held = pool.groups_of(found.name) if found.name is not None else []
        own = {group for group in held if _company_of(group) == caller.company}
        if found.name is None or not own:
            raise PersonNotFound
        return found.name, own

    def _end_sessions(self, pool: People, name: str) -> None:
        """Refuse what was issued until now, by the clock of AWS. Open connections get no more hints."""
        found = pool.find(name)
        revocations.end_sessions(self.keys, found.principal, found.moment)


def _rights(groups: Iterable[str]) -> dict[str, list[str]]:
    """Return the roles and teams of groups."""
    return {
        "roles": sorted(str(held[1]) for group in groups if (held := role_of(group))),
        "teams": sorted(one[1] for group in groups if (one := team_of(group))),
    }


def _company_of(group: str) -> str | None:
    """Return the company of a group that is a role or a team."""
    named = role_of(group) or team_of(group)
    return named[0] if named else None


def _view(user: Mapping[str, Any]) -> MemberView:
    return MemberView(
        person_id=principal_of(user).partition(":")[2],
        name=name_of(user),
        email=address_of(user),
        is_enabled=bool(user.get("Enabled")),
        has_logged_in=user.get("UserStatus") != "FORCE_CHANGE_PASSWORD",
        roles=[],
        teams=[],
    )


def _add(view: MemberView, group: str) -> None:
    """Add a role or a team to a person."""
    shown: Iterable[tuple[Any, list[Any]]] = (
        (role_of(group), view.roles),
        (team_of(group), view.teams),
    )
    for named, into in shown:
        if named is not None:
            into.append(named[1])
