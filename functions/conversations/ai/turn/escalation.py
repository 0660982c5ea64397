"""
Decides from the dialogue that an agent must answer, independently of the model.

    the customer clearly asks for a person             patterns, or the model's own field `asks_for_person`
    the customer asks the same three times in a row    in equal or other words (see `question_topics`), or says that
                                                       the question was not answered; or the answers say the same (see
                                                       `exchanges`), or the model's own field `asks_again` says so
    the customer asks the same four times              in the messages that the model reads

The model's fields can only add to what the words show. They are counted here: one field alone leads to nothing.
Messages before the last hand-back by an agent do not count. Pure.
"""

from __future__ import annotations

from itertools import accumulate, dropwhile, pairwise, takewhile
from typing import TYPE_CHECKING

from conversations.ai.checks.guardrails import without_quotations
from conversations.ai.outcome import Cause
from conversations.ai.phrases.person_requests import asks_for_a_person
from conversations.ai.phrases.question_topics import complains, question_in
from conversations.ai.phrases.questions import has_question_word
from conversations.ai.turn.exchanges import Exchange, exchanges_in, units
from shared.ai import port as ai
from shared.ai.texts.languages.function_words import plain_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.ai.prompt.system_prompt import HistoryMessage

IN_A_ROW, IN_ALL = 3, 4
FEWEST_WORDS = 3  # of messages that are alike without being equal, or ask without a mark
FEWEST_QUESTIONS = 2  # of messages in a row whose answers say the same
FIRST_WORDS = 3  # of a message, among which a word makes it a question without a mark
LEAST_ALIKE = 0.75  # words that both messages have, of all their words
LEAST_WITHIN = 0.6  # of a message that has all words of the other one
SHORTEST_ANSWER = 5  # words; thanks and greetings may be repeated


def cause_of(
    history: Sequence[HistoryMessage], answer: str = "", *, asks_again: bool = False
) -> Cause | None:
    """
    Return why an agent must answer the newest customer messages of *history*, oldest first; None if not.

    *answer* is what the model would send, and *asks_again* its field.
    """
    if not history or history[-1].role is not ai.Role.USER:
        return None
    exchanges = exchanges_in(history)
    newest = exchanges[-1].texts
    if any(asks_for_a_person(without_quotations(text)) for text in newest):
        return Cause.ASKED_FOR_PERSON
    asked = [exchange.texts for exchange in exchanges]
    answered = [*exchanges[:-1], Exchange(newest, answer, asks_again)]
    return _repetition_in(asked) or _no_progress_in(answered)


def _repetition_in(asked: Sequence[tuple[str, ...]]) -> Cause | None:
    """Return the cause that the words of the newest texts show, compared with those before."""
    insists = [any(map(complains, texts)) for texts in asked]
    if len(asked) >= IN_A_ROW and all(insists[-IN_A_ROW:]):
        return Cause.NO_PROGRESS
    for text in _open_questions(asked):
        repeats = [any(_are_alike(text, other) for other in earlier) for earlier in asked]
        same = [repeated or insisted for repeated, insisted in zip(repeats, insists, strict=True)]
        if len(same) >= IN_A_ROW and all(same[-IN_A_ROW:]):
            return Cause.NO_PROGRESS
        if sum(repeats) >= IN_ALL:
            return Cause.REPEATED_QUESTION
    return None


def _no_progress_in(exchanges: Sequence[Exchange]) -> Cause | None:
    """Return the cause that the answers and the model's fields show; the first exchange repeats nothing."""
    said = [_is_named(exchange) for exchange in exchanges[1:]]
    if said and said[-1] and sum(said) >= IN_ALL - 1:
        return Cause.REPEATED_QUESTION
    last = exchanges[-IN_A_ROW:]
    if len(last) < IN_A_ROW:
        return None
    is_asking = sum(any(map(_is_question, one.texts)) for one in last) >= FEWEST_QUESTIONS
    in_a_row = (
        _is_named(one) or (is_asking and one.is_answered_like(before))
        for before, one in pairwise(last)
    )
    return Cause.NO_PROGRESS if all(in_a_row) else None


def _is_named(exchange: Exchange) -> bool:
    """Return whether the model says that the customer asks again, and the customer said more than "thanks"."""
    is_said = (_is_question(text) or len(units(text)) >= FEWEST_WORDS for text in exchange.texts)
    return exchange.asks_again and any(is_said)


def _open_questions(asked: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the questions of the newest texts; if they say that a question was not answered, the ones before."""
    for texts in reversed(asked):
        questions = [text for text in texts if _is_question(text) and not complains(text)]
        if questions or not any(map(complains, texts)):
            return questions
    return []


def is_repeated(answer: str, history: Sequence[HistoryMessage]) -> bool:
    """Return whether the customer was given the same *answer* last, and it is more than thanks or a greeting."""
    words = units(answer)
    return len(words) >= SHORTEST_ANSWER and words in _last_answers(history)


def _last_answers(history: Sequence[HistoryMessage]) -> list[list[str]]:
    """Return the words of the model's last message, and of its last ones together: an answer may have several."""
    newest_first = dropwhile(lambda message: message.role is ai.Role.USER, reversed(history))
    own = takewhile(lambda m: m.role is ai.Role.ASSISTANT and not m.by_colleague, newest_first)
    return list(accumulate((units(message.text) for message in own), lambda last, one: one + last))


def _is_question(text: str) -> bool:
    """Return whether *text* asks something: "yes I do" may be the answer to several questions."""
    has_mark = not set("?\uff1f\u061f").isdisjoint(text)
    return has_mark or has_question_word(plain_words(text)[:FIRST_WORDS])


def _are_alike(text: str, other: str) -> bool:
    words, others = units(text), units(other)
    if words == others or question_in(text).is_like(question_in(other)):
        return True
    common, every = {*words} & {*others}, {*words} | {*others}
    if 1 < len(common) == min(len({*words}), len({*others})):
        return len(common) >= LEAST_WITHIN * len(every)
    if min(len(words), len(others)) < FEWEST_WORDS:
        return False
    return len(common) >= LEAST_ALIKE * len(every)
