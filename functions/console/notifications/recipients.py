"""The addresses of people at the user pool, what they may read, and whether they are present."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from console.reading_rights import SCOPES
from shared.access.groups import Role, role_of, team_of
from shared.api import principals
from shared.api.auth import Caller
from shared.inbox.live import connections
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shared.access.logins import StoredLogins
    from shared.aws.dynamodb import Table

# The roles that read conversations; an operator does not.
_READING: Final = frozenset({Role.AGENT, Role.SUPERVISOR, Role.ADMIN})
_MOST_GROUPS: Final = 60  # the most that Cognito returns


@dataclass(frozen=True, slots=True)
class Recipient:
    """
    A person who may read the conversations of a company, as a caller of the API.

    *address*: for mails; None if they have none that is proven to be theirs.
    """

    caller: Caller
    address: str | None = field(repr=False)
    teams: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recipients:
    """*client* returns the client of the user pool, with short timeouts."""

    client: Callable[[], Any]  # the development environment has no stubs of Cognito
    logins: StoredLogins

    def find(self, company: str, principal: str) -> Recipient | None:
        """
        Return a person by their principal; None if they cannot log in or may not read.

        Raises ClientError and BotoCoreError.
        """
        pool = self.logins.value().user_pool
        subject = principal.removeprefix(f"{principals.Kind.PERSON}:")
        if pool is None or not principals.is_person(principal):
            return None
        client = self.client()
        users = client.list_users(UserPoolId=pool, Filter=f'sub = "{subject}"', Limit=1)["Users"]
        if not users or not users[0].get("Enabled"):
            return None
        attributes = _attributes(users[0])
        # A person may have changed their address, and not proven the new one.
        address = attributes.get("email") if attributes.get("email_verified") == "true" else None
        found = client.admin_list_groups_for_user(
            UserPoolId=pool, Username=users[0]["Username"], Limit=_MOST_GROUPS
        )
        groups = [str(group["GroupName"]) for group in found["Groups"]]
        roles = {named[1] for group in groups if (named := role_of(group)) and named[0] == company}
        teams = [team[1] for group in groups if (team := team_of(group)) and team[0] == company]
        if roles.isdisjoint(_READING):
            return None
        caller = Caller(company=company, scopes=frozenset(SCOPES.values()), principal=principal)
        return Recipient(caller, address or None, tuple(sorted(teams)))


def is_present(live: Table, company: str, principal: str) -> bool:
    """Whether a page of the person is open."""
    found = connections.of_principal(live, principal)
    return any(one.company == company and not clock.is_over(one.ttl) for one in found)


def _attributes(user: Mapping[str, Any]) -> dict[str, str]:
    return {one["Name"]: one["Value"] for one in user.get("Attributes", [])}
