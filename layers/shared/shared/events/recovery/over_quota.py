"""
Parked events above the quota of their company: whole objects in the folder of parked events, without an item.

    over-quota/{subject}/{ms}-{company}-{name}-{subjects}-{sha256}.json

All parts but the time are hashes. There is one object for each subject that the event must be found by, and each key
names all of them; the first holds the event for `of_company`. The time makes each parking another object: an event that
is queued again and parked again is never deleted by the run that queued it. The retention is the folder's.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import ClientError

from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.aws.stored_objects import Folder

OVER_QUOTA = "ParkedOverQuota"  # the metric
_PREFIX = "over-quota/"
_HASH_CHARACTERS = 24
_PARTS_BEFORE_SUBJECTS = 3


@dataclass(frozen=True, slots=True)
class OverQuotaEvent:
    """A parked event above the quota, by the key of its object."""

    key: str

    @property
    def company(self) -> str:
        """The hash of the company."""
        return self._parts[1]

    @property
    def is_first(self) -> bool:
        """Whether this object stands for the event: it is the one of the first subject."""
        return self.key.split("/")[-2] == self._subjects[0]

    @property
    def keys(self) -> list[str]:
        """The keys of all objects of the event, the first one last: while it exists, the event can be queued again."""
        folder, _, name = self.key.rsplit("/", 2)
        return [f"{folder}/{subject}/{name}" for subject in reversed(self._subjects)]

    def is_whole(self, body: bytes) -> bool:
        """Whether *body* is the one that was written."""
        return hashlib.sha256(body).hexdigest().startswith(self._parts[-1])

    @property
    def _subjects(self) -> list[str]:
        return self._parts[_PARTS_BEFORE_SUBJECTS:-1]

    @property
    def _parts(self) -> list[str]:
        return self.key.rpartition("/")[2].removesuffix(".json").split("-")


def keep(
    folder: Folder,
    company: str | None,
    name: str,
    body: bytes,
    *,
    reason: str,
    subjects: Sequence[str] = (),
) -> None:
    """Store an event with its body. *name* is a hash of it; `of_subject` finds it by each of the *subjects*."""
    owner = _hash(company or "")
    hashes = [_hash(subject) for subject in subjects] or [owner]
    name = "-".join([str(clock.now_ms()), owner, name, *hashes])
    # The object of the first subject last: an event that can be queued again is complete.
    for subject_hash in reversed(hashes):
        pointer = folder.put(f"{_PREFIX}{subject_hash}/{name}", body)
    count(company, reason, pointer.key)


def count(company: str | None, reason: str, key: str | None = None) -> None:
    """Count and log an event above the quota; *key* is the key of its object, if it has one."""
    metrics.add_metric(OVER_QUOTA, MetricUnit.Count, 1)
    facts = {"company": company, "reason": reason, "object": key}
    logger.warning("parked event over quota", extra=facts)


def of_subject(folder: Folder, subject: str) -> Iterator[tuple[OverQuotaEvent, bytes]]:
    """Yield the events with this subject and their bodies."""
    for key in folder.bucket.all_keys_under(f"{folder.prefix}{_PREFIX}{_hash(subject)}/"):
        body = body_of(folder, key)
        if body is not None:
            yield OverQuotaEvent(key), body


def of_company(folder: Folder, company: str | None) -> Iterator[tuple[OverQuotaEvent, bytes]]:
    """Yield the events of one company, or of all, and their bodies."""
    for key in folder.bucket.all_keys_under(f"{folder.prefix}{_PREFIX}"):
        event = OverQuotaEvent(key)
        if not event.is_first or (company is not None and event.company != _hash(company)):
            continue
        body = body_of(folder, key)
        if body is not None:  # Another run has sent it.
            yield event, body


def delete(folder: Folder, event: OverQuotaEvent) -> None:
    """Delete all objects of an event. Safe to repeat."""
    for key in event.keys:
        folder.bucket.delete(key)


def body_of(folder: Folder, key: str) -> bytes | None:
    """Return the body of the object with this key; None if it is gone."""
    try:
        return folder.bucket.get(key)
    except ClientError as error:
        if error.response["Error"]["Code"] == "NoSuchKey":
            return None
        raise


def _hash(text: str) -> str:
    return digest("over-quota", text)[:_HASH_CHARACTERS]
