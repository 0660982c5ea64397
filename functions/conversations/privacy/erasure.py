"""
Erases or exports a person in the conversations of one company: a job of `shared.privacy.engine`, of which each call of
a request about the person makes a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conversations.privacy.inventory import Inventory
from conversations.privacy.person import (
    all_addresses,
    conversations_of,
    every_spelling,
    is_since,
)
from conversations.store import states
from conversations.store.items.parts.privacy_job import SEPARATOR, PrivacyJob
from shared.identity.addresses import USER_ID_PREFIX
from shared.policy.consent.withdrawals import withdrawn_at
from shared.privacy.engine import Engine
from shared.privacy.parts import JobsPart, Known, NameKind
from shared.privacy.remainders import stated
from shared.privacy.requests import Jobs
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.privacy.dependencies import ErasureDependencies
    from shared.privacy.parts import Named

# The longest function timeout is 120 s; the rest covers clock skew.
SETTLES_MS: Final = 130 * clock.SECOND_MS
ROUNDS: Final = 3
TURN_MS: Final = 3 * clock.SECOND_MS  # the coordinator waits for ten seconds
REMAINDERS: Final = stated(
    kept="""
    tombstones, 35 days: keyed hashes of addresses, hashes of message ids, and ids of conversations: earlier events \
        are not stored again
    sends, 35 days: ids and states in the action ledger, without recipients: no message is sent twice
    receipts: this job, under a keyed hash of the addresses
    exports, 7 days: exports of the person that other addresses were given for
    consent: opt-outs, and numbers that changed hands, as keyed hashes
    requests, 35 days: ids in stored answers of API calls, under hashes
    texts_of_others: texts that name the person in conversations with other people, and the company's documents
    damaged_events, 35 days: parked events whose text cannot be read, so that their person is unknown
    limits, 31 days: times of messages and of the question how satisfied the person is, under keyed hashes of addresses
    early_files, 35 days: ids of files whose message has not come; the files are the inbox's
    """,
    outside="""
    queues, 28 days: events in queues and dead letters; redriven, earlier events of the person are not stored
    inbox: copies in the WhatsApp inbox and the threads of e-mail, which have erasures of their own
    providers: logs of Twilio, AWS and the model's provider, by their terms
    """,
)


class ConversationPart(JobsPart[PrivacyJob]):
    """One job for all addresses, of which each call makes a turn."""

    @classmethod
    def of(cls, deps: ErasureDependencies) -> ConversationPart:
        """Return the part over these tables and bucket."""
        return cls(
            context="conversations",
            jobs=jobs_of(deps),
            engine=engine_of(deps),
            subject_of=_address_of,
        )

    def known(self, company: str, name: Named, /) -> Known:
        """Return no further names, since the job itself finds them; a number passes on when it is withdrawn."""
        is_number = name.kind is NameKind.PHONE
        gone = withdrawn_at(self.jobs.table, company, name.value, "") if is_number else None
        return Known(names=[], has_passed_on=gone is not None)

    def of_names(self, company: str, names: Sequence[Named], /) -> list[str]:
        """Return all addresses as one subject."""
        own = super().of_names(company, names)
        return [subject_of(own)] if own else []

    def left(self, job: PrivacyJob, /) -> list[str]:
        """Return the copies at the model's provider that an erasure cannot delete."""
        return job.threads_left if job.kind == "erase" else []


def _address_of(name: Named) -> str | None:
    if name.kind is NameKind.USER_ID:
        return f"{USER_ID_PREFIX}{name.value}"
    return name.value if name.kind in {NameKind.PHONE, NameKind.EMAIL} else None


def jobs_of(deps: ErasureDependencies) -> Jobs[PrivacyJob]:
    """Return the jobs of conversations, which are in no queue."""
    return Jobs(
        item=PrivacyJob,
        table=deps.log,
        bucket=deps.bucket,
        exports=lambda company, job_id: f"exports/{company}/conversations/{job_id}/",
        lines="conversations.jsonl",
        remainders=lambda _: REMAINDERS,
    )


def subject_of(addresses: Sequence[str]) -> str:
    """Return the subject of the person with these normalised addresses, the same in any order and spelling."""
    return SEPARATOR.join(sorted(every_spelling(addresses)))


def engine_of(deps: ErasureDependencies) -> Engine[PrivacyJob]:
    """Return the engine of the jobs, which are in no queue."""
    return Engine(
        jobs=jobs_of(deps),
        inventory=lambda job: _inventory(deps, job),
        turn_ms=TURN_MS,
        settles_ms=lambda _: SETTLES_MS,
        resolve=lambda job: job.changed(addresses=all_addresses(deps, job.company_id, job.given)),
        grown=lambda job: _grown(deps, job),
    )


def _grown(deps: ErasureDependencies, job: PrivacyJob) -> PrivacyJob | None:
    """
    Return a job with the addresses that a worker has stored before it ended, or whose conversations are new since the
    fence; None if there are none. Raises Transient after ROUNDS, which the next call begins anew.
    """
    known = job.addresses or []
    current = all_addresses(deps, job.company_id, job.given)
    merged = [*(address for address in known if address not in current), *current]
    refs = (ref for _, ref in conversations_of(deps, job.company_id, merged))
    if len(merged) == len(known) and all(
        states.is_erased(deps.log, ref) or is_since(deps, ref, job.requested_at) for ref in refs
    ):
        return None
    if job.rounds + 1 >= ROUNDS:
        jobs_of(deps).replace(job.changed(rounds=0))
        raise Transient("written_to_all_the_time")
    return job.changed(addresses=merged, rounds=job.rounds + 1)


def _inventory(deps: ErasureDependencies, job: PrivacyJob) -> Inventory:
    return Inventory(
        deps=deps,
        company_id=job.company_id,
        addresses=job.addresses or [],
        at=job.requested_at,
        for_export=job.kind == "export",
    )
