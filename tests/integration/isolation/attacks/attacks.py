"""
The definition of an attack on a route, its attackers, and the conditions that must hold afterwards.

An attack is one call that names items of company A: ids, cursors, keys. It is made twice: in a system with these
items, and in the same system where they never existed. A caller without access to them must get the same response in
both, with the same calls to AWS, and must not change any item of A.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """One HTTP call: path parameters, query, body and headers. Texts may name A's items by kind: `{thread}`."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def filled(self, names: Mapping[str, str]) -> Call:
        """Return the call with A's items instead of their kinds."""
        return Call(
            path=_filled(self.path, names),
            query=_filled(self.query, names),
            body=_filled(self.body, names),
            headers=_filled(self.headers, names),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attack:
    """
    One way to call a route about items of A.

    *scopes*: each of them allows the call. *is_change*: the call may change something. *is_public*: the route needs no
    key. *has_no_projects*: the data belong to a company as a whole, so keys of single projects are refused. *is_blind*:
    the reason why the owner gets the same response in both systems.
    """

    line: str
    scopes: tuple[Scope, ...]
    call: Call
    is_change: bool = False
    is_public: bool = False
    has_no_projects: bool = False
    is_blind: str = ""

    def __str__(self) -> str:
        given = {**self.call.path, **self.call.query, **(self.call.body or {})}
        return f"{self.line} with {given}"

    def is_turned_away(self, attacker: Attacker) -> bool:
        """Whether the call is refused because of the key alone."""
        if attacker in TURNED_AWAY:
            return not self.is_public
        return attacker in BOUND_TO_PROJECTS and self.has_no_projects


def _filled(part: Any, names: Mapping[str, str]) -> Any:
    if isinstance(part, Mapping):
        return {name: _filled(value, names) for name, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, names) for value in part]
    if not isinstance(part, str) or "{" not in part:
        return part
    for name, value in names.items():
        part = part.replace(f"{{{name}}}", value)
    return part


@dataclass(frozen=True, slots=True)
class Answer:
    """The response of a function: *text* is the body without the id of the request."""

    status: int
    text: str


type Stored = dict[tuple[str, ...], Any]
type Pair = tuple[Attack, Attacker]


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


def turned_away(system: System, attacks: Iterable[Attack]) -> list[str]:
    """Make the calls that are refused because of the caller's key, in both systems. Return what is wrong."""
    pairs = [(one, who) for one in attacks for who in Attacker if one.is_turned_away(who)]
    assert pairs
    system.with_a()
    before = system.stored()
    found = _answers(system, pairs)
    assert_unchanged("the refused calls", before, system.stored(), None, ())
    system.without_a(Attacker.OTHER_COMPANY)
    absent = _answers(system, pairs)
    problems = []
    for pair in pairs:
        answer, _ = found[pair]
        problems += _differences(system, pair, found[pair], absent[pair])
        if answer.status != TURNED_AWAY.get(pair[1], 403):
            problems.append(f"{_named(pair)}: answered {answer}")
    return problems


def attacked(
    system: System,
    attacks: Sequence[Attack],
    attackers: Iterable[Attacker] = FROM_OUTSIDE,
    *,
    after_owner: bool = True,
) -> list[str]:
    """
    Make attacks one after the other in both systems, each attacker all of them. Return what is wrong.

    *after_owner*: A makes the same calls before, so that its own responses are stored under the same keys. Then only
    reads may follow each other: A's own change may remove the item that the next attack names.
    """
    system.with_a()
    own = [_sent(system, one, owner_of(system)) for one in attacks] if after_owner else []
    problems: list[str] = []
    states = []
    for attacker in attackers:
        pairs = [(attack, attacker) for attack in attacks if not attack.is_turned_away(attacker)]
        before = system.stored()
        found = _answers(system, pairs)
        states.append((attacker, pairs, found, before, system.stored()))
    last: Attacker | None = None
    for attacker, pairs, found, before, after in states:
        if last is None or Attacker.OTHER_PROJECT in {last, attacker}:
            system.without_a(attacker)
        owned = system.stored()
        absent = _answers(system, pairs)
        for pair in pairs:
            problems += _differences(system, pair, found[pair], absent[pair])
        is_refused = all(answer.status >= 400 for answer, _ in found.values())
        is_colleague = attacker is Attacker.OTHER_PROJECT
        foreign = system.words if is_colleague else (system.company_a, *system.words)
        who = f"{attacker}: {attacks[0]} and {len(attacks) - 1} more"
        assert_unchanged(who, before, after, None if is_refused else owned, foreign)
        if last is None and after_owner:
            problems += _not_reached(system, attacks, own)
        last = attacker
    return problems


def _answers(system: System, pairs: Iterable[Pair]) -> dict[Pair, tuple[Answer, list[str]]]:
    """The response to each call, and the calls to AWS that it made."""
    answers = {}
    system.operations()
    for attack, attacker in pairs:
        caller = caller_of(system, attacker, attack.scopes)
        answers[attack, attacker] = _sent(system, attack, caller), system.operations()
    return answers


def _sent(system: System, attack: Attack, caller: Caller | None) -> Answer:
    return system.send(attack.line, attack.call.filled(system.names), caller)


def _differences(
    system: System,
    pair: Pair,
    found: tuple[Answer, list[str]],
    absent: tuple[Answer, list[str]],
) -> list[str]:
    """What a response says of A: its texts and ids, or by being another one than without A."""
    (answer, made), (answer_without, made_without), who = found, absent, _named(pair)
    problems = [
        f"{who}: the answer holds {word!r} of company A"
        for word in (*system.words, *system.ids)
        if word in answer.text
    ]
    if answer != answer_without:
        problems.append(f"{who}: {answer} where A's items exist, {answer_without} without them")
    if made != made_without:
        problems.append(f"{who}: the calls to AWS differ: {made} and {made_without}")
    return problems


def _not_reached(system: System, attacks: Sequence[Attack], own: Sequence[Answer]) -> Iterator[str]:
    """The attacks without a target: A's own key gets the same response in the system without A's items."""
    for attack, found in zip(attacks, own, strict=True):
        if not attack.is_blind and _sent(system, attack, owner_of(system)) == found:
            yield f"{attack}: the owner gets the same answer whether or not it exists: {found}"


def _named(pair: Pair) -> str:
    return f"{pair[0]} [{pair[1]}]"


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
