"""
The people and teams of a company, from the groups of the user pool.

Cognito limits the rate of reads for the whole account, so a company's answer is kept in the memory of the execution
environment for KEPT_MS: a change shows after at most this time. One reading makes at most MOST_CALLS calls of up to 60
groups or users each; what is beyond them is left out, and the answer says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from console.api.views import CompanyPeople, PersonView
from shared.access.companies import profile_of
from shared.access.groups import role_of, team_of
from shared.api import principals
from shared.api.auth import EVERY_PROJECT, Forbidden
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from shared.access.companies import CompanyProfile
    from shared.access.groups import Role
    from shared.access.logins import StoredLogins
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

KEPT_MS = 300 * clock.SECOND_MS
MOST_CALLS = 100
WITHIN_MS = 20 * clock.SECOND_MS  # the API answers within 29 seconds
LONGEST_NAME = 80  # characters
_A_CALL = 60  # the most that Cognito returns


class Unsupported(Exception):
    """People log in at another provider, and no standard lists the people of an OpenID provider."""


class People:
    """
    The people of each company. *client* returns the client of the user pool, with short timeouts; *keys* is the table
    of API keys, which has the names of companies.
    """

    def __init__(self, client: Callable[[], Any], logins: StoredLogins, keys: Table) -> None:
        self._client = client
        self._logins = logins
        self._keys = keys
        self._kept: dict[str, tuple[int, CompanyPeople]] = {}

    def of(self, caller: Caller) -> CompanyPeople:
        """
        Return the enabled people with a role in the caller's company, and their teams.

        Raises Forbidden for a key that is bound to projects, Unsupported and Transient.
        """
        if EVERY_PROJECT not in caller.projects:
            raise Forbidden("people belong to no project, and this API key is bound to projects")
        company = caller.company
        pool = self._logins.value().user_pool
        if pool is None:
            raise Unsupported("people log in at another provider, which does not list them")
        read_at, kept = self._kept.get(company, (0, None))
        now = clock.now_ms()
        if kept is None or now - read_at >= KEPT_MS:
            try:
                profile = profile_of(self._keys, company)
                kept = _read(_Calls(self._client(), pool, now + WITHIN_MS), company, profile)
            except (ClientError, BotoCoreError) as failure:
                logger.warning("user pool unreadable", extra=describe(failure))
                raise Transient("user pool unreadable") from None
            self._kept[company] = (now, kept)
        return kept


@dataclass(slots=True)
class _Calls:
    """The calls of one reading. *is_complete*: whether they were enough for all that was asked."""

    client: Any  # the development environment has no stubs of Cognito
    pool: str
    until_ms: int
    made: int = 0
    is_complete: bool = True

    def groups(self) -> Iterator[str]:
        """Yield the names of all groups. Raises Transient, and the exceptions of the SDK."""
        for group in self._all("list_groups", "Groups"):
            yield group["GroupName"]

    def members(self, group: str) -> Iterator[Mapping[str, Any]]:
        """Yield the users of a group, as Cognito describes them. Raises the same exceptions."""
        try:
            yield from self._all("list_users_in_group", "Users", GroupName=group)
        except self.client.exceptions.ResourceNotFoundException:
            return  # deleted since it was listed

    def _all(self, operation: str, of: str, **named: str) -> Iterator[Mapping[str, Any]]:
        position: dict[str, str] = {}
        while True:
            if self.made == MOST_CALLS:
                self.is_complete = False
                return
            if clock.now_ms() >= self.until_ms:
                raise Transient("user pool slow")
            self.made += 1
            call = getattr(self.client, operation)
            page = call(UserPoolId=self.pool, Limit=_A_CALL, **named, **position)
            yield from page[of]
            if not page.get("NextToken"):
                return
            position = {"NextToken": page["NextToken"]}


@dataclass(slots=True)
class _Found:
    name: str | None
    roles: set[Role] = field(default_factory=set)
    teams: set[str] = field(default_factory=set)


def _read(calls: _Calls, company: str, profile: CompanyProfile) -> CompanyPeople:
    roles, teams = _groups_of(company, calls.groups())
    found: dict[str, _Found] = {}
    for role, group in sorted(roles.items()):
        for user in _enabled(calls.members(group)):
            person = found.setdefault(user["sub"], _Found(_name_of(user)))
            person.roles.add(role)
    for team, group in sorted(teams.items()):
        for user in _enabled(calls.members(group)):
            # A member without a role in the company cannot open its conversations.
            if user["sub"] in found:
                found[user["sub"]].teams.add(team)
    if not calls.is_complete:
        logger.warning("people left out", extra={"company": company, "people": len(found)})
    people = [_view(subject, person) for subject, person in found.items()]
    return CompanyPeople(
        people=sorted(people, key=lambda one: ((one.name or "\uffff").casefold(), one.principal)),
        teams=sorted({team for person in found.values() for team in person.teams}),
        complete=calls.is_complete,
        company_name=profile.name,
        language=profile.language,
    )


def _groups_of(company: str, groups: Iterator[str]) -> tuple[dict[Role, str], dict[str, str]]:
    """Return the groups of a company: by role, and by team."""
    roles: dict[Role, str] = {}
    teams: dict[str, str] = {}
    for group in groups:
        if (named := role_of(group)) and named[0] == company:
            roles[named[1]] = group
        elif (team := team_of(group)) and team[0] == company:
            teams[team[1]] = group
    return roles, teams


def _enabled(users: Iterator[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """Yield the attributes of users who may log in."""
    for user in users:
        attributes = {one["Name"]: one["Value"] for one in user.get("Attributes", [])}
        if user.get("Enabled") and "sub" in attributes:
            yield attributes


def _name_of(user: Mapping[str, str]) -> str | None:
    """Return the attribute `name`, else the part of the address before the @; None without both."""
    return (user.get("name", "").strip() or user.get("email", "").partition("@")[0])[
        :LONGEST_NAME
    ] or None


def _view(subject: str, person: _Found) -> PersonView:
    return PersonView(
        principal=principals.of_person(subject),
        name=person.name,
        roles=sorted(person.roles),
        teams=sorted(person.teams),
    )
