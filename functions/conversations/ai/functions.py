"""
Functions that a model may call: four built-in ones and the project's list. This module does not run them.

A call contains a function name and arguments, never a company, project or person: they come from the conversation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conversations.ai.config import BuiltIn, Function
from conversations.ai.prompt.questions import MOST_ANSWERS
from conversations.ai.schemas.json_schema import ArgumentsInvalid, Parameters
from shared.ai import port as ai
from shared.aws.sqs_fifo import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LONGEST_RESULT = 16 * 1024
MOST_CALLS = 8  # in one reply of a model
_FAILED_STATUSES = ("error", "failed", "failure", "rejected", "declined")


def _of_texts(**longest: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "minLength": 1, "maxLength": most}
            for name, most in longest.items()
        },
        "required": list(longest),
        "additionalProperties": False,
    }


_BUILT_IN = (
    ai.Tool(
        BuiltIn.HAND_OFF,
        "Give the conversation to a person of the company, with a short reason.",
        _of_texts(reason=500),
    ),
    ai.Tool(
        BuiltIn.COMPLETE,
        "The matter is settled and nothing is open: close the conversation, with a one-line summary.",
        _of_texts(summary=500),
    ),
    ai.Tool(
        BuiltIn.OPT_OUT,
        "The person wants no more messages, however they put it. Nothing is sent to them after it.",
        _of_texts(),
    ),
    ai.Tool(
        BuiltIn.RECORD_ANSWER,
        "Note down what the person answered to questions of `clarificationPoints`, all answers of a message in one "
        "call. A key is the question as the facts have it. Where the person corrects a recorded answer, record the new "
        "one.",
        {
            "type": "object",
            "properties": {
                "answers": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": MOST_ANSWERS,
                    "items": _of_texts(key=200, value=500),
                }
            },
            "required": ["answers"],
            "additionalProperties": False,
        },
    ),
)
_BUILT_IN_PARAMETERS = {tool.name: Parameters(tool.parameters) for tool in _BUILT_IN}


@dataclass(frozen=True, slots=True)
class Call:
    """A valid function call. *function* is the project's; None for a built-in one."""

    call_id: str
    name: str
    arguments: Mapping[str, Any] = field(repr=False)
    function: Function | None = None

    @property
    def is_built_in(self) -> bool:
        """Whether Parley runs the function itself."""
        return self.function is None

    @property
    def canonical_arguments(self) -> str:
        """Canonical JSON of the arguments: equal calls get equal action ids."""
        return to_json(self.arguments)


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a call, as text for the model; *is_error* marks it as an error."""

    text: str = field(repr=False)
    is_error: bool = False

    @property
    def has_succeeded(self) -> bool:
        """Whether the function has done its work: a response may say in its body that it has not."""
        return not self.is_error and not _says_failure(self.text)


FAILED = Result("This could not be done.", is_error=True)
UNKNOWN = Result("Unknown whether this was done. Do not try again; offer a person.", is_error=True)
REFUSED = Result(
    "A person of the company has decided against this. Go on without it.", is_error=True
)

TOO_MANY = Result(f"Not done. At most {MOST_CALLS} calls at once.", is_error=True)

type Execute = Callable[[Call], Result]


class TurnOutdated(Exception):
    """A function was not executed, because the turn may not send its answer any more. *reason* is a code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class CallRefused(Exception):
    """The model made an invalid call. The message is for the model: names and rules, no values."""


def tools_of(functions: Sequence[Function]) -> tuple[ai.Tool, ...]:
    """Return the tools of the model: built-in functions and the project's."""
    own = (ai.Tool(f.name, f.description, f.parameters) for f in functions)
    return (*_BUILT_IN, *own)


def checked(
    call: ai.ToolCall, functions: Sequence[Function], questions: Sequence[str] = ()
) -> Call:
    """
    Validate a model's call against the listed functions and their parameters. Raises CallRefused.

    Answers can be recorded only for *questions*; the returned call has their texts.
    """
    own = next((function for function in functions if function.name == call.name), None)
    parameters = own.compiled if own else _BUILT_IN_PARAMETERS.get(call.name)
    if parameters is None:
        raise CallRefused("There is no function of this name.")
    try:
        # Some models send an empty text for a function without parameters.
        arguments = parameters.arguments(call.arguments or "{}")
    except ArgumentsInvalid as invalid:
        raise CallRefused(f"The arguments are not valid. {invalid}") from None
    if call.name == BuiltIn.RECORD_ANSWER:
        arguments = {"answers": [_of_question(one, questions) for one in arguments["answers"]]}
    return Call(call.call_id, call.name, arguments, own)


def recorded_in(call: Call) -> dict[str, str]:
    """Return the answers of a valid call of `record_answer`, by question; of two to one question the last."""
    return {one["key"]: one["value"] for one in call.arguments["answers"]}


def _of_question(answer: Mapping[str, str], questions: Sequence[str]) -> dict[str, str]:
    """Return the answer with the text of the question that its key matches. Raises CallRefused."""
    key = _folded(answer["key"])
    match = next((question for question in questions if _folded(question) == key), None)
    if match is None:
        rule = "key: is no question of `clarificationPoints` that can be answered."
        raise CallRefused(f"{rule} Nothing is recorded.")
    return {"key": match, "value": answer["value"]}


def _says_failure(text: str) -> bool:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(body, dict):
        return False
    says_error = bool(body.get("error") or body.get("errors"))
    is_denied = any(body.get(name) is False for name in ("ok", "success", "done"))
    return says_error or is_denied or body.get("status") in _FAILED_STATUSES


def _folded(question: str) -> str:
    """Normalise case and spaces, which models change."""
    return " ".join(question.split()).casefold()


def exchange(call: ai.ToolCall, result: Result) -> ai.Exchange:
    """Build the exchange that shows the model a call and its result in the next round."""
    return ai.Exchange(call, result.text[:LONGEST_RESULT] or "{}", result.is_error)
