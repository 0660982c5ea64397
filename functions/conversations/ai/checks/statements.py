"""
Statements about the writer and its actions: "I have booked", "I am a person", in the languages of `statement_patterns`.

An action is proven by a successful function of this conversation, or by the company's words about it. Without a
language's patterns its statements are not checked.
"""

import re
from collections.abc import Iterable
from functools import cache

from conversations.ai.checks.statement_patterns import CONDITION, DONE, HUMAN, NEGATION


def claims_to_be_human(text: str) -> bool:
    """Return whether *text* says that its writer is a person or not a machine."""
    return any(pattern.search(text) for pattern in _compiled(HUMAN))


def claimed_actions(text: str) -> frozenset[str]:
    """Return the verbs of the actions that *text* says are done, without conditions and negations."""
    return frozenset(
        _plain(match["verb"])
        for pattern in _compiled(DONE)
        for match in pattern.finditer(text)
        if not _compiled((CONDITION,))[0].search(text[: match.start()])
        and not _compiled((NEGATION,))[0].search(match.groupdict().get("between") or "")
    )


def has_unproven_action(text: str, company_texts: Iterable[str]) -> bool:
    """Return whether *text* says that an action is done that *company_texts* do not name as done."""
    claimed = claimed_actions(text)
    if not claimed:
        return False
    words = _plain("\n".join(company_texts))
    return any(verb not in words for verb in claimed)


def _plain(text: str) -> str:
    return text.casefold().replace("canceled", "cancelled").replace("ё", "е")


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f"(?i:{pattern})") for pattern in patterns)
