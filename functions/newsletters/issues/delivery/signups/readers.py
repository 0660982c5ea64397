"""
The work that readers cause: the mail of a sign-up or of another request, and what a confirmation or a choice changes of
the contact. What the confirmation of an erasure starts is in `worker.reader_erasure`.

    requested --reserve--> sending --one wire attempt--> mailed | failed, or requested again
                                '-- the answer is lost: unknown
    confirmed --consent, contact, list--> joined, or welcoming --welcome mail--> joined

Each write is safe to repeat. A message that is lost is found by the schedule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.inbound.events import ReaderRequested, entry
from newsletters.issues.delivery import provider
from newsletters.issues.delivery.signups import people, signup_mail, welcome
from newsletters.issues.readers.reader_data import contact_of
from newsletters.store.items import Choices, Signup, SignupState
from newsletters.store.readers import choices, public_lists, signups
from shared.policy.consent.subscriptions import subscription
from shared.providers.outcomes import InDoubt, Misconfigured, NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources, Run, SendingResources
    from newsletters.store.items import PublicList

WIRE_MS: Final = 60 * clock.SECOND_MS  # after which an attempt without a result is in doubt
WAIT_MS: Final = 5 * 60 * clock.SECOND_MS  # after trouble of the provider, or while mail is off
CLOSED, NOT_OWNED, UNREACHABLE = "list_closed", "sender_not_owned", "unreachable"
UNKNOWN: Final = "unknown_address"


def work(resources: SendingResources, event: ReaderRequested, run: Run) -> bool:
    """Do what a sign-up or choices need now; False if they are at another turn. Raises Transient."""
    table = resources.store.table
    if event.list_id is None:
        made = choices.get(table, event.company_id, event.recipient)
        if made is None or made.turn != event.turn:
            return False
        _apply(resources, made)
        return True
    signup = signups.get(table, event.company_id, event.recipient, event.list_id)
    if signup is None or signup.turn != event.turn:
        return False
    if signup.state is SignupState.CONFIRMED:
        _join(resources, signup, run)
        return True
    if signup.state is SignupState.WELCOMING:
        _welcome(resources, signup, run)
        return True
    return _mail(resources, signup, run)


def look_after(resources: Resources, work: Signup | Choices) -> None:
    """Queue the next turn of work that is still due. Safe to repeat."""
    due_ms = clock.now_ms() + signups.LOOK_AFTER_MS
    table = resources.store.table
    moved: Signup | Choices | None
    if isinstance(work, Signup):
        moved = signups.next_turn(table, work, due_ms)
    else:
        moved = choices.next_turn(table, work, due_ms)
    if moved is not None:
        resources.steps.send([entry(ReaderRequested.of(moved))])


def _mail(resources: SendingResources, signup: Signup, run: Run) -> bool:
    """Send the mail of a sign-up, at most once; False if there is nothing to do."""
    table = resources.store.table
    if signup.state is SignupState.SENDING:
        if (signup.deadline_ms or 0) > clock.now_ms():
            raise Transient("signup_is_sent", WIRE_MS)
        signups.settle(table, signup, SignupState.UNKNOWN)
        return True
    if signup.state is not SignupState.REQUESTED:
        return False
    if resources.switches.in_force().safe_mode:
        signups.next_turn(table, signup, clock.now_ms() + WAIT_MS)
        return True
    if signup.asks != "join":
        _join_confirmed(resources, signup, run)
    of = public_lists.get(table, signup.company_id, signup.list_id)
    reason = _objection(resources, of, signup)
    if of is None or reason is not None:
        signups.settle(table, signup, SignupState.REFUSED, reason=reason)
        return True
    reserved = signups.reserve(table, signup, run.owner, clock.now_ms() + WIRE_MS)
    if reserved is not None:
        _attempt(resources, of, reserved)
    return True


def _join_confirmed(resources: SendingResources, asked: Signup, run: Run) -> None:
    """Carry out what the reader has confirmed before the request: the queue may bring it later."""
    found = signups.of_reader(resources.store.table, asked.company_id, asked.recipient)
    for one in found.values():
        if one.asks == "join" and one.state is SignupState.CONFIRMED:
            _join(resources, one, run)


def _objection(resources: SendingResources, of: PublicList | None, signup: Signup) -> str | None:
    """Return why a sign-up gets no mail, None if it gets one."""
    company = signup.company_id
    is_signup = signup.asks == "join"
    if of is None or (is_signup and not of.is_open):
        return CLOSED
    if resources.owners.owner_of_email(of.sender) != company:
        return NOT_OWNED
    known = subscription(resources.people.consents.table, company, signup.email, signup.list_id)
    if known.is_unreachable:
        return UNREACHABLE
    is_known = is_signup or contact_of(resources.people.contacts, company, signup.email) is not None
    return None if is_known else UNKNOWN


def _attempt(resources: SendingResources, of: PublicList, reserved: Signup) -> None:
    """Make the wire attempt of a reserved sign-up."""
    table = resources.store.table
    try:
        tenant = provider.tenant_for(resources, reserved.company_id)
        sent = provider.send(resources, signup_mail.mail_of(resources, of, reserved), tenant)
    except (Misconfigured, NotSent):
        signups.give_back(table, reserved)
        signups.next_turn(table, reserved, clock.now_ms() + WAIT_MS)
    except InDoubt:
        signups.settle(table, reserved, SignupState.UNKNOWN)
    except Refused as refusal:
        signups.settle(table, reserved, SignupState.FAILED, reason=refusal.code)
    else:
        signups.settle(table, reserved, SignupState.MAILED, ses_id=sent.provider_id)


def _join(resources: SendingResources, signup: Signup, run: Run) -> None:
    """Record the consent of a confirmed sign-up, make its contact a member of the list, and welcome the reader."""
    table = resources.store.table
    if not people.join(resources, signup):
        signups.finish(table, signup, SignupState.REFUSED)
        return
    of = public_lists.get(table, signup.company_id, signup.list_id)
    if of is None or of.welcome is None:
        signups.finish(table, signup, SignupState.JOINED)
        return
    signups.begin_welcome(table, signup)
    _welcome(resources, signup, run)


def _welcome(resources: SendingResources, signup: Signup, run: Run) -> None:
    """Send the welcome mail of a list, at most once; it waits while mail is off or the provider in trouble."""
    table = resources.store.table
    of = public_lists.get(table, signup.company_id, signup.list_id)
    if of is not None and of.welcome is not None and welcome.is_wanted(resources, of, signup):
        try:
            welcome.send(resources, of, signup, run)
        except Transient:
            signups.next_turn(table, signup, clock.now_ms() + WAIT_MS)
            return
    signups.finish(table, signup, SignupState.JOINED)


def _apply(resources: SendingResources, made: Choices) -> None:
    """Bring the contact of a reader into the chosen lists, and store the chosen language and name."""
    people.choose(resources, made)
    choices.finish(resources.store.table, made)
