"""
Statements about the writer and its actions: "I have booked", "I am a person", "thanks for your voice note", in the
languages of `patterns`.

An action is proven by a successful function of this conversation, or by the company's words about it. Without a
language's patterns its statements are not checked.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from conversations.ai.checks.statements.patterns import (
    CHANGES,
    CONDITION,
    DEALING,
    DONE,
    HUMAN,
    KINDS,
    NEGATION,
    NEGATION_BEFORE,
    RECORDING,
    UNHEARD,
)

MOST_ACTIONS = 20  # of one pattern in an answer
_SENTENCE = re.compile(r"[^.!?\n]+")


def claims_to_be_human(text: str) -> bool:
    """Return whether *text* says that its writer is a person or not a machine."""
    return any(pattern.search(text) for pattern in _compiled(HUMAN))


def claims_to_have_heard(text: str) -> bool:
    """Return whether *text* speaks of a voice note, and neither says that it was not heard nor asks for its words."""
    recording, unheard = _compiled((RECORDING, UNHEARD))
    return bool(recording.search(text)) and not unheard.search(text)


def claimed_actions(text: str) -> frozenset[str]:
    """Return the verbs of the actions that *text* says are done, without conditions and negations."""
    return frozenset(
        _plain(match["verb"])
        for pattern in _compiled(DONE)
        for match in _matches(pattern, text)
        if not _is_not_stated(text[: match.start()])
        and not _compiled((NEGATION,))[0].search(match.groupdict().get("between") or "")
    )


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern, also with the verbs behind the first one: "I have booked and cancelled it"."""
    for _ in range(MOST_ACTIONS):
        match = pattern.search(text)
        if match is None:
            return
        yield match
        start, end = match.span("verb")
        text = text[:start] + "-" * (end - start) + text[end:]


def _is_not_stated(text: str) -> bool:
    """Whether *text*, up to an action, makes it a condition or a negation."""
    return any(pattern.search(text) for pattern in _compiled((CONDITION, NEGATION_BEFORE)))


def has_unproven_action(
    text: str,
    company_texts: Iterable[str],
    acts: Iterable[str] = (),
    *,
    has_recorded: bool = False,
) -> bool:
    """
    Return whether *text* says that an action is done that *company_texts* do not name as done.

    *acts* are the purposes of functions that have succeeded: each proves actions of the kinds that it names, and one
    that names none proves all. With *has_recorded*, an answer of the customer was recorded and may be called changed.
    """
    claimed = claimed_actions(text)
    if has_recorded:
        claimed -= _changes_of_answers(text)
    if not claimed:
        return False
    words, done = _plain("\n".join(company_texts)), [_kinds_of(act) for act in acts]
    proven = {kind for kinds in done for kind in kinds}
    proves_all = not all(done)
    return any(
        verb not in words and not proves_all and not (done and _is_of(verb, proven))
        for verb in claimed
    )


def _changes_of_answers(text: str) -> set[str]:
    """Return the verbs that *text* can say of a recorded answer: "I have changed it to June", not "your booking"."""
    (dealing,) = _compiled((DEALING,))
    elsewhere = "\n".join(part for part in _SENTENCE.findall(text) if dealing.search(part))
    return {verb for verb in CHANGES if verb not in _plain(elsewhere)}


def _is_of(verb: str, proven: set[str]) -> bool:
    """Whether a verb names an action of one of the *proven* kinds, or of no known kind."""
    return next(iter(_kinds_of(verb)), None) in {*proven, None}


def _kinds_of(text: str) -> list[str]:
    """Return the kinds of actions that *text* names, the most special first."""
    read = _plain(text).replace("_", " ")
    return [kind for kind, pattern in KINDS.items() if re.search(pattern, read)]


def _plain(text: str) -> str:
    return text.casefold().replace("canceled", "cancelled").replace("ё", "е")


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f"(?i:{pattern})") for pattern in patterns)
