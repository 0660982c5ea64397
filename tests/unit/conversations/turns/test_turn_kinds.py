"""The kind of a turn is stored: policy and consequences depend on the kind and not on the id of the turn."""

import ast
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import conversations
from conversations.lifecycle.status import Status
from conversations.outbound.failures import consequence
from conversations.outbound.policy.gate import end_of, send_request_of
from conversations.outbound.results import Ended
from conversations.store.items import identifiers
from conversations.store.items.turn import TurnKind
from shared.policy.facts import Author, Kind, Reason, Refused

CODE = Path(conversations.__file__).parent
OPAQUE = "7c1f"  # an id without the prefix of any kind
OF_STRING = {"startswith", "endswith", "partition", "rpartition", "split", "rsplit"} | {
    "removeprefix", "removesuffix", "find", "index", "splitlines",
}  # fmt: skip
OF_PATTERN = {"match", "fullmatch", "search", "findall", "finditer"}


def opened(*, task_complete: int = 1, last_inbound_at: str | None = None) -> Any:
    return SimpleNamespace(
        ref=identifiers.ref_of("acme#hiring#req-1#447700900123"),
        conversation=SimpleNamespace(task_complete=task_complete),
        state=SimpleNamespace(last_inbound_at=last_inbound_at),
    )


def parsed(tree: ast.AST, name: str) -> Iterator[int]:
    """The lines in which a variable or field of this name is parsed."""

    def names(node: ast.AST) -> bool:
        return any(
            name in (getattr(part, "id", None), getattr(part, "attr", None))
            for part in ast.walk(node)
        )

    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in OF_STRING:
                found = names(value)
            case ast.Call(func=ast.Attribute(attr=attr), args=args) if attr in OF_PATTERN:
                found = any(names(arg) for arg in args)
            case ast.Subscript(value=value):
                found = names(value)
            case ast.Compare(ops=ops, comparators=comparators):
                found = any(
                    isinstance(op, ast.In | ast.NotIn) and names(right)
                    for op, right in zip(ops, comparators, strict=True)
                )
            case _:
                found = False
        if found:
            yield getattr(node, "lineno", 0)


def test_no_code_parses_a_turn_id() -> None:
    found = [
        f"{path.relative_to(CODE)}:{line}"
        for path in CODE.rglob("*.py")
        if "turn_id" in (text := path.read_text())
        for line in parsed(ast.parse(text), "turn_id")
    ]

    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        'turn_id.startswith("initial")',
        '(message.turn_id or "").partition(":")[0]',
        'turn.turn_id[:7] == "initial"',
        '"reply:" in turn_id',
        'KIND.fullmatch(message.turn_id or "")',
    ],
)
def test_code_that_parses_a_turn_id_is_found(code: str) -> None:
    assert list(parsed(ast.parse(code), "turn_id"))


@pytest.mark.parametrize(
    ("turn_kind", "kind", "author"),
    [
        (TurnKind.INITIAL, Kind.FIRST, Author.AI),
        (TurnKind.REPLY, Kind.ANSWER, Author.AI),
        (TurnKind.REENGAGEMENT, Kind.REENGAGEMENT, Author.RULE),
        (TurnKind.FOLLOW_UP, Kind.REENGAGEMENT, Author.AI),
        (TurnKind.SATISFACTION, Kind.ANSWER, Author.AI),
        (TurnKind.HUMAN, Kind.ANSWER, Author.PERSON),
        (TurnKind.NOTICE, Kind.ANSWER, Author.RULE),
        (TurnKind.OPT_OUT_CONFIRMATION, Kind.OPT_OUT_CONFIRMATION, Author.RULE),
    ],
)
def test_the_policy_request_depends_on_the_kind_of_the_turn(
    turn_kind: TurnKind, kind: Kind, author: Author
) -> None:
    request = send_request_of(opened(), turn_kind, OPAQUE, is_template=True, takes=True)

    assert (request.kind, request.author) == (kind, author)
    assert (request.is_template, request.takes) == (True, True)
    assert request.action_id == identifiers.action_id(opened().ref, OPAQUE)


@pytest.mark.parametrize(
    ("task_complete", "last_inbound_at", "kind"),
    [
        (0, None, Kind.FIRST),
        (1, None, Kind.ANSWER),
        (0, "2026-01-01T12:00:00.000Z", Kind.ANSWER),
    ],
)
def test_an_agents_message_is_a_first_one_until_anything_was_sent_or_received(
    task_complete: int, last_inbound_at: str | None, kind: Kind
) -> None:
    begun = opened(task_complete=task_complete, last_inbound_at=last_inbound_at)

    assert send_request_of(begun, TurnKind.HUMAN, OPAQUE).kind is kind


@pytest.mark.parametrize(
    ("kind", "refused", "failed"),
    [
        (TurnKind.INITIAL, Status.BLOCKED, Status.FAILED),
        (TurnKind.REPLY, Status.HANDOFF_PENDING, Status.HANDOFF_PENDING),
        (TurnKind.REENGAGEMENT, Status.HANDOFF_PENDING, Status.HANDOFF_PENDING),
        (TurnKind.FOLLOW_UP, None, None),
        (TurnKind.SATISFACTION, None, None),
        (TurnKind.HUMAN, None, None),
        (TurnKind.NOTICE, None, None),
        (TurnKind.OPT_OUT_CONFIRMATION, None, None),
    ],
)
def test_a_refusal_and_a_failure_lead_to_the_status_of_the_kind(
    kind: TurnKind, refused: Status | None, failed: Status | None
) -> None:
    request = send_request_of(opened(), kind, OPAQUE)

    assert end_of(Refused(Reason.NO_CONSENT), request).status is refused
    assert consequence(kind, Ended.FAILED, "provider_rejected:21612").status is failed
