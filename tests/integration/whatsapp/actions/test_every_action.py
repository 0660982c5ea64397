"""
What all actions share, for each of them by its sample call: scope, unknown and missing parameters, secrets, envelope,
dry run, idempotency key and a provider that refuses. Bad parameters are tested by direct invocation too.
`tests/integration/isolation/whatsapp/test_whatsapp_actions.py` makes the same calls as another company.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import pytest

from events.whatsapp.actions import bodies
from shared.api.auth import Scope
from shared.providers.whatsapp.aws_eum import Eum
from shared.providers.whatsapp.meta_graph import Graph
from tests.integration.whatsapp.actions.conftest import (
    ACME,
    EUM_PHONE,
    EUM_WABA,
    SCOPES,
    WABA,
    Actions,
    Answer,
)
from tests.integration.whatsapp.conftest import NOW, PHONE
from whatsapp.actions.dispatch import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.actions.dispatch.registration import Action, Mode

    type Run = Callable[[Actions, Action, dict[str, Any]], Answer]

BODIES = bodies()
MODES: tuple[Mode, ...] = ("local", "remote_eum", "remote_graph")
TIMES = 9  # more than any action tries
# A code that the provider does not have is gone.
NO_REFUSALS = {("delete_qr_code", 400)}
EVERY_MODE = pytest.mark.parametrize("mode", MODES)


def of_mode(mode: Mode) -> list[Action]:
    """The actions of a mode; those that remove what others need are the last ones."""
    found = [action for action in catalogue.all_actions() if action.mode == mode]
    assert found
    return sorted(found, key=lambda one: one.name.startswith(("delete", "deregister")))


@dataclass
class Minutes:
    """The clock: the messages to one customer and the questions to a provider are limited by the minute."""

    now_ms: int = NOW

    def pass_one(self) -> None:
        self.now_ms += 60_000


@pytest.fixture
def minutes(monkeypatch: pytest.MonkeyPatch) -> Minutes:
    found = Minutes()
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: found.now_ms)
    return found


def over_http(actions: Actions, action: Action, body: dict[str, Any]) -> Answer:
    return actions.run(action.name, body)


def invoked(actions: Actions, action: Action, body: dict[str, Any]) -> Answer:
    """Invoke the function directly, as acme."""
    return actions.invoke(
        {"action": action.name, "company": "acme", "scopes": sorted(SCOPES | {Scope.OPERATOR})}
        | body
    )


BOTH_WAYS = pytest.mark.parametrize("run", [over_http, invoked])


def refused(actions: Actions, run: Run, action: Action, body: dict[str, Any]) -> tuple[Any, ...]:
    """Status, code and fields of an answer, which has the envelope of a refusal."""
    answer = run(actions, action, body)
    assert answer.body["operation"] == action.name
    assert answer.body["requestId"]
    return answer.status, answer.error, answer.fields


@EVERY_MODE
@BOTH_WAYS
def test_an_unknown_or_missing_parameter_and_a_secret_are_refused_before_anything_is_done(
    actions: Actions, mode: Mode, run: Run
) -> None:
    before = actions.harness.keys()
    wrong = {}
    for action in of_mode(mode):
        body = BODIES[action.name]
        cases: dict[str, tuple[dict[str, Any], tuple[Any, ...]]] = {
            "unknown": (body | {"colour": "red"}, (400, "invalid_input", ["colour"])),
            "secret": (body | {"accessToken": "s3cr3t"}, (400, "secret_not_accepted", [])),
        }
        for name in action.input_model.model_json_schema(by_alias=True).get("required", ()):
            fewer = {field: value for field, value in body.items() if field != name}
            cases[name] = fewer, (400, "invalid_input", [name])
        for case, (given, expected) in cases.items():
            found = refused(actions, run, action, given)
            if found != expected:
                wrong[action.name, case] = found

    assert wrong == {}
    assert (actions.harness.keys(), actions.wire) == (before, [])


@pytest.mark.long
@EVERY_MODE
def test_a_call_without_the_scope_or_a_key_is_refused(actions: Actions, mode: Mode) -> None:
    before = actions.harness.keys()
    wrong = {}
    for action in of_mode(mode):
        others = frozenset(SCOPES - set(action.scopes))
        answers = [
            actions.run(action.name, BODIES[action.name], caller=caller)
            for caller in (replace(ACME, scopes=others), None)
        ]
        found = [(answer.status, answer.error) for answer in answers]
        if found != [(403, "forbidden"), (401, "unauthenticated")]:
            wrong[action.name] = found

    assert wrong == {}
    assert (actions.harness.keys(), actions.wire) == (before, [])


def test_a_dry_run_calls_no_provider_and_stores_nothing(actions: Actions, minutes: Minutes) -> None:
    wrong, shown = {}, 0
    for action in catalogue.all_actions():
        if "dry_run" not in action.input_model.model_fields:
            continue
        minutes.pass_one()
        before = actions.harness.keys(), len(actions.wire)
        answer = actions.run(action.name, BODIES[action.name] | {"dryRun": True})
        if answer.status != HTTPStatus.OK:
            continue  # It names an item that acme does not have here.
        shown += 1
        if (actions.harness.keys(), len(actions.wire)) != before:
            wrong[action.name] = answer.body

    assert wrong == {}
    assert shown > 0


@EVERY_MODE
def test_a_change_is_made_once_per_idempotency_key(
    actions: Actions, mode: Mode, minutes: Minutes
) -> None:
    wrong, succeeded = {}, 0
    for action in of_mode(mode):
        minutes.pass_one()
        body, key = BODIES[action.name], f"key-of-{action.name}"
        first = actions.run(action.name, body, key=key)
        sent = len(actions.wire)
        if first.status >= HTTPStatus.MULTIPLE_CHOICES:
            continue  # It names an item that acme does not have here.
        succeeded += 1
        again = actions.run(action.name, body, key=key)
        envelope = (first.body["operation"], first.body["mode"], "replayed" in first.body)
        repeat = (again.status, again.body.get("replayed", False), len(actions.wire))
        if envelope != (action.name, mode, False) or (
            not action.is_read and repeat != (first.status, True, sent)
        ):
            wrong[action.name] = envelope, repeat, (first.status, sent)

    assert wrong == {}
    assert succeeded > 0


@pytest.mark.long
@pytest.mark.parametrize("mode", ["remote_eum", "remote_graph"])
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (429, (429, "rate_limited")),
        (400, (422, "provider_rejected")),
        (500, (503, "provider_unavailable")),
    ],
)
def test_a_refusal_of_the_provider_is_reported(
    actions: Actions, mode: Mode, minutes: Minutes, status: int, expected: tuple[int, str]
) -> None:
    wrong, called = {}, 0
    for action in of_mode(mode):
        minutes.pass_one()
        actions.sandbox.reset()
        actions.sandbox.faults.add(kind="status", status=status, times=TIMES)
        answer = actions.run(action.name, BODIES[action.name])
        if actions.sandbox.faults.pending()[0].times == TIMES:
            continue  # It has called no provider.
        called += 1
        found = answer.status, answer.body.get("error", {}).get("code")
        is_in_doubt = status == 500 and not action.is_read and found == (202, None)
        if not (found == expected or is_in_doubt or (action.name, status) in NO_REFUSALS):
            wrong[action.name] = found

    assert wrong == {}
    assert called > 0


@pytest.mark.parametrize(("mode", "waba"), [("remote_graph", WABA), ("remote_eum", EUM_WABA)])
def test_an_answer_of_the_provider_without_its_fields_is_no_fault_of_ours(
    actions: Actions, mode: Mode, waba: str, minutes: Minutes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def empty(*_: object, **__: object) -> dict[str, Any]:
        return {"data": [{}], "id": None}

    actions.register_eum()
    monkeypatch.setattr(Graph, "call", empty)
    monkeypatch.setattr(Eum, "call", empty)
    wrong = {}
    for action in of_mode(mode):
        minutes.pass_one()
        text = json.dumps(BODIES[action.name])
        other = text.replace(WABA, waba).replace(PHONE, PHONE if waba == WABA else EUM_PHONE)
        answer = actions.run(action.name, json.loads(other))
        if answer.status == HTTPStatus.INTERNAL_SERVER_ERROR or '"None"' in json.dumps(answer.body):
            wrong[action.name] = answer.body

    assert wrong == {}
