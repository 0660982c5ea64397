"""
Principals: who acts, and to whom conversations are assigned. The kind stands before the first colon.

    user:{subject}         a person, by the id at the login provider (the claim `sub`)
    client:{client id}     software with its own access token
    api-key:{key id}       software with an API key
    invoke:{name}          software that invokes a function over IAM; the name is its own
    team:{name}            the people of a group; conversations are assigned to it, it never acts

No id takes a principal into another kind: `of_person("team:sales")` is `user:team:sales`.
"""

import re
from enum import StrEnum
from typing import Final

from shared.runtime.validation.patterns import worded

# Without `#` and blanks: principals are parts of keys and of queries of the audit log.
_ID: Final = r"[A-Za-z0-9._@:+|-]{1,120}"
_IDS = re.compile(_ID, re.ASCII)
_LONGEST_INVOKER = 100
TEAM_PATTERN: Final = r"^[a-z0-9-]{1,32}$"
_TEAM = re.compile(TEAM_PATTERN, re.ASCII)
# The people that filters accept: any stored assignee or caller, with or without a kind.
ANY_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._@:+|-]{0,127}$"
CALLER_PATTERN: Final = worded(
    rf"^(user|client|api-key|invoke):{_ID}$", "must be a caller such as user:3f2a"
)
_ANY = re.compile(ANY_PATTERN, re.ASCII)


class Kind(StrEnum):
    """The kind of a principal."""

    PERSON = "user"
    CLIENT = "client"
    API_KEY = "api-key"
    INVOKER = "invoke"
    TEAM = "team"


# Authors and senders in stored records that are no principals.
_OTHER_ACTORS = frozenset(
    {"ai", "customer", "external", "human", "parley", "person", "provider", "system"}
)
RESERVED: Final = frozenset({*map(str, Kind), *_OTHER_ACTORS})


def of_person(subject: object) -> str:
    """Return the principal of a person. Raises ValueError for an id that cannot be stored."""
    return _made(Kind.PERSON, subject)


def of_client(client_id: object) -> str:
    """Return the principal of software with its own access token. Raises ValueError."""
    return _made(Kind.CLIENT, client_id)


def of_key(key_id: str) -> str:
    """Return the principal of an API key. Raises ValueError."""
    return _made(Kind.API_KEY, key_id)


def of_invoker(name: object) -> str:
    """Return the principal of an invocation over IAM, whose permission decides and whose name is only a label."""
    return f"{Kind.INVOKER}:{name}"[:_LONGEST_INVOKER] if isinstance(name, str) else Kind.INVOKER


def of_team(name: str) -> str:
    """Return what conversations of a team are assigned to. Raises ValueError."""
    if not _TEAM.fullmatch(name):
        raise ValueError("not the name of a team")
    return f"{Kind.TEAM}:{name}"


def is_person(principal: str) -> bool:
    """Whether a person acts."""
    return principal.startswith(f"{Kind.PERSON}:")


def is_team(assignee: str) -> bool:
    """Whether a conversation with this assignee waits for the people of a team, not for one person."""
    return assignee.startswith(f"{Kind.TEAM}:")


def is_assignable(text: str) -> bool:
    """
    Whether a conversation may be assigned to *text*: a person, a team, or a name of the caller's own.

    Such a name is no reserved word, alone or before a colon, in any case: it cannot be taken for a principal.
    """
    kind, colon, name = text.partition(":")
    if colon and kind == Kind.PERSON:
        return _IDS.fullmatch(name) is not None
    if colon and kind == Kind.TEAM:
        return _TEAM.fullmatch(name) is not None
    return _ANY.fullmatch(text) is not None and kind.casefold() not in RESERVED


def _made(kind: Kind, name: object) -> str:
    if not isinstance(name, str) or not _IDS.fullmatch(name):
        raise ValueError(f"not the id of a principal of kind {kind}")
    return f"{kind}:{name}"
