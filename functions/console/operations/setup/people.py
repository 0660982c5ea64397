"""Invites people, and gives roles and teams in the caller's company."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.operations.setup.views import PersonInvited
from shared.access.groups import Role
from shared.api import principals
from shared.api.auth import Forbidden, Scope
from shared.aws import observation

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.operations.setup.inputs import PersonInput
    from shared.access.user_pool import People
    from shared.api.auth import Caller


class PersonExists(Exception):
    """There is a login with this address."""


def invite(
    people: Callable[[], People], caller: Caller, given: PersonInput
) -> Callable[[], PersonInvited]:
    """
    Return the change that creates a person with roles and teams in the caller's company.

    A login that exists may belong to people of other companies, and roles in several companies change how its calls
    are answered: only operators give it further roles. Raises Forbidden for software, and for the role `operator`
    without the scope. The change is safe to repeat. It raises PersonExists for a login of another company.
    """
    require_person(caller)
    is_operator = Scope.OPERATOR in caller.scopes
    if Role.OPERATOR in given.roles and not is_operator:
        raise Forbidden("roles: only operators make operators")
    company, address = caller.company, given.email.lower()
    groups = [
        *(f"{company}:{role}" for role in given.roles),
        *(f"{company}:team:{team}" for team in given.teams),
    ]

    def change() -> PersonInvited:
        pool = people()
        exists = pool.has(address)
        # A repeat of a change that was cut off finds its own login, which has no group or groups of this company only.
        own = exists and all(one.partition(":")[0] == company for one in pool.groups_of(address))
        if exists and not (own or is_operator):
            raise PersonExists("email: has a login already; an operator adds further roles")
        if not exists:
            pool.create(address, (), invites=True, name=given.name)
        for group in dict.fromkeys(groups):
            pool.add(address, group)
        observation.note(None, {"email": address, "roles": given.roles, "teams": given.teams})
        return PersonInvited(principal=pool.find(address).principal, invited=not exists)

    return change


def require_person(caller: Caller) -> None:
    """Raise Forbidden for software: a key could give itself the rights of any role."""
    if not principals.is_person(caller.principal):
        raise Forbidden("only people change logins and credentials, not software")
