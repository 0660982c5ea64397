"""Create, list, disable and enable the people who log in to a deployment; give and take their roles and teams."""

import argparse
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import boto3

from operations.access import sessions
from operations.access.sessions import Sessions
from operations.command_line import arguments
from shared.access.groups import Role, role_of, team_of
from shared.access.user_pool import Found, People, address_of, principal_of

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
    if role_of(text) is None:
        raise argparse.ArgumentTypeError(
            f"must be <company>:<role>, with one of the roles {_ROLES}"
        )
    return text


def team(text: str) -> str:
    """Argparse type of a company and a team. Returns the name of the team's group."""
    company, _, name = text.partition(":")
    group = f"{company}:team:{name}"
    if team_of(group) is None:
        raise argparse.ArgumentTypeError(
            "must be <company>:<team>; a team has 1 to 32 lower-case letters, digits and hyphens"
        )
    return group


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


@dataclass(frozen=True, slots=True)
class Logins:
    """The user pool of a deployment, and the sessions of its users and of users of another login provider."""

    people: People
    sessions: Sessions


def _act(options: argparse.Namespace) -> int:
    outputs = arguments.outputs_of(options.stack, USER_POOL, *sessions.OUTPUTS)
    people = People(boto3.client("cognito-idp"), outputs[USER_POOL])
    options.run(Logins(people, Sessions.of(outputs)), options)
    return 0


def _create(logins: Logins, options: argparse.Namespace) -> None:
    password = _temporary() if options.no_mail else None
    logins.people.create(
        options.email,
        options.roles,
        invites=not options.no_mail,
        password=password,
        name=options.name,
    )
    _print_once(password)


def _list(logins: Logins, options: argparse.Namespace) -> None:
    people = logins.people
    shown = []
    for one in people.all():
        groups = people.groups_of(one["Username"])
        companies = {name.partition(":")[0] for name in groups}
        if options.company is None or options.company in companies:
            shown.append((address_of(one), one, groups))
    for address, one, groups in sorted(shown, key=lambda row: row[0]):
        teams = [":".join(named) for group in groups if (named := team_of(group))]
        state = one["UserStatus"].lower() if one["Enabled"] else "disabled"
        # The principal in records of changes.
        print(
            address or "-",
            one["Username"],
            principal_of(one),
            state,
            ",".join(group for group in groups if team_of(group) is None),
            ",".join(teams) or "-",
            sep="\t",
        )


def _disable(logins: Logins, options: argparse.Namespace) -> None:
    found = logins.people.find(options.user)
    # The API first: it refuses the person even if the command dies before the login provider does.
    logins.sessions.block(found.principal, found.moment)
    if found.name is not None:
        logins.people.disable(found.name)
    logins.sessions.close(found.principal)
    print("disabled; access has ended", file=sys.stderr)
    _point_to_provider(found)


def _enable(logins: Logins, options: argparse.Namespace) -> None:
    found = logins.people.find(options.user)
    if found.name is not None:
        logins.people.enable(found.name)
    logins.sessions.admit(found.principal)
    print("enabled", file=sys.stderr)
    _point_to_provider(found)


def _sign_out(logins: Logins, options: argparse.Namespace) -> None:
    found = logins.people.find(options.user)
    if found.name is not None:
        logins.people.sign_out(found.name)
    # A token that was issued meanwhile ends too.
    _end_sessions(logins, options.user)
    _point_to_provider(found)


def _add_role(logins: Logins, options: argparse.Namespace) -> None:
    for name in options.roles:
        logins.people.add(options.user, name)
    print(
        "the roles count from the next refresh of the token, after at most 60 minutes",
        file=sys.stderr,
    )


def _remove_role(logins: Logins, options: argparse.Namespace) -> None:
    for name in options.roles:
        logins.people.remove(options.user, name)
        # Old tokens have the role. After each: a later one may be refused.
        _end_sessions(logins, options.user)


def _add_team(logins: Logins, options: argparse.Namespace) -> None:
    logins.people.add(options.user, options.team)
    print("colleagues see it after at most 5 minutes, the person after at most 60", file=sys.stderr)


def _remove_team(logins: Logins, options: argparse.Namespace) -> None:
    logins.people.remove(options.user, options.team)
    _end_sessions(logins, options.user)
    print("conversations of the team stay assigned to it", file=sys.stderr)


def _reset_password(logins: Logins, options: argparse.Namespace) -> None:
    password = _temporary() if options.no_mail else None
    logins.people.reset_password(options.user, temporary=password)
    _print_once(password)
    _end_sessions(logins, options.user)


def _end_sessions(logins: Logins, user: str) -> None:
    found = logins.people.find(user)
    logins.sessions.end(found.principal, found.moment)
    print("sessions ended; tokens that were issued until now are refused", file=sys.stderr)


def _point_to_provider(found: Found) -> None:
    if found.name is None:
        print(
            "the user pool has no such user: if people log in elsewhere, change the login there too",
            file=sys.stderr,
        )


def _temporary() -> str:
    """Return a password that meets the rules of the pool: its first characters are of the required kinds."""
    return f"Aa1-{secrets.token_urlsafe(12)}"


def _print_once(password: str | None) -> None:
    if password is None:
        print("Cognito sends an e-mail", file=sys.stderr)
    else:
        print("The temporary password is shown only once, and valid for 7 days:", file=sys.stderr)
        print(password)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations users", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    create = arguments.sub_command(
        commands, "create", _create, "create a user, who gets a temporary password by e-mail"
    )
    create.add_argument("email", type=email, help="address, with which the person logs in")
    create.add_argument(
        "--name",
        type=arguments.label,
        help="what colleagues see; by default the address before the @",
    )
    listing = arguments.sub_command(
        commands, "list", _list, "list users: address, user name, principal, state, roles, teams"
    )
    listing.add_argument(
        "--company", type=arguments.word, help="only users with a role or team in it"
    )
    disable = arguments.sub_command(
        commands, "disable", _disable, "refuse a user's logins and calls, and end the sessions"
    )
    enable = arguments.sub_command(commands, "enable", _enable, "allow logins and calls again")
    end = arguments.sub_command(
        commands, "sign-out", _sign_out, "end all sessions of a user, who may log in again"
    )
    add = arguments.sub_command(commands, "add-role", _add_role, "give a user roles")
    remove = arguments.sub_command(commands, "remove-role", _remove_role, "take roles from a user")
    join = arguments.sub_command(commands, "add-team", _add_team, "make a user a member of a team")
    leave = arguments.sub_command(
        commands, "remove-team", _remove_team, "remove a user from a team"
    )
    reset = arguments.sub_command(
        commands,
        "reset-password",
        _reset_password,
        "make a user set a new password, by a code in an e-mail",
    )
    for command in (disable, enable, end):
        command.add_argument(
            "user", type=user, help="address, user name, or principal (user:<id>) of any provider"
        )
    for command in (add, remove, join, leave, reset):
        command.add_argument("user", type=user, help="address or user name")
    for command in (add, remove):
        command.add_argument("roles", nargs="+", type=role, metavar="role", help="<company>:<role>")
    for command in (join, leave):
        command.add_argument("team", type=team, help="<company>:<team>")
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
    for command in (create, listing, disable, enable, end, add, remove, join, leave, reset):
        arguments.add_stack(command)
    return own
