"""Written newsletters, and what the model answers to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from local.sandbox.accounts.openai import OpenAiAnswer

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

GRANT = "The Green Fund opens a call with 40000 USD for farmers. The deadline is 30 June 2026."
PASSAGE = {
    "topic": "Funding Opportunities",
    "title": "Green Fund",
    "date": "2026-05-02",
    "text": GRANT,
}
WRITTEN: dict[str, Any] = {
    "title": "Field notes",
    "passages": [PASSAGE],
    "section": {
        "name": "Opportunities",
        "kind": "opportunities",
        "words": 20,
        "items": [{"title": "A call of the Green Fund", "passages": [1]}],
    },
}
GOOD = "The Green Fund opens a call with 40000 USD for farmers, with a deadline on 30 June 2026."
WRONG = "The Green Fund opens a call with 90000 USD for farmers, with a deadline on 30 June 2026."


def blocks(text: str, *refs: str) -> dict[str, Any]:
    """The model's answer for a section."""
    return {"blocks": [{"kind": "paragraph", "text": text, "refs": [*refs] or ["c01"]}]}


def verdicts(verdict: str = "supported") -> dict[str, Any]:
    """The model's verdict on the only statement of a section."""
    one = {"number": 0, "verdict": verdict, "claim": "40000 USD", "ref": "c01"}
    return {"verdicts": [one]}


def answers(author: Author, *values: dict[str, Any]) -> None:
    """Queue what the model answers to the next requests."""
    for one in values:
        author.system.sandbox.openai.answers.append(OpenAiAnswer(text=json.dumps(one)))
