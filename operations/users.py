"""Create, list, disable and enable the people who log in to a deployment; give and take their roles."""

import argparse
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import boto3

from access.roles import GROUP, Role
from operations import arguments
from operations.arguments import Refused

USER_POOL = "UserPoolId"  # output of template.yaml
_ROLES = ", ".join(Role)

email = arguments.matching(
    r"[^\s@\x00-\x1f\x7f]{1,64}@[A-Za-z0-9.-]{1,190}", "an e-mail address in ASCII"
)
# A user name of Cognito: an address, or `<provider>_<id>` for a person of an identity provider.
user = arguments.matching(
    r"[\x21-\x7e]{1,128}", "an e-mail address or a user name, as `list` shows"
)


def role(text: str) -> str:
    """Argparse type of a company and a role, which is the name of a group."""
    parts = GROUP.fullmatch(text)
    if parts is None or parts[2] not in Role:
        raise argparse.ArgumentTypeError(
            f"must be <company>:<role>, with one of the roles {_ROLES}"
        )
    return text


@dataclass(frozen=True, slots=True)
class People:
    """The people of one user pool."""

    client: Any  # of cognito-idp
    pool: str

    def create(
        self, address: str, roles: Iterable[str], *, invites: bool, password: str | None = None
    ) -> None:
        """
        Create a person with roles. Raises Refused if there is one with this address.

        *invites*: Cognito sends an e-mail with a temporary password. *password*: a temporary one of ours.
        """
        wanted = list(dict.fromkeys(roles))
        for name in wanted:
            self._ensure_group(name)
        try:
            self.client.admin_create_user(
                UserPoolId=self.pool,
                Username=address,
                UserAttributes=[
                    {"Name": "email", "Value": address},
                    {"Name": "email_verified", "Value": "true"},
                ],
                **({"TemporaryPassword": password} if password else {}),
                **(
                    {"DesiredDeliveryMediums": ["EMAIL"]}
                    if invites
                    else {"MessageAction": "SUPPRESS"}
                ),
            )
        except self.client.exceptions.UsernameExistsException:
            raise Refused("email: there is a user with this address; see `list`") from None
        for name in wanted:
            self.add(address, name)

    def add(self, name: str, group: str) -> None:
        """Give a role. Safe to repeat."""
        self._ensure_group(group)
        self._change("admin_add_user_to_group", name, GroupName=group)

    def remove(self, name: str, group: str) -> None:
        """Take a role. Safe to repeat."""
        try:
            self._change("admin_remove_user_from_group", name, GroupName=group)
        except self.client.exceptions.ResourceNotFoundException:
            raise Refused("role: no user has this role") from None

    def disable(self, name: str) -> None:
        """Refuse new logins, and end the sessions: access tokens stay valid until they expire. Safe to repeat."""
        self._change("admin_disable_user", name)
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
        self._change("admin_user_global_sign_out", name)

    def set_password(self, name: str, password: str, *, is_final: bool) -> None:
        """Set a password; the person must change it at the next login unless it is final."""
        self._change("admin_set_user_password", name, Password=password, Permanent=is_final)

    def all(self) -> Iterator[Mapping[str, Any]]:
        """Yield every user of the pool, as Cognito describes it."""
        for page in self.client.get_paginator("list_users").paginate(UserPoolId=self.pool):
            yield from page["Users"]

    def roles_of(self, name: str) -> list[str]:
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

    def _change(self, operation: str, name: str, **more: Any) -> None:  # noqa: ANN401 - parameters of the operation
        try:
            getattr(self.client, operation)(UserPoolId=self.pool, Username=name, **more)
        except self.client.exceptions.UserNotFoundException:
            raise Refused("user: user not found") from None


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    pool = arguments.outputs_of(options.stack, USER_POOL)[USER_POOL]
    options.run(People(boto3.client("cognito-idp"), pool), options)
    return 0


def _create(people: People, options: argparse.Namespace) -> None:
    password = _temporary() if options.no_mail else None
    people.create(options.email, options.roles, invites=not options.no_mail, password=password)
    _print_once(password)


def _list(people: People, options: argparse.Namespace) -> None:
    shown = []
    for one in people.all():
        roles = people.roles_of(one["Username"])
        companies = {name.partition(":")[0] for name in roles}
        if options.company is None or options.company in companies:
            shown.append((address_of(one), one, roles))
    for address, one, roles in sorted(shown, key=lambda row: row[0]):
        state = one["UserStatus"].lower() if one["Enabled"] else "disabled"
        # The principal in records of changes.
        print(
            address or "-",
            one["Username"],
            f"user:{_subject_of(one)}",
            state,
            ",".join(roles),
            sep="\t",
        )


def _disable(people: People, options: argparse.Namespace) -> None:
    people.disable(options.user)
    print("disabled; access tokens stay valid for at most 60 minutes", file=sys.stderr)


def _enable(people: People, options: argparse.Namespace) -> None:
    people.enable(options.user)
    print("enabled", file=sys.stderr)


def _add_role(people: People, options: argparse.Namespace) -> None:
    for name in options.roles:
        people.add(options.user, name)
    print(
        "the roles count from the next refresh of the token, after at most 60 minutes",
        file=sys.stderr,
    )


def _remove_role(people: People, options: argparse.Namespace) -> None:
    for name in options.roles:
        people.remove(options.user, name)
    print("access tokens keep the roles for at most 60 minutes", file=sys.stderr)


def _reset_password(people: People, options: argparse.Namespace) -> None:
    password = _temporary() if options.no_mail else None
    people.reset_password(options.user, temporary=password)
    _print_once(password)


def _temporary() -> str:
    """Return a password that meets the rules of the pool: its first characters are of the required kinds."""
    return f"Aa1-{secrets.token_urlsafe(12)}"


def _print_once(password: str | None) -> None:
    if password is None:
        print("Cognito sends an e-mail", file=sys.stderr)
    else:
        print("The temporary password is shown only once, and valid for 7 days:", file=sys.stderr)
        print(password)


def address_of(one: Mapping[str, Any]) -> str:
    """Return the e-mail address of a user as Cognito describes it; empty without one."""
    return _attributes(one).get("email", "")


def _subject_of(one: Mapping[str, Any]) -> str:
    return _attributes(one).get("sub", "")


def _attributes(one: Mapping[str, Any]) -> dict[str, str]:
    return {entry["Name"]: entry["Value"] for entry in one.get("Attributes", [])}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations users", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    create = arguments.sub_command(
        commands, "create", _create, "create a user, who gets a temporary password by e-mail"
    )
    create.add_argument("email", type=email, help="address, with which the person logs in")
    listing = arguments.sub_command(
        commands, "list", _list, "list users: address, user name, principal, state, roles"
    )
    listing.add_argument("--company", type=arguments.word, help="only users with a role in it")
    disable = arguments.sub_command(commands, "disable", _disable, "refuse a user's logins")
    enable = arguments.sub_command(commands, "enable", _enable, "allow a user's logins again")
    add = arguments.sub_command(commands, "add-role", _add_role, "give a user roles")
    remove = arguments.sub_command(commands, "remove-role", _remove_role, "take roles from a user")
    reset = arguments.sub_command(
        commands,
        "reset-password",
        _reset_password,
        "make a user set a new password, by a code in an e-mail",
    )
    for command in (disable, enable, add, remove, reset):
        command.add_argument("user", type=user, help="address or user name")
    for command in (add, remove):
        command.add_argument("roles", nargs="+", type=role, metavar="role", help="<company>:<role>")
    create.add_argument(
        "--role",
        dest="roles",
        action="append",
        required=True,
        type=role,
        help=f"<company>:<role>; repeatable; roles: {_ROLES}",
    )
    for command in (create, reset):
        command.add_argument(
            "--no-mail",
            action="store_true",
            help="send no e-mail; print a temporary password, which the person must change at the next login",
        )
    for command in (create, listing, disable, enable, add, remove, reset):
        arguments.add_stack(command)
    return own
