"""Compares the threads after a load run with the mails that arrived."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import urllib3
from boto3.dynamodb.types import TypeDeserializer

from email_threads.threading import ids
from events.whatsapp.sample_data import LOAD_COMPANY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from local.load.mail_traffic import MailTraffic
    from local.stack.cli import Stack

_deserialize = TypeDeserializer().deserialize
_WAITING = frozenset({"pending", "amended"})

type Item = dict[str, Any]


@dataclass
class MailVerdict:
    """The totals of a run; `faults` describes every deviation. *unknown*: sends without an outcome."""

    stored: int
    answers: int
    unknown: int
    parked: Counter[str]
    dead_letters: int
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A draft that waits for a person."""

    thread: str
    reply_id: str
    version: int


@dataclass(frozen=True, slots=True)
class _Stored:
    """The items of the run's threads."""

    heads: dict[str, Item]
    mails: list[Item]
    drafts: list[Item]


def verdict(stack: Stack, traffic: MailTraffic, parked_before: Counter[str]) -> MailVerdict:
    """Read the table, the dead letters and what SES accepted, and compare. *parked_before*: by earlier runs."""
    found = _stored(stack, traffic)
    copies = Counter(str(one["message_id"]) for one in found.mails)
    expected = {mail.message_id: mail for mail in traffic.mails}
    newly_parked = parked(stack) - parked_before
    sends = _sends(stack)
    dead_letters = _dead_letters(stack)
    result = MailVerdict(
        stored=sum(name in copies for name in expected),
        answers=sum(sends[str(one["reply_id"])] for one in found.drafts),
        unknown=sum(one["draft_status"] == "unknown" for one in found.drafts),
        parked=newly_parked,
        dead_letters=dead_letters.total(),
    )
    if missing := expected.keys() - copies.keys():
        result.faults.append(f"{len(missing)} mails are lost: {sorted(missing)[:3]}")
    if repeated := [name for name, number in copies.items() if number > 1]:
        result.faults.append(f"{len(repeated)} mails are stored more than once")
    result.faults += _wrong_threads(found, traffic)
    result.faults += _wrong_numbers(found)
    result.faults += _wrong_sends(found, sends)
    if newly_parked != traffic.invalid:
        result.faults.append(f"parked {dict(newly_parked)}, not {dict(traffic.invalid)}")
    if result.dead_letters:
        result.faults.append(f"dead letters: {dict(dead_letters)}")
    if result.stored + traffic.repeats + newly_parked.total() != traffic.events:
        result.faults.append("stored + repeated + parked is not what arrived")
    return result


def parked(stack: Stack) -> Counter[str]:
    """Count the parked events of the load's company by reason."""
    return Counter(
        str(item["reason"])
        for item in _items(stack)
        if item["conversation_id"].startswith("parked#") and item.get("company_id") == LOAD_COMPANY
    )


def drafts_waiting(stack: Stack, traffic: MailTraffic) -> list[Waiting]:
    """Return the drafts of the run that wait for a person."""
    return [
        Waiting(_thread_of(one), str(one["reply_id"]), int(one["version"]))
        for one in _stored(stack, traffic).drafts
        if one["draft_status"] in _WAITING
    ]


def _stored(stack: Stack, traffic: MailTraffic) -> _Stored:
    roots = {mail.root for mail in traffic.mails}
    threads = {ids.conversation_id(LOAD_COMPANY, root) for root in roots}
    found = _Stored({}, [], [])
    for item in _items(stack):
        key = str(item["conversation_id"])
        is_of_run = traffic.run in str(item.get("message_id", ""))
        if key in threads:
            found.heads[key] = item
        elif "#mail#" in key and (is_of_run or _thread_of(item) in threads):
            found.mails.append(item)
        elif "#draft#" in key and _thread_of(item) in threads:
            found.drafts.append(item)
    return found


def _wrong_threads(found: _Stored, traffic: MailTraffic) -> Iterable[str]:
    expected = {
        mail.message_id: ids.conversation_id(LOAD_COMPANY, mail.root) for mail in traffic.mails
    }
    wrong = [
        one
        for one in found.mails
        if expected.get(str(one["message_id"]), _thread_of(one)) != _thread_of(one)
    ]
    if wrong:
        yield f"{len(wrong)} mails are in another thread"
    if missing := set(expected.values()) - found.heads.keys():
        yield f"{len(missing)} threads are missing"


def _wrong_numbers(found: _Stored) -> Iterable[str]:
    """Yield threads whose mails are not numbered 1, 2, ... up to the count of the head."""
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for mail in found.mails:
        numbers[_thread_of(mail)].append(int(mail["n"]))
    for thread, head in found.heads.items():
        if sorted(numbers[thread]) != list(range(1, int(head["email_count"]) + 1)):
            yield f"thread {thread}: {head['email_count']} mails, numbered {sorted(numbers[thread])}"


def _wrong_sends(found: _Stored, sends: Counter[str]) -> Iterable[str]:
    """Yield drafts that were sent more than once, or whose state contradicts what SES accepted."""
    appended = Counter(str(one["reply_id"]) for one in found.mails if one.get("reply_id"))
    for draft in found.drafts:
        name, status = str(draft["reply_id"]), str(draft["draft_status"])
        if sends[name] > 1 or appended[name] > 1:
            yield f"draft {name}: sent {sends[name]} times, appended {appended[name]} times"
        if status == "sent" and (sends[name], appended[name]) != (1, 1):
            yield f"draft {name} is sent: by SES {sends[name]}, in its thread {appended[name]}"
        if status not in {"sent", "unknown"} and sends[name]:
            yield f"draft {name} is {status}, and SES accepted it"
        if status in {"approved", "sending"}:
            yield f"draft {name} is still {status}"


def _sends(stack: Stack) -> Counter[str]:
    """Return how often SES accepted a mail, by its draft."""
    answer = urllib3.PoolManager().request("GET", f"{stack.sandbox_url}/_sent?provider=ses")
    return Counter(
        str(tag["Value"])
        for one in answer.json()
        for tag in one["body"].get("EmailTags", [])
        if tag["Name"] == "reply"
    )


def _thread_of(item: Item) -> str:
    return str(item["conversation_id"]).partition("#")[0]


def _items(stack: Stack) -> Iterable[Item]:
    table = stack.tables["email_threads"]
    for page in stack.client("dynamodb").get_paginator("scan").paginate(TableName=table):
        for item in page["Items"]:
            yield {name: _deserialize(value) for name, value in item.items()}


def _dead_letters(stack: Stack) -> Counter[str]:
    """Count the dead letters by queue."""
    sqs = stack.client("sqs")
    return Counter(
        {
            name: int(
                sqs.get_queue_attributes(
                    QueueUrl=stack.queues[name], AttributeNames=["ApproximateNumberOfMessages"]
                )["Attributes"]["ApproximateNumberOfMessages"]
            )
            for name in ("email_inbound_dead_letters", "email_threads_dead_letters")
        }
    )
