"""
Decides from the dialogue that an agent must answer, independently of the model.

    the customer clearly asks for a person             patterns, or the model's own field `asks_for_person`
    the customer asks the same three times in a row    no answer has helped
    the customer asks the same four times              in the messages that the model reads

Messages before the last hand-back by an agent do not count. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.ai.checks.guardrails import without_quotations
from conversations.ai.checks.phrases import clearly_asks_for_a_person, has_question_word
from conversations.ai.outcome import Cause
from shared.ai import port as ai
from shared.ai.languages.function_words import plain_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.ai.prompt.system_prompt import HistoryMessage

IN_A_ROW, IN_ALL = 3, 4
FEWEST_WORDS = 3  # of messages that are alike without being equal
FIRST_WORDS = 3  # of a message, among which a word makes it a question without a mark
LEAST_ALIKE = 0.75  # words that both messages have, of all their words
SHORTEST_ANSWER = 5  # words; thanks and greetings may be repeated


def cause_of(history: Sequence[HistoryMessage]) -> Cause | None:
    """Return why an agent must answer the newest customer messages of *history*, oldest first; None if not."""
    asked = _asked(history)
    if not asked or not asked[-1]:
        return None
    newest = asked[-1]
    if any(clearly_asks_for_a_person(plain_words(without_quotations(text))) for text in newest):
        return Cause.ASKED_FOR_PERSON
    for text in filter(_is_question, newest):
        repeats = [any(_are_alike(text, other) for other in earlier) for earlier in asked]
        if len(repeats) >= IN_A_ROW and all(repeats[-IN_A_ROW:]):
            return Cause.NO_PROGRESS
        if sum(repeats) >= IN_ALL:
            return Cause.REPEATED_QUESTION
    return None


def is_repeated(answer: str, history: Sequence[HistoryMessage]) -> bool:
    """Return whether the customer was given the same *answer* last, and it is more than thanks or a greeting."""
    last = next((m for m in reversed(history) if m.role is ai.Role.ASSISTANT), None)
    words = plain_words(answer)
    is_own = last is not None and not last.by_colleague
    return (
        is_own and len(words) >= SHORTEST_ANSWER and words == plain_words(last.text if last else "")
    )


def _asked(history: Sequence[HistoryMessage]) -> list[list[str]]:
    """Return the customer's texts, those without an answer between them together; the last list may be empty."""
    asked: list[list[str]] = [[]]
    for message in history:
        if message.role is ai.Role.USER:
            asked[-1].append(message.text)
        elif asked[-1]:
            asked.append([])
    return asked


def _is_question(text: str) -> bool:
    """Return whether *text* asks something: "yes I do" may be the answer to several questions."""
    has_mark = not set("?\uff1f\u061f").isdisjoint(text)
    return has_mark or has_question_word(plain_words(text)[:FIRST_WORDS])


def _are_alike(text: str, other: str) -> bool:
    words, others = plain_words(text), plain_words(other)
    if words == others:
        return True
    if min(len(words), len(others)) < FEWEST_WORDS:
        return False
    common, every = {*words} & {*others}, {*words} | {*others}
    return len(common) >= LEAST_ALIKE * len(every)
