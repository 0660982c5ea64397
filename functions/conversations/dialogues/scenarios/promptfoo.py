"""
Converts tests of promptfoo to dialogues: a test is a dialogue of one turn.

    one variable        what the customer says: the one that is asked for, `_QUESTIONS`, or the only one
    other variables     facts
    assertions          `_CHECKS`; any other one is refused, with its test

Texts are compared without case, in difference to `contains` of promptfoo. Its prompts and providers are not read: the
version that is evaluated has them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from conversations.dialogues.scenarios.files import DialogueInvalid, documents_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_QUESTIONS: Final = ("question", "input", "message", "query", "user_input", "prompt")
_CHECKS: Final = {
    "contains": "contains",
    "icontains": "contains",
    "contains-all": "contains",
    "icontains-all": "contains",
    "contains-any": "contains_any",
    "icontains-any": "contains_any",
    "not-contains": "lacks",
    "not-icontains": "lacks",
    "not-contains-any": "lacks",
    "not-icontains-any": "lacks",
    "llm-rubric": "judge",
    "model-graded-closedqa": "judge",
}
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


class _Refused(Exception):
    """A part of a test cannot be converted: its field and the rule."""


def converted(path: Path, says: str | None = None) -> list[dict[str, Any]]:
    """
    Return the dialogues of a configuration of promptfoo, or of a file of its tests. *says* is the variable that the
    customer says. Raises DialogueInvalid with each test, field and rule, and OSError.
    """
    found, problems = [], []
    for number, (test, default) in enumerate(_tests_in(path), start=1):
        name = str(test.get("description") or f"test {number}")
        try:
            found.append(_dialogue(f"{number}. {name}"[:200], test, default, says))
        except _Refused as refusal:
            problems.append(f"{path}: {name}: {refusal}")
    if problems or not found:
        raise DialogueInvalid("\n".join(problems) or f"{path}: no test")
    return found


type _Test = dict[str, Any]


def _tests_in(path: Path) -> Iterator[tuple[_Test, _Test]]:
    """Yield each test with the default of its configuration."""
    for place, whole in documents_in(path):
        is_configuration = isinstance(whole, dict) and "tests" in whole
        default = whole.get("defaultTest") if is_configuration else None
        tests = whole["tests"] if is_configuration else whole
        if isinstance(tests, str):
            named = path.parent / tests.removeprefix("file://")
            tests = [test for _, test in documents_in(named)]
        for test in tests if isinstance(tests, list) else [tests]:
            if not isinstance(test, dict) or not isinstance(default, dict | None):
                raise DialogueInvalid(f"{path}: {place}: tests and defaultTest must be objects")
            yield test, default or {}


def _dialogue(name: str, test: _Test, default: _Test, says: str | None) -> dict[str, Any]:
    values = {**(default.get("vars") or {}), **(test.get("vars") or {})}
    for key, value in values.items():
        if isinstance(value, list) or str(value).startswith("file://"):
            raise _Refused(f"vars.{key}: must be one value, neither a list nor a file")
    spoken = says or next((one for one in _QUESTIONS if one in values), None)
    spoken = spoken or (next(iter(values)) if len(values) == 1 else None)
    if spoken not in values:
        raise _Refused(
            f"vars.{spoken or '?'}: must be the variable that the customer says; name it"
        )
    checks = [*(default.get("assert") or []), *(test.get("assert") or [])]
    expected: dict[str, Any] = {}
    for position, check in enumerate(checks):
        kind, texts = _check(f"assert.{position}", check, values)
        expected[kind] = [*expected.get(kind, []), *texts]
    facts = {key: value for key, value in values.items() if key != spoken}
    turn = {"says": str(values[spoken]), "expect": expected}
    return {"name": name, **({"data": facts} if facts else {}), "turns": [turn]}


def _check(field: str, check: object, values: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return the expectation of an assertion with its texts. Raises _Refused."""
    kind = check.get("type") if isinstance(check, dict) else None
    if not isinstance(check, dict) or kind not in _CHECKS:
        known = ", ".join(_CHECKS)
        raise _Refused(f"{field}.type: {kind!r} is not imported; it must be one of {known}")
    value = check.get("value")
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(one, str | int | float) and one != "" for one in texts):
        raise _Refused(f"{field}.value: must be a text or a list of texts")
    if any(str(one).startswith("file://") for one in texts):
        raise _Refused(f"{field}.value: must be a text, not a file")
    return _CHECKS[kind], [_filled(str(one), values, field) for one in texts]


def _filled(text: str, values: Mapping[str, Any], field: str) -> str:
    """Return the text with the values of variables. Raises _Refused for an unknown one."""
    for name in _VARIABLE.findall(text):
        if name not in values:
            raise _Refused(f"{field}.value: the variable {name} is not in vars")
    return _VARIABLE.sub(lambda found: str(values[found[1]]), text)
