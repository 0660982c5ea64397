"""Acts of readers: their consent by a signed link, and the evidence of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsletters.store import issues
from newsletters.store.items import ConsentEvidence
from newsletters.store.readers import recipients
from newsletters.store.readers.recipients import MailEvent
from shared.aws.sqs_fifo import digest
from shared.policy.consent.items import Source, State, Statement
from shared.policy.consent.subscriptions import EMAIL, NEWSLETTERS, list_scope
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.links import Link
    from newsletters.issues.readers.visits import Visit
    from newsletters.store.items import Signup
    from shared.policy.consent.records import Consents


def evidence_of(
    company_id: str,
    recipient: str,
    visit: Visit | None = None,
    *,
    keeps_ip: bool = False,
    **fields: Any,  # noqa: ANN401 - fields of the item
) -> ConsentEvidence:
    """Return the evidence of an act now; *visit* is the request, whose network address is kept if *keeps_ip*."""
    at = clock.to_text(clock.now_ms())
    name = digest(str(fields.get("action")), str(fields.get("list_id")))[:8]
    return ConsentEvidence(
        **ConsentEvidence.key(company_id, recipient, at, name),
        at=at,
        user_agent_hash=visit.user_agent_hash if visit else None,
        ip=visit.ip if visit and keeps_ip else None,
        **fields,
    )


def record(deps: IssueDependencies, link: Link, scope: str, state: State) -> None:
    """Record consent of the reader of a link. Idempotent: of repeated statements the newest counts."""
    statement = Statement(
        source=Source.LINK,
        at_ms=clock.now_ms(),
        evidence=link.issue_id or "preferences",
        channel=EMAIL,
    )
    deps.people.consents.record_of_hash(link.company_id, link.recipient, scope, state, statement)


def record_confirmed(consents: Consents, confirmed: Signup) -> None:
    """
    Record what a confirmed sign-up, or a confirmed erasure, says of newsletters, at the time of the confirmation.
    Idempotent: the request of the reader records it, and the worker, in case the request was cut off.
    """
    is_erasure = confirmed.asks == "erase"
    statement = Statement(
        source=Source.LINK,
        at_ms=clock.from_text(str(confirmed.confirmed_at)),
        evidence=f"{'erasure' if is_erasure else 'signup'}/{confirmed.confirmed_at}",
        channel=EMAIL,
    )
    scope = NEWSLETTERS if is_erasure else list_scope(confirmed.list_id)
    state = State.OPTED_OUT if is_erasure else State.OPTED_IN
    company, recipient = confirmed.company_id, confirmed.recipient
    consents.record_of_hash(company, recipient, scope, state, statement)


def count_left(deps: IssueDependencies, link: Link) -> None:
    """Count a reader who leaves by an issue, once. The opt-out is recorded, so a lost race changes a number only."""
    table = deps.store.table
    if not link.issue_id:
        return  # of a link that the reader asked for
    issue = issues.get(table, link.issue_id)
    recipient = recipients.get(table, link.issue_id, link.recipient) if issue else None
    if issue is None or recipient is None or recipient.unsubscribed_at is not None:
        return
    left = MailEvent(at=clock.to_text(clock.now_ms()), count="unsubscribed")
    recipients.note_event(table, issue.issue_id, recipient, left)
