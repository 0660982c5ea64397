"""
Merges the model's answer into the requirements of a thread. Pure.

A value counts only if its quote stands in the mail that the model names. An empty value never replaces a known one. A
question is asked once, and again after seven days.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from email_threads.analysis.schema import fits
from email_threads.store.items import OpenQuestion
from shared.aws.tables.dynamodb_json import plain
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from email_threads.analysis.schema import Answer
    from email_threads.configuration.requirements_schema import RequirementsSchema
    from email_threads.store.items import Mail, Thread

ASKED_AGAIN_MS: Final = 7 * clock.DAY_SECONDS * clock.SECOND_MS
MOST_QUESTIONS: Final = 10
MOST_BYTES: Final = 4_096  # of all requirements
MOST_VALUE: Final = 500  # characters
MOST_ELEMENTS: Final = 20
MOST_UNCONFIRMED: Final = 5
_SHORT: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """
    The requirements after an answer. *changed* are the fields that were known and have another value now.

    *questions* concern fields that are open or were answered, *to_ask* are the questions of the next reply.
    """

    requirements: dict[str, Any] = field(repr=False)
    unconfirmed: dict[str, Any] = field(repr=False)
    changed: tuple[str, ...]
    questions: list[OpenQuestion]
    to_ask: list[OpenQuestion]
    is_complete: bool


def merge(
    thread: Thread,
    answer: Answer,
    mails: Sequence[Mail],
    fields: RequirementsSchema,
    now_ms: int,
) -> Merged:
    """Merge an answer about *mails* of a thread, the last of which is the customer's newest one."""
    known = plain(thread.requirements)
    values = {
        name: _bounded(value)
        for name, value in answer.requirements.items()
        if name in fields.properties
        and not _is_empty(value)
        and fits(value, fields.properties[name])
    }
    confirmed = {name: value for name, value in values.items() if _is_proved(name, answer, mails)}
    unproved = [
        (name, value)
        for name, value in values.items()
        if name not in confirmed and known.get(name) != value
    ]
    requirements = _within_bytes({**known, **confirmed})
    newest = mails[-1].n
    present = _questions(_asked(thread), answer, requirements, newest, fields)
    open_fields = {one.field for one in answer.missing} | set(fields.required)
    open_questions = [one for one in present if one.field in open_fields - requirements.keys()]
    return Merged(
        requirements=requirements,
        unconfirmed={name: _short(value) for name, value in unproved[:MOST_UNCONFIRMED]},
        changed=tuple(
            name for name in confirmed if name in known and requirements.get(name) != known[name]
        ),
        questions=present,
        to_ask=[_worded(one, answer) for one in open_questions if may_ask(one, now_ms)],
        is_complete=set(fields.required) <= requirements.keys()
        and not any(one.blocking for one in open_questions),
    )


def may_ask(question: OpenQuestion, now_ms: int) -> bool:
    """Whether a question was not asked within the last seven days."""
    asked_at = question.asked_at
    return asked_at is None or clock.from_text(asked_at) + ASKED_AGAIN_MS <= now_ms


def recently_asked(thread: Thread, now_ms: int) -> list[str]:
    """Return the fields that the customer was asked for within the last seven days."""
    return [one.field for one in _asked(thread) if not may_ask(one, now_ms)]


def _asked(thread: Thread) -> list[OpenQuestion]:
    return thread.ai_analysis.pending_info if thread.ai_analysis is not None else []


def _questions(
    before: Sequence[OpenQuestion],
    answer: Answer,
    requirements: Mapping[str, Any],
    newest: int,
    fields: RequirementsSchema,
) -> list[OpenQuestion]:
    """Return the earlier questions, the answered ones marked, and the new ones; the newest ten, open ones first."""
    found = {
        one.field: one.model_copy(update={"answered_n": newest})
        if one.field in requirements and one.answered_n is None
        else one
        for one in before
    }
    for missing in answer.missing:
        if missing.field in requirements or missing.field not in fields.properties:
            continue
        known = found.get(missing.field)
        if known is None or known.answered_n is not None:
            found[missing.field] = OpenQuestion(
                field=missing.field,
                question=missing.question,
                blocking=missing.blocking,
            )
    ordered = sorted(found.values(), key=lambda one: one.answered_n is not None)
    return ordered[:MOST_QUESTIONS]


def _worded(question: OpenQuestion, answer: Answer) -> OpenQuestion:
    """Return a question in the words of this answer: the words of an earlier one may be shortened."""
    words = next((one.question for one in answer.missing if one.field == question.field), None)
    return question.model_copy(update={"question": words}) if words is not None else question


def _is_proved(name: str, answer: Answer, mails: Sequence[Mail]) -> bool:
    texts = {mail.n: _folded(f"{mail.subject}\n{mail.new_text}\n{mail.body}") for mail in mails}
    return any(
        evidence.field == name
        and (quote := _folded(evidence.quote)) != ""
        and quote in texts.get(evidence.n, "")
        for evidence in answer.evidence
    )


def _folded(text: str) -> str:
    return " ".join(text.split())


def _is_empty(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return value is None or value in ("", []) or (isinstance(value, str) and not value.strip())


def _bounded(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return value.strip()[:MOST_VALUE]
    if isinstance(value, list):
        return [str(one).strip()[: 2 * _SHORT] for one in value if str(one).strip()][:MOST_ELEMENTS]
    return value


def _short(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, list):
        return [one[:_SHORT] for one in value[:3]]
    return value[:_SHORT] if isinstance(value, str) else value


def _within_bytes(values: dict[str, Any]) -> dict[str, Any]:
    """Shorten long texts until all values fit into the bound of the head, the longest first."""
    kept = dict(values)
    while _size(kept) > MOST_BYTES:
        longest = max(kept, key=lambda name: _size(kept[name]))
        shorter = kept[longest][: len(kept[longest]) // 2]
        kept[longest] = shorter
        if not shorter:
            del kept[longest]
    return kept


def _size(value: Any) -> int:  # noqa: ANN401 - any JSON value
    return len(json.dumps(value, ensure_ascii=False).encode())
