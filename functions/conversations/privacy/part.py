"""AI conversations as a part of one request about a person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from conversations.privacy import erasure
from conversations.privacy.person import every_spelling
from conversations.privacy.remainders import REMAINDERS
from conversations.store.items.parts.privacy_job import PrivacyJob
from shared.identity.addresses import USER_ID_PREFIX
from shared.policy.consent.withdrawals import withdrawn_at
from shared.privacy import jobs as stored_jobs
from shared.privacy.parts import Known, NameKind, PartJob, Subject, job_since, part_job
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.privacy.dependencies import ErasureDependencies
    from shared.privacy.jobs import Kind
    from shared.privacy.parts import Asked, Named

SEPARATOR: Final = "\n"  # of the addresses of one job; no address has one
TURN_MS: Final = 3 * clock.SECOND_MS  # the coordinator waits for ten seconds
_OWN = frozenset({NameKind.PHONE, NameKind.EMAIL, NameKind.USER_ID})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPart:
    """One job for all addresses, of which each call makes a turn."""

    deps: ErasureDependencies
    context: str = "conversations"

    def known(self, company: str, name: Named, /) -> Known:
        """Return no further names, since the job itself finds them; a number passes on when it is withdrawn."""
        is_number = name.kind is NameKind.PHONE
        gone = withdrawn_at(self.deps.log, company, name.value, "") if is_number else None
        return Known(names=[], has_passed_on=gone is not None)

    def subjects(self, kind: Kind, company: str, names: Sequence[Named], /) -> list[Subject]:
        """Return all addresses as one subject."""
        own = [
            f"{USER_ID_PREFIX}{name.value}" if name.kind is NameKind.USER_ID else name.value
            for name in names
            if name.kind in _OWN
        ]
        if not own:
            return []
        job_id = PrivacyJob.id_of(kind, company, every_spelling(own))
        return [Subject(name=SEPARATOR.join(own), job_id=job_id)]

    def since(self, asked: Asked, subject: str, /, *, queues: bool) -> PartJob:
        """Make a turn of the job of a subject that belongs to the request, unless it is done; it is in no queue."""
        del queues
        named = subject.split(SEPARATOR)
        job_id = PrivacyJob.id_of(asked.kind, asked.company, every_spelling(named))
        turn = partial(
            erasure.turn,
            self.deps,
            asked.kind,
            asked.company,
            named,
            by=asked.requested_by,
            at=asked.requested_at,
            turn_ms=TURN_MS,
        )
        stored = stored_jobs.get(self.deps.log, PrivacyJob, job_id)
        return self._stated(job_since(asked, stored, turn, goes_on=True))

    def stored(self, job_id: str, /) -> PartJob | None:
        """Return a job."""
        job = stored_jobs.get(self.deps.log, PrivacyJob, job_id)
        return self._stated(job) if job is not None else None

    def _stated(self, job: PrivacyJob) -> PartJob:
        folder, left = erasure.folder_of(self.deps.bucket, job), job.threads_left
        left = left if job.kind == "erase" else []
        return part_job(job, REMAINDERS, self.deps.bucket, folder.prefix, left)
