"""
The scripted model's verdicts on statements, in the schema `newsletter_claims_v1`.

A statement is supported if its passages have all of its words with digits and nearly all others. A statement with the
marker `[[break:verdicts]]` makes the answer end in its middle.
"""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import BaseModel

from local.scripted_model.answer import ScriptedAnswer
from local.scripted_model.newsletters.inputs import PassageInput

BROKEN: Final = "[[break:verdicts]]"
_SHARE: Final = 0.8
_WORD: Final = re.compile(r"\w+")


class StatementInput(BaseModel):
    """A statement to judge. *refs* are labels of its passages."""

    number: int
    text: str
    refs: list[str]


class ClaimsInput(BaseModel):
    """The request for verdicts."""

    statements: list[StatementInput]
    passages: list[PassageInput]


def answer(text: str, *, is_first_attempt: bool = True) -> ScriptedAnswer:
    """Return a verdict on each statement of *text*, the JSON of a `ClaimsInput`. Raises ValueError."""
    del is_first_attempt  # every attempt has the same answer
    request = ClaimsInput.model_validate_json(text)
    texts = {one.label: one.text for one in request.passages}
    verdicts = [_verdict(one, texts) for one in request.statements]
    is_cut = any(BROKEN in one.text for one in request.statements)
    return ScriptedAnswer({"verdicts": verdicts}, is_cut=is_cut)


def _verdict(statement: StatementInput, texts: dict[str, str]) -> dict[str, Any]:
    known = {word for label in statement.refs for word in _words(texts.get(label, ""))}
    words = _words(statement.text)
    share = sum(word in known for word in words) / max(1, len(words))
    is_supported = share >= _SHARE and all(word in known for word in words if word.isdigit())
    return {
        "number": statement.number,
        "verdict": "supported" if is_supported else "not_contained",
        "claim": "" if is_supported else statement.text,
        "ref": statement.refs[0],
    }


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
