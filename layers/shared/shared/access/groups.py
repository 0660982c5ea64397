"""
Groups of people at the login provider: their roles and teams in companies. Groups with other names mean nothing.

    {company}:{role}           such as `acme:agent`; gives scopes (access/roles.py)
    {company}:team:{name}      such as `acme:team:sales`; gives none. Conversations may be assigned to `team:sales`
"""

import re
from enum import StrEnum

# Companies are named as in API keys and projects.
_ROLE = re.compile(r"([A-Za-z0-9._-]{1,64}):([a-z]{1,16})", re.ASCII)
_TEAM = re.compile(r"([A-Za-z0-9._-]{1,64}):team:([a-z0-9-]{1,32})", re.ASCII)


class Role(StrEnum):
    """The role of a person in a company. A person with several roles has the scopes of all."""

    AGENT = "agent"  # answers customers
    SUPERVISOR = "supervisor"  # also approves, starts conversations and manages what agents use
    ADMIN = "admin"  # all that a company may do, including erasure and refunds
    OPERATOR = "operator"  # runs the deployment: parked events and dead letters of ALL companies


def role_of(group: str) -> tuple[str, Role] | None:
    """Return the company and the role that a group names; None for any other group."""
    parts = _ROLE.fullmatch(group)
    return (parts[1], Role(parts[2])) if parts is not None and parts[2] in Role else None


def team_of(group: str) -> tuple[str, str] | None:
    """Return the company and the team that a group names; None for any other group."""
    parts = _TEAM.fullmatch(group)
    return (parts[1], parts[2]) if parts is not None else None
