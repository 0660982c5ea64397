"""
The definition of an attack on a route, its attackers, and the conditions that must hold afterwards.

An attack is one call that names items of company A: ids, cursors, keys. It is made twice: in a system with these
items, and in the same system where they never existed. A caller without access to them must get the same response in
both, with the same calls to AWS, and must not change any item of A.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from shared.api.auth import Caller, Scope

# Scopes of operators of the whole deployment; no company's key has them.
OF_THE_DEPLOYMENT = frozenset({Scope.OPERATOR})


class Attacker(StrEnum):
    """The caller, identified by the key that the authorizer accepted."""

    OTHER_COMPANY = "another company"
    SAME_PROJECT_NAME = "another company whose project has the same id"
    OTHER_PROJECT = "a key of another project"
    NO_SCOPE = "a key without the scope"
    NO_KEY = "no key"


# Prefixes of the keys of parked events, in the tables and in the bucket.
PARKED = ("PARK#", "PARKED#", "conversations/parked/", "WEBHOOK#", "parked/")
# The counter of parked events without a known company: unknown senders share it.
SHARED_QUOTA = "PARKED_QUOTA#company#"
FROM_OUTSIDE = (Attacker.OTHER_COMPANY, Attacker.SAME_PROJECT_NAME, Attacker.OTHER_PROJECT)
BOUND_TO_PROJECTS = frozenset({Attacker.SAME_PROJECT_NAME, Attacker.OTHER_PROJECT})
TURNED_AWAY = {Attacker.NO_SCOPE: 403, Attacker.NO_KEY: 401}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One HTTP call: path parameters, query, body and headers."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """
    One way to call a route about items of A. *call* builds the call from A's items by kind.

    *scopes*: each of them allows the call. *is_public*: the route needs no key. *has_no_projects*: the data belong to a
    company as a whole, so keys of single projects are refused. *is_blind*: the reason why the owner gets the same
    response in both systems.
    """

    line: str
    names: str
    scopes: tuple[Scope, ...]
    call: Callable[[Mapping[str, str]], Call]
    is_public: bool = False
    has_no_projects: bool = False
    is_blind: str = ""

    def __str__(self) -> str:
        return f"{self.line} by {self.names}"

    @property
    def is_change(self) -> bool:
        return not self.line.startswith("GET")


def of_document(line: str, *scopes: Scope) -> Attack:
    """The OpenAPI document of an API; each scope of the API allows reading it."""
    return Attack(
        line=line,
        names="nothing",
        scopes=scopes,
        call=lambda _: Call(),
        is_blind="the document describes the routes and holds nothing of a company",
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """The response of a function: *text* is the body without the id of the request."""

    status: int
    text: str


type Stored = dict[tuple[str, ...], Any]


# A process makes these calls once, at its first request of any kind.
ONCE = frozenset({"secrets-manager.GetSecretValue", "ssm.GetParametersByPath", "ssm.GetParameter"})


def operations_of(calls: list[str]) -> list[str]:
    """The operations of calls as `Interceptor` names them; *calls* is emptied."""
    made = [operation for name in calls if (operation := name.partition(" ")[0]) not in ONCE]
    calls.clear()
    return made


class System(Protocol):
    """Two companies in one deployment of a context."""

    company_a: str
    company_b: str
    project_a: str
    other_project_a: str
    names: Mapping[str, str]  # A's items by kind
    words: tuple[str, ...]  # texts that only A may read
    ids: tuple[str, ...]  # ids of A's items that no response to another caller may contain

    def with_a(self) -> None:
        """Restore the state in which A has every item in *names*."""
        ...

    def without_a(self, attacker: Attacker) -> None:
        """Restore the state in which these items never existed."""
        ...

    def send(self, line: str, call: Call, caller: Caller | None) -> Answer:
        """Call the function with an event of API Gateway."""
        ...

    def stored(self) -> Stored:
        """All items, objects and queued messages by table, bucket or queue, and key."""
        ...

    def operations(self) -> list[str]:
        """The calls to AWS since the previous call of this method, without their keys and without the calls in ONCE."""
        ...


def caller_of(system: System, attacker: Attacker, scopes: tuple[Scope, ...]) -> Caller | None:
    """The attacker's key, or None."""
    every = frozenset(str(scope) for scope in Scope if scope not in OF_THE_DEPLOYMENT)
    company, projects, held = system.company_b, "*", every
    match attacker:
        case Attacker.NO_KEY:
            return None
        case Attacker.SAME_PROJECT_NAME:
            projects = system.project_a
        case Attacker.OTHER_PROJECT:
            company, projects = system.company_a, system.other_project_a
        case Attacker.NO_SCOPE:
            company = system.company_a
            held = frozenset(str(scope) for scope in Scope if scope not in scopes)
    return Caller(
        company=company,
        scopes=held,
        principal="api-key:attacker",
        projects=frozenset({projects}),
    )


def owner_of(system: System) -> Caller:
    """A's own key with an operator's scopes: every scope that the routes accept."""
    every = frozenset(str(scope) for scope in Scope)
    return Caller(company=system.company_a, scopes=every, principal="api-key:owner")


def attacked(system: System, attack: Attack, attacker: Attacker) -> None:
    """Make the attack in both systems and compare. Raises AssertionError that names the leak or the change."""
    caller = caller_of(system, attacker, attack.scopes)
    call = attack.call(system.names)
    system.with_a()
    system.send(
        attack.line, call, owner_of(system)
    )  # A's own response is stored under the same key.
    before = system.stored()
    system.operations()
    found = system.send(attack.line, call, caller)
    made, after = system.operations(), system.stored()
    system.without_a(attacker)
    owned = system.stored()
    absent = system.send(attack.line, call, caller)
    made_without = system.operations()

    who = f"{attack} [{attacker}]"
    for word in (*system.words, *system.ids):
        assert word not in found.text, f"{who}: the answer holds {word!r} of company A"
    if attack.has_no_projects and attacker in BOUND_TO_PROJECTS:
        assert found.status == 403, f"{who}: a key of a project was answered {found}"
    if attacker in TURNED_AWAY and not attack.is_public:
        assert found.status == TURNED_AWAY[attacker], f"{who}: answered {found}"
    foreign = (
        system.words if attacker is Attacker.OTHER_PROJECT else (system.company_a, *system.words)
    )
    assert_unchanged(who, before, after, owned if found.status < 400 else None, foreign)
    assert found == absent, f"{who}: {found} where A's things exist, {absent} where they do not"
    assert made == made_without, f"{who}: the calls to AWS differ: {made} and {made_without}"


def assert_unchanged(
    who: str, before: Stored, after: Stored, owned: Stored | None, foreign: tuple[str, ...]
) -> None:
    """
    A's items have not changed. *owned* are the items that exist without A: the attacker may change them and write new
    items without the texts *foreign*. None: the attacker may write nothing.
    """
    for key, item in before.items():
        if (owned is not None and key in owned) or SHARED_QUOTA in key:
            continue
        assert key in after, f"{who}: {key} was deleted"
        assert after[key] == item, f"{who}: {key} changed from {item} to {after[key]}"
    written = {key: item for key, item in after.items() if before.get(key) != item}
    assert owned is not None or not written, f"{who}: a refused call wrote {written}"
    for key, item in written.items():
        if any(part.startswith(PARKED) for part in key):
            continue  # A copy of the attack contains the ids that the attack named.
        text = json.dumps([key, item], default=str)
        for word in foreign:
            assert word not in text, f"{who}: {key} was written and holds {word!r} of company A"


def reaches_its_owner(system: System, attack: Attack) -> bool:
    """Whether the attack targets an existing item: A's own key gets another response if A's items exist."""
    call = attack.call(system.names)
    system.with_a()
    found = system.send(attack.line, call, owner_of(system))
    system.without_a(Attacker.OTHER_COMPANY)
    return found != system.send(attack.line, call, owner_of(system))
