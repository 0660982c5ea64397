"""
The case data of a conversation: the request's project data and the customer's recorded answers.

Each part is stored in the item up to a size limit, and in stored objects of the conversation above it. The two are
separate: an answer is extracted by a model and never replaces data from the company. A later answer to a question
replaces the earlier one, which the item keeps among its `replaced_answers`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conversations.configuration.folders import folder_of
from conversations.store.items import identifiers
from conversations.store.items.conversation import Conversation
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import to_json
from shared.aws.stored_objects import Folder, ObjectUnusable, Pointer, record
from shared.runtime import clock

INLINE_BYTES = 1_024
PROJECT_DATA, RECORDED_ANSWERS = "project_data", "recorded_answers"
REPLACED_ANSWERS = "replaced_answers"
KEPT = 8  # of the replaced answers; the log has all: see `Message.answers`


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseData:
    """Both parts of the case data. *unreadable* names each part whose stored object is unusable; it is incomplete."""

    project_data: dict[str, Any] = field(default_factory=dict, repr=False)
    recorded_answers: dict[str, str] = field(default_factory=dict, repr=False)
    unreadable: tuple[str, ...] = ()


def stored_project_data(data: dict[str, Any], folder: Folder) -> dict[str, Any]:
    """Return the project-data fields of a new `Conversation`; data too large for the item is written to an object."""
    if not data:
        return {}
    text = to_json(data)
    if len(text) <= INLINE_BYTES:
        return {PROJECT_DATA: data}
    return {"project_data_object": folder.put("project-data", text.encode()).attributes()}


def read(conversation: Conversation, bucket: Bucket) -> CaseData:
    """Return both parts. An unusable stored object is logged, counted and named in `unreadable`."""
    folder = folder_of(bucket, identifiers.ref_of_item(conversation))
    data, has_data = _read_object(folder, conversation.project_data_object, PROJECT_DATA)
    answers, has_answers = _read_object(
        folder, conversation.recorded_answers_object, RECORDED_ANSWERS
    )
    parts = ((PROJECT_DATA, has_data), (RECORDED_ANSWERS, has_answers))
    return CaseData(
        project_data={**(conversation.project_data or {}), **data},
        recorded_answers={**answers, **(conversation.recorded_answers or {})},
        unreadable=tuple(name for name, is_readable in parts if not is_readable),
    )


def with_answers(
    conversation: Conversation, answers: Mapping[str, str], bucket: Bucket
) -> dict[str, Any]:
    """
    Return the conversation fields to change in order to record *answers*; empty if nothing changes.

    If the item would exceed its limit, all answers move to a new object; while the current object is unusable, they
    stay in the item so that none is lost.
    """
    folder = folder_of(bucket, identifiers.ref_of_item(conversation))
    pointer = conversation.recorded_answers_object
    moved, is_readable = _read_object(folder, pointer, RECORDED_ANSWERS)
    inline = conversation.recorded_answers or {}
    recorded = {**moved, **inline}
    new = {question: text for question, text in answers.items() if recorded.get(question) != text}
    if not new:
        return {}
    at = clock.to_text(clock.now_ms())
    replaced = [
        {"question": question, "answer": recorded[question], "replaced_at": at}
        for question in new
        if question in recorded
    ]
    facts: dict[str, Any] = {RECORDED_ANSWERS: {**inline, **new}}
    if len(to_json(facts[RECORDED_ANSWERS])) > INLINE_BYTES and is_readable:
        whole = folder.put("recorded-answers", to_json({**recorded, **new}).encode())
        facts = {RECORDED_ANSWERS: {}, "recorded_answers_object": whole.attributes()}
    if replaced:
        facts[REPLACED_ANSWERS] = [*(conversation.replaced_answers or ()), *replaced][-KEPT:]
    return facts


def _read_object(folder: Folder, pointer: object, what: str) -> tuple[dict[str, Any], bool]:
    """Return the object of a pointer and whether it was readable; `({}, True)` without a pointer."""
    if pointer is None:
        return {}, True
    try:
        return folder.get_json(Pointer.read(pointer)), True
    except ObjectUnusable as fault:
        record(fault, what)
        return {}, False
