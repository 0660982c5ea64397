"""
The scripted model's analysis of mails, in the schema `email_analysis_v1`: rules and fixed texts, without a clock.

The text of customers is only searched by patterns: "ignore your instructions" has no effect.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from conversations.ai.phrases.person_requests import may_ask_for_a_person
from conversations.ai.phrases.phrase_list import compiled, has_phrase
from email_threads.threading.evidence import subjects
from local.scripted_model.mail_fields import find, request_type
from local.scripted_model.mail_input import AnalysisInput
from local.scripted_model.mail_wordings import (
    ASKS_FOR_PERSON,
    GERMAN,
    MAIL_WORDINGS,
    NEGATIVE,
    NO_HURRY,
    OTHER_TYPE,
    POSITIVE,
    REASONS,
    URGENT,
)
from shared.ai.texts.languages.function_words import language_of, plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.scripted_model.mail_fields import Found

_LONGEST_SUMMARY = 600
_LONGEST_SUBJECT = 120
_SENTENCE = re.compile(r"\s*(.+?(?:(?<!\d)[.!?](?=\s)|$))", re.DOTALL)


def answer(text: str) -> dict[str, Any]:
    """Return the analysis of *text*, the JSON of an `AnalysisInput`. Raises ValueError."""
    request = AnalysisInput.model_validate_json(text)
    of_customer = request.of_customer
    newest = of_customer[-1].text if of_customer else ""
    words = plain_words(newest)
    language = _language(newest, words)
    subject = subjects.cleaned(request.mails[0].subject) if request.mails else subjects.NONE
    reason = _reason(newest, words)
    found = find(request)
    return {
        "requirements": {name: one.value if one else None for name, one in found.items()},
        "evidence": [
            {"field": name, "n": one.n, "quote": one.quote}
            for name, one in found.items()
            if one is not None
        ],
        "missing": _missing(request, found, language),
        "analysis": {
            "summary": _summary(subject, newest),
            "intent": request_type(of_customer[0]) if of_customer else OTHER_TYPE,
            "language": language,
            "urgency": _urgency(words),
            "needs_human": reason is not None,
            "reason": reason,
            "confidence": 0.9 if reason is None else 0.4,
        },
        "sentiment": _sentiment(words),
        "reply": _thanks(subject, language) if reason is None and of_customer else None,
    }


def _language(text: str, words: Sequence[str]) -> str:
    return language_of(text) or ("de" if has_phrase(GERMAN, words) else "en")


def _reason(newest: str, words: Sequence[str]) -> str | None:
    """Return the code of the reason for which a person has to answer, None if there is none."""
    for code, phrases in REASONS.items():
        if has_phrase(phrases, words):
            return code
    return ASKS_FOR_PERSON if may_ask_for_a_person(newest) else None


def _missing(
    request: AnalysisInput, found: Mapping[str, Found | None], language: str
) -> list[dict[str, Any]]:
    wording = MAIL_WORDINGS.get(language, MAIL_WORDINGS["en"])
    return [
        {
            "field": name,
            "question": wording.asked.get(name) or wording.ask.format(label=name.replace("_", " ")),
            "blocking": True,
        }
        for name in request.required
        if found.get(name) is None and request.known.get(name) is None
    ]


def _summary(subject: str, text: str) -> str:
    sentence = _SENTENCE.match(text)
    said = " ".join(sentence[1].split()) if sentence else ""
    parts = [part for part in (subject, said) if part and part != subjects.NONE]
    return ": ".join(parts or [subject])[:_LONGEST_SUMMARY]


def _urgency(words: Sequence[str]) -> str:
    if has_phrase(NO_HURRY, words):
        return "low"
    return "high" if has_phrase(URGENT, words) else "medium"


def _sentiment(words: Sequence[str]) -> dict[str, Any]:
    positive, negative = (_count(phrases, words) for phrases in (POSITIVE, NEGATIVE))
    score = round((positive - negative) / max(positive + negative, 1), 2)
    label = "positive" if score > 0 else "negative" if score < 0 else "neutral"
    return {"label": label, "score": score}


def _count(phrases: str, words: Sequence[str]) -> int:
    listed = {phrase[0] for phrase, _ in compiled(phrases)}
    return sum(1 for word in words if word in listed)


def _thanks(subject: str, language: str) -> str:
    wording = MAIL_WORDINGS.get(language, MAIL_WORDINGS["en"])
    if subject == subjects.NONE:
        return wording.thanks_without_subject
    return wording.thanks.format(subject=subject[:_LONGEST_SUBJECT])
