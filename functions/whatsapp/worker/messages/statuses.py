"""
Delivery statuses, merged by rank, not by order of arrival.

    accepted 0 --> sent 1 --> delivered 2 --> read 3 --> failed 9 (final)

Every status is also a separate item. The message is written last, so that a status in the message's history has had all
its effects, even after a crash in between.

A word without a rank, such as one that the provider introduces, is stored and listed in the history of its message, and
changes nothing else: the message keeps the furthest status that has a rank. It waits for its message as the others do.
"""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.sqs_fifo import digest, to_json
from shared.runtime import clock
from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.configuration import folders
from whatsapp.configuration.resources import Resources, SendingResources
from whatsapp.inbound import content, provider_errors, senders
from whatsapp.inbound.event import Event, Outcome
from whatsapp.privacy import subjects, tombstones
from whatsapp.store.items import Alias, Message, Phone, Status
from whatsapp.worker import ownership
from whatsapp.worker.forwarding import forwarder
from whatsapp.worker.messages import sent_messages
from whatsapp.worker.messages.contents import full_content

RANKS: Mapping[str, int] = dict(zip(Status.words, (1, 2, 3, 3, 9), strict=True))
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_. -]{0,63}", re.ASCII)
WAITS_SECONDS = 35 * clock.DAY_SECONDS
# Fields in which two reports of the same word can differ.
_REPORTED = {
    "status", "status_at", "action_id", "pricing", "conversation", "errors", "other_fields", "content_s3_key",
}  # fmt: skip
_REPORT_CHARACTERS = 8
_MOST_ERRORS = 5
_LONGEST_ERROR_TEXT = 200


def merge(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Process a delivery status.

    Raises Permanent: `unknown_status` for a text that is no word; `not_outbound` for a customer's message;
    `tenant_mismatch` if the referenced message or action belongs to another company or number. The event is then
    parked.
    """
    status, whole = _parse(event, phone)
    message_pk = Message.key(event.id)
    message = _message_of(resources, event.id, status, phone)
    if message is None and status.action_id:
        # Not in our ledger: it may be another context's action, which announces its message before or after this.
        message_pk = sent_messages.key_of_action(resources, status.action_id, event.id, phone)
        message = ownership.message_of(resources, message_pk, phone)
    is_sent = message is not None and message.direction == sent_messages.DIRECTION
    if message is not None and not is_sent:
        raise Permanent("not_outbound")
    if message is not None and message.erased:
        metrics.add_metric("TombstoneHits", MetricUnit.Count, 1)
        return Outcome.DUPLICATE
    if message is None:
        tombstones.check_event(resources.table, phone.company, event)
        waits = {"ttl": clock.expires_in(WAITS_SECONDS), **subjects.listed(event)}
        status = status.model_copy(update=waits)
        _store(resources, event, phone, status, whole)
        outcome = _wait(resources, event.id, status, message_pk, phone)
    elif _is_in_history(message, status):
        outcome = Outcome.DUPLICATE
    else:
        lasting = status.model_copy(update={"ttl": message.ttl})
        _store(resources, event, phone, lasting, whole)
        outcome = _apply(resources, message, status)
    forwarder.status(resources, event, phone, status, message)
    return outcome


def fold_waiting(resources: SendingResources, message_id: str, message: Message) -> None:
    """Apply to a new message the statuses that arrived before it."""
    waiting = store.message_reports.waiting_statuses(resources.table, message, message_id)
    for status in sorted(waiting, key=_rank):
        _show(resources, message, status)


def _apply(resources: Resources, message: Message, status: Status) -> Outcome:
    if not status.has_known_word:
        _show(resources, message, status)
        return Outcome.PERSISTED
    # The first callback of a send is evidence for the ledger. Later ones do not change the ledger.
    if status.action_id and not message.status_rank:
        sent_messages.confirm(
            resources, status.action_id, message, failed=status.status == "failed"
        )
    if status.status == "delivered" and message.delivery_status == "failed":
        metrics.add_metric("DeliveredAfterFailed", MetricUnit.Count, 1)
    if _raise_rank(resources, message, status):
        return Outcome.PERSISTED
    metrics.add_metric("StaleIgnored", MetricUnit.Count, 1)
    return Outcome.PERSISTED


def _show(resources: SendingResources, message: Message, status: Status) -> None:
    """
    Show a status in its message: raise its rank, or list a word without a rank. Of a group's participant, the item of
    such a word has it alone.
    """
    if status.has_known_word:
        _raise_rank(resources, message, status)
    elif not status.participant:
        for entry in (_entry(status), *map(json.loads, sorted(status.further_words))):
            store.messages.list_status_word(resources.table, message, entry)


def _store(
    resources: Resources, event: Event, phone: Phone, status: Status, whole: bytes | None
) -> None:
    """Store a status as its own item, and all its fields in S3 if it is long. Safe to repeat."""
    stored = store.message_reports.add_status(resources.table, status)
    if whole is not None and status.content_s3_key:
        resources.bucket.put(status.content_s3_key, whole)
    _keep_difference(resources, event, phone, status, whole, shown=stored)


def _keep_difference(
    resources: Resources,
    event: Event,
    phone: Phone,
    status: Status,
    whole: bytes | None,
    *,
    shown: Status | None,
) -> None:
    """
    Store a status as an object if its item, *shown*, has another report of the same word, such as other errors.

    The item refers to the object, which is named by the event: a repetition writes both again.
    """
    if shown is None or shown.model_dump(include=_REPORTED) == status.model_dump(include=_REPORTED):
        return
    fields = status.model_dump(by_alias=True, exclude_none=True, include=_REPORTED)
    fields |= json.loads(whole) if whole else {}
    key = full_content.key_of(phone, event.id, folders.STATUSES, status.pk, event.hash)
    word = to_json(_entry(status)) if status.status != shown.status else None
    if store.message_reports.add_report(resources.table, status.pk, key, word):
        resources.bucket.put(key, json.dumps(fields, ensure_ascii=False).encode())


def _wait(
    resources: Resources, message_id: str, status: Status, message_pk: str, phone: Phone
) -> Outcome:
    """Let a stored status wait for its message, whose key will be *message_pk*."""
    if message_pk != Message.key(message_id):
        # Also stored under the message's own id, because its writer may have claimed its key but not yet written it.
        status_pk = Status.of(
            phone.phone, Message.id_of(message_pk), status.status, status.participant or ""
        )
        waiting = {"pk": status_pk, "ttl": clock.expires_in(WAITS_SECONDS)}
        store.message_reports.add_status(resources.table, status.model_copy(update=waiting))
    # The writer of that message reads the waiting statuses after its Put. If it read just before ours was written, its
    # message exists by now and this read finds it.
    message = ownership.message_of(resources, message_pk, phone)
    if message is not None and not message.erased:
        _show(resources, message, status)
    return Outcome.PERSISTED


def _message_of(
    resources: Resources, message_id: str, status: Status, phone: Phone
) -> Message | None:
    """Return the message of a status: by its own id, an alias, or the id of our action. None: unknown."""
    message = ownership.message_of(resources, Message.key(message_id), phone)
    if message is None:
        target = store.messages.target_of_alias(
            resources.table, Alias.of_message(phone.phone, message_id)
        )
        message = ownership.message_of(resources, target, phone) if target else None
    if status.action_id is None or (message is not None and _is_in_history(message, status)):
        return message
    if message is not None and not sent_messages.is_intended(resources, status.action_id):
        if message.action_id != status.action_id:
            sent_messages.check_action(resources, status.action_id, phone)
        return message
    # No message yet; or both a message and its intent, because a worker died while creating one from the other.
    created = sent_messages.message_of_action(
        resources, status.action_id, message_id, phone, failed=status.status == "failed"
    )
    if created is not None:
        fold_waiting(resources, message_id, created)
        sent_messages.forget_intent(resources, status.action_id)
    return created or message


def _raise_rank(resources: SendingResources, message: Message, status: Status) -> bool:
    """
    Raise the message to this status; False when it already has that rank or a higher one. Only group participants'
    statuses have no rank.
    """
    rank = _rank(status)
    error = next(iter(errors_of(status.errors)), None)
    facts = Message.named(
        delivery_status="read" if status.status == "played" else status.status,
        status_rank=rank,
        status_at=status.status_at,
        status_error=error,
        price_category=status.price_category,
    )
    # Before the rank: a status in the history means that all its effects are done.
    if status.status == "played":
        store.messages.mark_played(resources.table, message.pk, status.status_at)
    for each in errors_of(status.errors) if status.status == "failed" else []:
        provider_errors.apply(resources.table, message, each.get("code"), status.status_at)
    return store.messages.move_status(resources.table, message, facts, rank, _entry(status))


def _entry(status: Status) -> dict[str, str]:
    """Return a status as the history of its message lists it."""
    error = next(iter(errors_of(status.errors)), {})
    texts = {
        "status": status.status,
        "at": status.status_at,
        "report": status.report,
        "code": str(error["code"]) if "code" in error else None,
    }
    return {name: text for name, text in texts.items() if text}


def _parse(event: Event, phone: Phone) -> tuple[Status, bytes | None]:
    """Return the status, and the object with all its fields if they are too long for its item."""
    payload = event.payload or {}
    word = payload.get("status")
    status_name = str((word[0] if isinstance(word, list) and len(word) == 1 else word) or "")
    if not _WORD.fullmatch(status_name):
        raise Permanent("unknown_status")
    if status_name.lower() in RANKS:
        status_name = status_name.lower()
    participant = senders.participant_of(payload)
    callback = payload.get("biz_opaque_callback_data")
    at_ms = min(event.at * 1_000, event.accepted_at)
    status = Status(
        pk=Status.of(phone.phone, event.id, status_name, participant),
        company=phone.company,
        status=status_name,
        status_at=clock.to_text(at_ms),
        participant=participant or None,
        report=digest(event.hash)[:_REPORT_CHARACTERS],
        action_id=callback if isinstance(callback, str) and callback else None,
        **(subjects.listed(event) if participant else {}),
    )
    fields = _content(event, status)
    category = fields["pricing"].get("category")
    key = full_content.key_of(phone, event.id, folders.STATUSES, status.pk, event.hash)
    bounded, whole = full_content.bounded(Status, fields, key)
    if whole is not None:
        bounded |= {"errors": errors_of(fields["errors"])[:1] or None}  # The message shows it.
    bounded["price_category"] = str(category) if category else None
    return status.model_copy(update=bounded), whole


def _content(event: Event, status: Status) -> dict[str, Any]:
    """Return the provider's fields that are not part of the status itself."""
    payload = event.payload or {}
    taken = ["id", "status"] + (["biz_opaque_callback_data"] if status.action_id else [])
    is_exact = payload.get("timestamp") == str(clock.from_text(status.status_at) // 1_000)
    rest = content.without(payload, *taken, *(["timestamp"] if is_exact else []))
    fields = {
        name: rest.pop(name) if isinstance(rest.get(name), dict) else {}
        for name in ("pricing", "conversation")
    }
    # A list without any readable error stays with the other fields.
    errors = rest.pop("errors") if errors_of(rest.get("errors")) else []
    return fields | {"errors": errors, "other_fields": senders.with_contact(rest, event.contact)}


def errors_of(value: object) -> list[dict[str, Any]]:
    """Return the provider's errors, bounded: code, title, message, details, and the link to an explanation."""
    errors = (
        [error for error in value if isinstance(error, dict)] if isinstance(value, list) else []
    )
    return [_error(error) for error in errors[:_MOST_ERRORS]]


def _error(error: Mapping[str, Any]) -> dict[str, Any]:
    details = error.get("error_data")
    texts = {
        "code": error.get("code"),
        "title": error.get("title"),
        "message": error.get("message"),
        "details": details.get("details") if isinstance(details, dict) else None,
        "href": _link_in(error),
    }
    return {
        name: value if isinstance(value, int | Decimal) else str(value)[:_LONGEST_ERROR_TEXT]
        for name, value in texts.items()
        if value is not None
    }


def _link_in(error: Mapping[str, Any]) -> str | None:
    """Return the web link of an error; None for any other text, and for one that is too long to be kept whole."""
    href = error.get("href")
    is_link = isinstance(href, str) and href.startswith("https://")
    return href if is_link and len(str(href)) <= _LONGEST_ERROR_TEXT else None


def _is_in_history(message: Message, status: Status) -> bool:
    if status.participant:
        return False  # The message shows a group's furthest status; each participant's status is a separate item.
    history = message.delivery_status_history or []
    return any(
        (entry.get("status"), entry.get("at")) == (status.status, status.status_at)
        and entry.get("report") in {None, status.report}
        for entry in history
    )


def _rank(status: Status) -> int:
    return RANKS.get(status.status, 0)
