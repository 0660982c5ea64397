"""
Makes the first administrator of a company, by a one-time link.

    find link -> begin(address) -> user -> password -> roles -> finish

A call that dies between two of these is completed by its repeat: the link goes on with the same address only, and each
step can be repeated. After `finish` the link is refused, and the person can log in.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from console.operations.setup.views import AdministratorView
from shared.access import first_links
from shared.access.refusals import ChangeRefused
from shared.api.auth import Caller

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.operations.setup.inputs import AdministratorInput
    from shared.access.first_links import FirstLink
    from shared.access.user_pool import People
    from shared.api.audit_log.log import AuditLog
    from shared.aws.dynamodb import Table


@dataclass(slots=True, eq=False)
class FirstAdministrators:
    """*keys*: the table of API keys, which has the links. *people* returns the user pool; it raises Unsupported."""

    keys: Table
    people: Callable[[], People]
    audit_log: AuditLog

    def make(self, given: AdministratorInput, request_id: str) -> AdministratorView:
        """
        Create the person, who may log in with the password at once. Safe to repeat until it has answered.

        Raises LinkRefused, ChangeRefused and Unsupported.
        """
        address = given.email.lower()
        people = self.people()
        link, has_begun = first_links.find(self.keys, given.token, address)
        if people.has(address) and not (has_begun and _is_own(people, address, link)):
            raise ChangeRefused("email", "has a login already: use another address, or log in")
        if not has_begun:
            first_links.begin(self.keys, given.token, address)
        principal = self._person(people, given, address)

        def finish() -> AdministratorView:
            for role in link.roles:
                people.add(address, f"{link.company}:{role}")
            first_links.finish(self.keys, given.token, address)
            return AdministratorView(principal=principal, company=link.company)

        return self._recorded(finish, link, principal, request_id)

    def _person(self, people: People, given: AdministratorInput, address: str) -> str:
        """Create the user if there is none, set the password, and return the principal. Raises ChangeRefused."""
        if not people.has(address):
            people.create(address, (), invites=False, name=given.name)
        people.set_password(address, given.password, is_final=True)
        return people.find(address).principal

    def _recorded(
        self,
        finish: Callable[[], AdministratorView],
        link: FirstLink,
        principal: str,
        request_id: str,
    ) -> AdministratorView:
        """Record the change as one of the new administrator's own."""
        return self.audit_log.record(
            finish,
            caller=Caller(company=link.company, scopes=frozenset(), principal=principal),
            change="make_first_administrator",
            object_id=None,
            request_id=request_id,
            status_of=lambda outcome: (
                HTTPStatus.GONE if isinstance(outcome, Exception) else HTTPStatus.OK
            ),
        )


def _is_own(people: People, address: str, link: FirstLink) -> bool:
    """Whether a login has no other roles than a link gives, so that a call of the link may have made it."""
    return set(people.groups_of(address)) <= {f"{link.company}:{role}" for role in link.roles}
