"""The head of a thread after a mail was appended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.parsing.trust import Trust
from email_threads.store.items import AliasKind, Status, Thread
from email_threads.store.items.item import date_of
from email_threads.store.items.threads.thread import Direction
from email_threads.store.threads import Append
from email_threads.threading.head import follow_up, service_level, windows
from shared.identity.contacts.claims import Proof
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from email_threads.store.items import Mail
    from email_threads.store.items.threads.service_level import ServiceLevel
    from email_threads.threading.head.service_level import Targets
    from shared.policy.business_hours import BusinessHours

DEFAULT_DAYS: Final = 30  # contract, attribute `ttl`
MOST_SEARCH_TEXT: Final = 500
MOST_WITHHELD: Final = 20  # mails that do not count and that the head names


def append_of(
    before: Thread | None,
    base: Thread,
    mail: Mail,
    *,
    participants: Iterable[str],
    references: Iterable[str],
    alias_kind: AliasKind = AliasKind.MAIL,
    is_moved: bool = False,
    sent_draft: str | None = None,
    asked: Collection[str] = (),
    targets: Targets | None = None,
    close_days: int | None = None,
    ask_hours: int | None = None,
) -> Append:
    """
    Return the write that appends *mail* to a thread.

    *before* is the stored head, None for a new thread, whose head without mails is *base*. *references* are the
    Message-IDs that the mail adds, oldest first. *is_moved*: the mail comes from a merged thread: it is not new.

    Of a sent mail, *sent_draft* is the draft that it was sent from, and *asked* are the requirements that it asks
    for: they are not asked again soon. *targets*: of the mailbox, for a mail of a customer; *close_days*: its
    days until an answered thread is closed, *ask_hours* its hours from the end of a thread to its question.
    """
    entry = windows.entry_of(mail)
    history, is_longer = windows.history_with(before.email_history if before else [], entry)
    is_mail = mail.counts and not is_moved
    is_news = is_mail and mail.direction is Direction.INBOUND
    status = Status.ACTIVE if before and is_news else base.status
    if asked and status is Status.ACTIVE:
        status = Status.PENDING_INFO
    people = windows.participants_with(base.participants, participants)
    proof = base.participant_proof or _proof_of(base, mail)
    known = base.participant_name if proof is base.participant_proof else None
    after = base.model_copy(
        update={
            "created_at": min(base.created_at, mail.timestamp),
            "last_seq": base.seq + 1,
            "status": status,
            "company_status": Thread.list_of(base.company_id, status),
            "participants": people,
            "participant_proof": proof,
            "participant_name": name_of(base.participant, proof, mail) or known,
            "thread_references": windows.first_and_newest([*base.thread_references, *references]),
            "email_history": history,
            "email_count": mail.n,
            "snoozed_until": None if is_news else base.snoozed_until,
            "last_inbound_n": mail.n if is_news else base.last_inbound_n,
            "withheld_mails": withheld_with(base, mail),
            "resolution_time": None if status is Status.ACTIVE else base.resolution_time,
            "full_text_search": search_text(base.subject, people, mail.new_text),
            **(_waiting(base, mail) if is_mail else {}),
            **({"service_level": _level(base, mail, status, targets)} if is_mail else {}),
            **(follow_up.after_mail(base, mail, status, close_days, ask_hours) if is_mail else {}),
            **_noted(base, asked, mail.n),
            **touched(base),
        }
    )
    return Append(
        before=before,
        after=after,
        mail=mail,
        entry=entry if before and is_longer else None,
        alias_kind=alias_kind,
        sent_draft=sent_draft,
    )


def withheld_with(thread: Thread, mail: Mail) -> list[int]:
    """Return the numbers of the mails of a thread that do not count, as far as its head names them, with *mail*."""
    others = [n for n in thread.withheld_mails if n != mail.n]
    return sorted([*others, mail.n])[-MOST_WITHHELD:] if mail.is_withheld else others


def touched(thread: Thread) -> dict[str, str | int]:
    """Return the attributes of a thread that change with every change: times and lifetime."""
    updated_at = max(clock.to_text(clock.now_ms()), thread.updated_at)
    ttl = clock.expires_in(retention_days(thread) * clock.DAY_SECONDS)
    return {
        "updated_at": updated_at,
        "last_updated_at": updated_at,
        "ttl": ttl,
        "ttl_date": date_of(ttl),
    }


def retention_policy(days: int) -> dict[str, Any]:
    """Return the attributes of a new thread that is kept for so many days."""
    ttl = clock.expires_in(days * clock.DAY_SECONDS)
    return {"data_retention_policy": f"{days}d", "ttl": ttl, "ttl_date": date_of(ttl)}


def with_status(
    thread: Thread, status: Status, hours: BusinessHours | None = None
) -> dict[str, Any]:
    """
    Return the attributes of a thread that a new status changes.

    *hours*: of its mailbox (`mailboxes.hours_of`); only a thread that becomes active needs them.
    """
    now_ms = clock.now_ms()
    taken = now_ms - clock.from_text(thread.created_at)
    resolution = thread.resolution_time if status is Status.ARCHIVED else None
    if status is Status.COMPLETED:
        resolution = max(0, taken // clock.SECOND_MS)
    return {
        "status": status,
        "company_status": Thread.list_of(thread.company_id, status),
        "resolution_time": resolution,
        "snoozed_until": None,
        "service_level": service_level.after_status(thread, status, clock.to_text(now_ms), hours),
        **follow_up.after_status(thread, status, clock.to_text(now_ms)),
    }


def retention_days(thread: Thread) -> int:
    """Return the number of days for which a thread is kept after its last change."""
    return int((thread.data_retention_policy or f"{DEFAULT_DAYS}d").removesuffix("d"))


def name_of(participant: str | None, proof: Proof | None, mail: Mail) -> str | None:
    """
    Return the participant's name by a mail of theirs that counts; None if it has none.

    Once the address is proven, only verified mails name its owner: others may be forged.
    """
    is_own = mail.direction is Direction.INBOUND and mail.sender == participant
    is_trusted = proof is None or mail.trust is Trust.VERIFIED
    return mail.sender_name if is_own and is_trusted and mail.counts else None


def _proof_of(base: Thread, mail: Mail) -> Proof | None:
    """Return how a mail proves the participant's address: as its verified author; None if it does not."""
    is_received = mail.direction is Direction.INBOUND and mail.trust is Trust.VERIFIED
    is_own = mail.sender is not None and mail.sender == base.participant
    return Proof.PROVIDER if is_received and is_own else None


def _waiting(thread: Thread, mail: Mail) -> dict[str, Any]:
    """Return since when the customer waits; an answer ends that time and counts in the average."""
    since = thread.waiting_since
    if mail.direction is Direction.INBOUND:
        return {"waiting_since": since or mail.received_at}
    if since is None:
        return {}
    seconds = (clock.from_text(mail.received_at) - clock.from_text(since)) // clock.SECOND_MS
    total, samples = thread.response_total + max(0, seconds), thread.response_samples + 1
    return {
        "waiting_since": None,
        "response_total": total,
        "response_samples": samples,
        "response_time_avg": total // samples,
    }


def _level(
    thread: Thread, mail: Mail, status: Status, targets: Targets | None
) -> ServiceLevel | None:
    """Return the due times after a mail; one that asks the customer for something pauses the resolution."""
    level = service_level.after_mail(thread, mail, targets)
    if mail.direction is Direction.INBOUND:
        return level
    answered = thread.model_copy(update={"service_level": level})
    return service_level.after_status(answered, status, mail.received_at)


def _noted(thread: Thread, asked: Collection[str], n: int) -> dict[str, Any]:
    """Return the analysis with open questions that mail *n* asks."""
    analysis = thread.ai_analysis
    if analysis is None or not any(one.field in asked for one in analysis.pending_info):
        return {}
    now = {"asked_at": clock.to_text(clock.now_ms()), "asked_n": n}
    noted = [
        one.model_copy(update=now) if one.field in asked else one for one in analysis.pending_info
    ]
    return {
        "ai_analysis": analysis.model_copy(update={"pending_info": noted}),
        "analysis_seq": (thread.analysis_seq or 0) + 1,
    }


def search_text(subject: str, people: Iterable[str], text: str) -> str:
    """Return the text that a search of a mailbox compares: subject, addresses and the beginning of the newest mail."""
    joined = " ".join([subject, *sorted(people), text])
    return " ".join(joined.casefold().split())[:MOST_SEARCH_TEXT]
