"""
Changes to a ticket other than replies: tags, and assignee or state. Each may be repeated: the ticket looks the same
afterwards, however far an earlier run came.

The ticket itself is the evidence. A ledger row per action records that it was done, and for which message.
"""

from collections.abc import Callable
from contextlib import suppress

from richpanel.classification.taxonomy import ControlTag, Level
from richpanel.clients.helpdesk import HelpDesk, UnknownTag
from richpanel.clients.tickets import Ticket
from richpanel.configuration.resources import Resources
from richpanel.decisions.outcome import Decision
from richpanel.store.items import Action
from richpanel.worker.cases.case import Case
from richpanel.worker.sending.replies import FRESH_MS, body_hash
from shared.aws.sqs_fifo import digest
from shared.providers.action_ledger import OnDoubt, State
from shared.providers.outcomes import NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

CLOSED_BY_US = (ControlTag.AUTO_CLOSED, ControlTag.DEFLECTED)


def tag(resources: Resources, case: Case, decision: Decision, more: tuple[str, ...]) -> str | None:
    """
    Add the decision's tags and *more* where the ticket lacks them, and remove our other route tags.

    Returns None, or the missing tags. Raises Permanent and Transient.
    """
    if case.help_desk is None or case.ticket is None:
        return "no_ticket"
    present = case.help_desk.tag_names(case.ticket)
    required = tuple(dict.fromkeys((*decision.tags, *more)))
    lacking = tuple(name for name in required if name not in present)
    missing = _add(case.help_desk, case.conversation_id, lacking) if lacking else ()
    # After the help desk's answer and unconditional: the rows only repeat the ticket's tags.
    rows = [
        _row(case, decision, Action.TAG, name, State.CONFIRMED)
        for name in required
        if name not in missing
    ]
    resources.idempotency.put_many([row.stored() for row in rows])
    obsolete = decision.tags_to_remove(present)
    if obsolete:
        case.help_desk.remove_tags(case.conversation_id, obsolete)
    return f"missing {', '.join(missing)}" if missing else None


def _add(help_desk: HelpDesk, conversation_id: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Add tags to a ticket, creating missing ones in the account. Returns the names that could not be added."""
    try:
        help_desk.add_tags(conversation_id, names)
    except UnknownTag:
        # The operators configured the account's tags by id: operators must add a missing one.
        existing = frozenset(help_desk.tag_ids or ())
    except Permanent:
        existing = _create_missing(help_desk, names)
        if existing.issuperset(names):
            help_desk.add_tags(conversation_id, names)
            return ()
    else:
        return ()
    addable = tuple(name for name in names if name in existing)
    if addable:
        help_desk.add_tags(conversation_id, addable)
    return tuple(name for name in names if name not in existing)


def _create_missing(help_desk: HelpDesk, names: tuple[str, ...]) -> frozenset[str]:
    """Create the tags that the account lacks, and return the names of all its tags."""
    existing = {tag.name for tag in help_desk.tags()}
    created: set[str] = set()
    lacking = {name for name in names if name not in existing}
    for name in sorted(lacking):
        # Refused if another client has just created it, or if we lack the permission.
        with suppress(Permanent):
            help_desk.create_tag(name)
            created.add(name)
    if created != lacking:
        existing = {tag.name for tag in help_desk.tags()}
    return frozenset(existing | created)


def assign(resources: Resources, case: Case, decision: Decision) -> str | None:
    """
    Assign the ticket to its team's assignee. Returns None, or the reason why it was not assigned.

    Never replaces an assignee whom an agent chose, except at level P0, which only agents may handle.
    """
    assignee = resources.account.assignees.get(decision.team)
    if case.help_desk is None or case.ticket is None or assignee is None:
        return "no_assignee"
    if case.switches.safe_mode:
        return "safe_mode"
    help_desk, ticket = case.help_desk, case.ticket
    if clock.now_ms() - case.read_at > FRESH_MS:
        ticket = help_desk.ticket(case.conversation_id) or ticket
    current = ticket.assignee_id
    row = _row(case, decision, Action.ASSIGN, assignee)
    is_done = current == assignee
    if is_done and resources.ledger.action(row.action_id) is None:
        return None  # Assigned by another person or program.
    chosen = current and current not in resources.account.assignees.values()
    if chosen and decision.level is not Level.P0:
        return "assigned_by_a_person"
    return _once(
        resources,
        case,
        row,
        lambda: help_desk.assign(case.conversation_id, assignee),
        is_done=is_done,
    )


def close(resources: Resources, case: Case, decision: Decision, reply_hash: str) -> str | None:
    """Close the ticket if our reply is its newest comment. Returns None, or why it was not closed."""
    if case.help_desk is None:
        return "no_help_desk"
    help_desk = case.help_desk
    ticket = help_desk.ticket(case.conversation_id)
    if ticket is None or not _ends_with(ticket, reply_hash):
        return "reply_not_newest"
    row = _row(case, decision, Action.CLOSE)
    refused = _once(
        resources,
        case,
        row,
        lambda: help_desk.close(case.conversation_id),
        is_done=ticket.is_closed,
    )
    if refused:
        return refused
    # A comment may have arrived between the check and the close: then agents must see the ticket.
    if not _ends_with(help_desk.ticket(case.conversation_id), reply_hash):
        help_desk.reopen(case.conversation_id)
        _add(help_desk, case.conversation_id, (ControlTag.ESCALATED_HUMAN,))
        return "written_meanwhile"
    _add(help_desk, case.conversation_id, CLOSED_BY_US)
    return None


def _ends_with(ticket: Ticket | None, reply_hash: str) -> bool:
    comments = ticket.in_order if ticket else []
    return bool(
        comments and comments[-1].is_operator and body_hash(comments[-1].text) == reply_hash
    )


def _once(
    resources: Resources, case: Case, row: Action, change: Callable[[], None], *, is_done: bool
) -> str | None:
    """
    Make a repeatable change through the ledger. Returns None, or `refused`. Raises Transient.

    *is_done*: the ticket shows the change already, which settles the attempt of a run that died.
    """

    def attempt() -> str | None:
        try:
            change()
        except Permanent as refused:
            raise Refused(refused.reason) from None
        except Transient as failure:
            # The next delivery may retry at once: it does not matter whether this attempt arrived.
            raise NotSent(failure.reason) from None
        return None

    state = resources.ledger.perform(
        row,
        owner=case.owner,
        remaining_ms=case.remaining_ms(),
        send=attempt,
        evidence=lambda _: "the ticket" if is_done else None,
    )
    return "refused" if state is State.FAILED else None


def _row(
    case: Case, decision: Decision, pattern: str, part: str = "", state: State = State.RESERVED
) -> Action:
    parts = [part] if part else []
    key = Action.key(pattern, case.conversation_id, *parts, case.target.name)
    return Action.model_validate(
        Action.facts_of(case.event)
        | {
            "action_id": key,
            "channel": str(case.channel),
            "on_doubt": OnDoubt.RESEND,
            "state": state,
            "payload_sha256": digest(part),
            "payload_bytes": len(part.encode()),
            "intent": str(decision.intent),
        }
    )
