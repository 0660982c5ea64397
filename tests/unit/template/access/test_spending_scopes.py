"""
Each call of a model counts for limits of dollars: read from the code, so that a new caller without a scope fails.

A function that calls a *creator* bounds the model that it gets, with one of SCOPES. One that hands it on is listed in
HANDED_ON, and is a creator for its own callers.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[4]
FOLDERS: Final = ("functions", "layers/shared/shared", "operations")
# Make clients of providers, or models of them, that nothing bounds.
CREATORS: Final = frozenset(
    {"model_for", "transcriber_for", "embedder_for", "OpenAI", "Bedrock", "OpenAiEmbedder"}
    | {"BedrockEmbedder", "OpenAiTranscriber"}
)
# What bounds a model: reservations for a message of an outsider, and the ceilings of a company.
SCOPES: Final = frozenset({"BoundedModel", "CompanyModel", "CompanyCalls", "reserve"})
_TURNS: Final = "functions/conversations/outbound/compose/model_turns.py"
HANDED_ON: Final = {
    f"{_TURNS}:models_of": "takes the scope as an argument",
    f"{_TURNS}:_turn_models": "as above",
    "functions/conversations/api/projects/knowledge/meanings.py:meanings_of": "bounded by `_made`",
    "functions/richpanel/configuration/bootstrap.py:_judge": "see the last test",
    "layers/shared/shared/ai/providers/model_creation.py:_model_for": "the creator itself",
    "layers/shared/shared/ai/providers/model_creation.py:transcriber_for": "the creator itself",
    "layers/shared/shared/ai/providers/model_creation.py:embedder_for": "the creator itself",
    "operations/ai/evaluation/models.py:_at_address": "the operator's own key, of no company",
    "operations/ai/evaluation/models.py:model_at_address": "as above",
}
# The callers of creators that take the scope as an argument: None is one only beside a reservation.
TAKES_SCOPE: Final = frozenset({"models_of", "_turn_models"})


@dataclass(frozen=True, slots=True)
class Caller:
    """A function or method of a module, and the names that it calls; *unscoped*: those called with None."""

    module: str
    name: str
    called: frozenset[str]
    unscoped: frozenset[str]

    @property
    def key(self) -> str:
        return f"{self.module}:{self.name}"

    @property
    def is_bounded(self) -> bool:
        if self.unscoped & TAKES_SCOPE:
            return "BoundedModel" in self.called
        return bool(SCOPES & self.called)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def _callers() -> tuple[Caller, ...]:
    """The functions that call a creator, or one that takes the scope."""
    found = []
    wanted = CREATORS | TAKES_SCOPE
    for path in (one for folder in FOLDERS for one in sorted((ROOT / folder).rglob("*.py"))):
        text = path.read_text("utf-8")
        if not any(name in text for name in wanted):
            continue  # most modules; to parse all of them takes seconds
        module = str(path.relative_to(ROOT))
        for node in _outermost(_tree(path)):
            calls = _calls(node)
            called = frozenset(calls)
            if called & wanted:
                unscoped = frozenset(name for name, has_none in calls.items() if has_none)
                found.append(Caller(module, node.name, called, unscoped))
    return tuple(found)


def _outermost(tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions of a module and the methods of its classes; functions in them belong to them."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    nodes = [*tree.body, *(inner for one in classes for inner in one.body)]
    return [node for node in nodes if isinstance(node, ast.FunctionDef)]


def _calls(node: ast.AST) -> dict[str, bool]:
    """The names that a function calls, and whether None is among their arguments."""
    found: dict[str, bool] = {}
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute | ast.Name):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
            given = (*call.args, *(one.value for one in call.keywords))
            has_none = any(isinstance(one, ast.Constant) and one.value is None for one in given)
            found[name] = found.get(name, False) or has_none
    return found


def unbounded(callers: tuple[Caller, ...]) -> list[str]:
    return [one.key for one in callers if not one.is_bounded and one.key not in HANDED_ON]


def test_every_caller_of_a_model_has_a_spending_scope() -> None:
    assert unbounded(_callers()) == []


def test_what_hands_a_model_on_exists() -> None:
    assert HANDED_ON.keys() == {one.key for one in _callers()} & HANDED_ON.keys()


def test_every_caller_without_its_scope_is_found() -> None:
    bounded = [one for one in _callers() if one.key not in HANDED_ON]
    assert bounded
    for caller in bounded:  # no cases: each process would read the code to collect them
        stripped = replace(caller, called=caller.called - SCOPES)
        others = tuple(stripped if one is caller else one for one in _callers())
        assert unbounded(others) == [caller.key]


@pytest.mark.parametrize("name", ["playground.tried", "runs._model_of", "shadow.answer"])
def test_a_caller_that_passes_no_scope_is_found(name: str) -> None:
    module, _, function = name.partition(".")
    stripped = tuple(
        replace(one, unscoped=frozenset({"models_of"}))
        if one.key.endswith(f"/{module}.py:{function}")
        else one
        for one in _callers()
    )

    assert len(unbounded(stripped)) == 1


def test_the_model_of_the_help_desk_is_read_by_what_bounds_it_alone() -> None:
    """It is stored with the dependencies of its functions."""
    reading = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "functions/richpanel").rglob("*.py")
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Attribute)
        and node.attr in {"judge", "judge_in_use"}
        and ast.unparse(node) != "shared.ai.evaluation.judge"
    }

    assert reading == {
        "functions/richpanel/api/health_check.py",  # only whether there is one
        "functions/richpanel/configuration/resources.py",  # hands it on as `judge_in_use`
        "functions/richpanel/worker/cases/costs.py",
        "functions/richpanel/worker/cases/evaluations.py",  # bounded by `_counted`
    }
