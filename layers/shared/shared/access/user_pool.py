"""The people of a user pool, with their roles and teams."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Self

from shared.access.groups import team_of
from shared.access.refusals import ChangeRefused
from shared.api import principals


@dataclass(frozen=True, slots=True)
class Found:
    """
    A person. *name*: in the user pool; None for one of another provider. *moment*: when that was read, by the clock of
    AWS (epoch seconds), since an operator's clock may be wrong.
    """

    principal: str
    name: str | None
    moment: int


class PoolMissing(Exception):
    """People log in at another provider: their logins, roles and teams are changed there."""

    def __init__(self) -> None:
        super().__init__("people log in at another provider; change logins, roles and teams there")


@dataclass(frozen=True, slots=True)
class People:
    """The people of one user pool."""

    client: Any  # of cognito-idp
    pool: str

    @classmethod
    def of(cls, client: Any, pool: str | None) -> Self:  # noqa: ANN401 - of cognito-idp
        """Return the people of a pool, as `LoginSettings` names it. Raises PoolMissing without one."""
        if pool is None:
            raise PoolMissing
        return cls(client, pool)

    def find(self, given: str) -> Found:
        """Find a person by address or user name (ChangeRefused if there is none), or by principal, of any provider."""
        if not principals.is_person(given):
            answer = self._change("admin_get_user", given)
            one = {"Attributes": answer["UserAttributes"]}
            return Found(principal_of(one), answer["Username"], _moment_of(answer))
        subject = given.partition(":")[2]
        try:
            principal = principals.of_person(subject)
        except ValueError:
            raise ChangeRefused("user", "must be user: and an id, as `list` shows") from None
        answer = self.client.list_users(UserPoolId=self.pool, Filter=f'sub = "{subject}"')
        names = [user["Username"] for user in answer["Users"]]
        return Found(principal, names[0] if names else None, _moment_of(answer))

    def second_factors(self, name: str) -> list[str]:
        """
        Return what a person has set up beside the password, in the words of Cognito: `SOFTWARE_TOKEN_MFA`, `SMS_MFA`,
        `EMAIL_OTP`. Raises ChangeRefused without the person.
        """
        return list(self._change("admin_get_user", name).get("UserMFASettingList", []))

    def has(self, name: str) -> bool:
        """Whether there is a person with this address or user name."""
        try:
            self.client.admin_get_user(UserPoolId=self.pool, Username=name)
        except self.client.exceptions.UserNotFoundException:
            return False
        return True

    def create(
        self,
        address: str,
        roles: Iterable[str],
        *,
        invites: bool,
        password: str | None = None,
        name: str | None = None,
    ) -> None:
        """
        Create a person with roles. Raises ChangeRefused if there is one with this address.

        *invites*: Cognito sends an e-mail with a temporary password. *password*: a temporary one. *name*: what
        colleagues see.
        """
        wanted = list(dict.fromkeys(roles))
        for group in wanted:
            self._ensure_group(group)
        try:
            self.client.admin_create_user(
                UserPoolId=self.pool,
                Username=address,
                UserAttributes=[
                    {"Name": "email", "Value": address},
                    {"Name": "email_verified", "Value": "true"},
                    *([{"Name": "name", "Value": name}] if name else []),
                ],
                **({"TemporaryPassword": password} if password else {}),
                **(
                    {"DesiredDeliveryMediums": ["EMAIL"]}
                    if invites
                    else {"MessageAction": "SUPPRESS"}
                ),
            )
        except self.client.exceptions.UsernameExistsException:
            raise ChangeRefused("email", "there is a user with this address") from None
        for group in wanted:
            self.add(address, group)

    def add(self, name: str, group: str) -> None:
        """Give a role, or make a member of a team. Safe to repeat."""
        self._ensure_group(group)
        self._change("admin_add_user_to_group", name, GroupName=group)

    def remove(self, name: str, group: str) -> None:
        """Take a role, or remove from a team. Safe to repeat."""
        try:
            self._change("admin_remove_user_from_group", name, GroupName=group)
        except self.client.exceptions.ResourceNotFoundException:
            if team_of(group):
                raise ChangeRefused("team", "there is no such team") from None
            raise ChangeRefused("role", "no user has this role") from None

    def disable(self, name: str) -> None:
        """Refuse new logins and refreshes. Access tokens stay valid until they are revoked. Safe to repeat."""
        self._change("admin_disable_user", name)
        self.sign_out(name)

    def sign_out(self, name: str) -> None:
        """Make all refresh tokens worthless. Safe to repeat."""
        self._change("admin_user_global_sign_out", name)

    def enable(self, name: str) -> None:
        """Allow logins again. Safe to repeat."""
        self._change("admin_enable_user", name)

    def reset_password(self, name: str, *, temporary: str | None = None) -> None:
        """Make a person set a new password: by a code that Cognito sends, or at the next login with *temporary*."""
        if temporary is None:
            self._change("admin_reset_user_password", name)
        else:
            self.set_password(name, temporary, is_final=False)
        self.sign_out(name)

    def set_password(self, name: str, password: str, *, is_final: bool) -> None:
        """Set a password; the person must change it at the next login unless it is final. Raises ChangeRefused."""
        try:
            self._change("admin_set_user_password", name, Password=password, Permanent=is_final)
        except self.client.exceptions.InvalidPasswordException:
            raise ChangeRefused("password", "breaks a rule of the login provider") from None

    def all(self) -> Iterator[Mapping[str, Any]]:
        """Yield every user of the pool, as Cognito describes it."""
        for page in self.client.get_paginator("list_users").paginate(UserPoolId=self.pool):
            yield from page["Users"]

    def groups(self) -> Iterator[str]:
        """Yield the names of all groups of the pool."""
        for page in self.client.get_paginator("list_groups").paginate(UserPoolId=self.pool):
            yield from (group["GroupName"] for group in page["Groups"])

    def members_of(self, group: str) -> Iterator[Mapping[str, Any]]:
        """Yield the users of a group, as Cognito describes them."""
        pages = self.client.get_paginator("list_users_in_group")
        for page in pages.paginate(UserPoolId=self.pool, GroupName=group):
            yield from page["Users"]

    def groups_of(self, name: str) -> list[str]:
        """Return the groups of a person, in order."""
        pages = self.client.get_paginator("admin_list_groups_for_user").paginate(
            UserPoolId=self.pool, Username=name
        )
        return sorted(group["GroupName"] for page in pages for group in page["Groups"])

    def _ensure_group(self, name: str) -> None:
        try:
            self.client.create_group(UserPoolId=self.pool, GroupName=name)
        except self.client.exceptions.GroupExistsException:
            return

    def _change(self, operation: str, name: str, **more: Any) -> Any:  # noqa: ANN401 - of the operation
        try:
            return getattr(self.client, operation)(UserPoolId=self.pool, Username=name, **more)
        except self.client.exceptions.UserNotFoundException:
            raise ChangeRefused("user", "user not found") from None


def address_of(one: Mapping[str, Any]) -> str:
    """Return the e-mail address of a user as Cognito describes it; empty without one."""
    return _attributes(one).get("email", "")


def name_of(one: Mapping[str, Any]) -> str | None:
    """Return what colleagues see of a user as Cognito describes it; None without a name."""
    return _attributes(one).get("name") or None


def principal_of(one: Mapping[str, Any]) -> str:
    """Return the principal of a user as Cognito describes it."""
    return principals.of_person(_attributes(one)["sub"])


def _moment_of(answer: Mapping[str, Any]) -> int:
    """Return when AWS answered. Raises ChangeRefused for an answer without a date, which AWS always gives."""
    date = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
    if date is None:
        raise ChangeRefused("user", "Cognito's answer has no date; try again")
    return int(parsedate_to_datetime(date).timestamp())


def _attributes(one: Mapping[str, Any]) -> dict[str, str]:
    return {entry["Name"]: entry["Value"] for entry in one.get("Attributes", [])}
