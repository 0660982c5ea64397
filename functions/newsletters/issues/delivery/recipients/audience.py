"""The audience of an issue: the people of its lists and segments, and whether one of them may be written to now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from newsletters.issues import personal_fields
from newsletters.store.readers import choices
from shared.contacts import audience
from shared.contacts.lists import ListNotFound
from shared.contacts.person import Person
from shared.contacts.segments import SegmentNotFound
from shared.identity.contacts import resolution
from shared.identity.keyed_hashes import address_hashes
from shared.inbox.items import Channel
from shared.policy.consent.subscriptions import subscription
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.issues.personal_fields import Names
    from newsletters.store.items import Issue, Recipient
    from shared.contacts.audience import Audience

PAGE: Final = 40
FEWER: Final = {"weekly": 7, "monthly": 30}  # days between two issues of a reader who wants fewer
SLACK_MS: Final = (
    12 * clock.HOUR_MS
)  # an issue of the same weekday that is sent faster than the last one


@dataclass(frozen=True, slots=True)
class Member:
    """A person of the audience, by the id of the contact, the mail address and the time zone; None without one."""

    contact_id: str
    address: str | None
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Writable:
    """A recipient to whom the mail may go now, at this address and with these names."""

    address: str
    names: Names


@dataclass(frozen=True, slots=True)
class Absent:
    """A recipient whom the audience does not have any more."""

    reason: str


def page(
    resources: SendingResources, company: str, of: Audience, after: str | None
) -> tuple[list[Member], str | None]:
    """
    Return the next people of a list or a segment, each once, and the position of the next page.

    One that was removed meanwhile has no people any more.
    """
    try:
        found = audience.page(resources.people, company, of, Channel.EMAIL, limit=PAGE, after=after)
    except (ListNotFound, SegmentNotFound):
        return [], None
    reached = [Member(one.contact_id, one.address, one.zone) for one in found.recipients]
    return [*reached, *(Member(one.contact_id, None) for one in found.left_out)], found.after


def checked(resources: SendingResources, issue: Issue, recipient: Recipient) -> Writable | str:
    """
    Return where the mail of a planned recipient may go now, or the reason why it may not.

    Read right before the wire, strongly consistent: the person, the membership, the consent, and whether the address
    is reached.
    """
    company = issue.company_id
    to = _present(resources, company, recipient)
    if isinstance(to, Absent):
        return to.reason
    address = to.address
    table = resources.people.consents.table
    found = subscription(table, company, address, recipient.list_id)
    refusals = {
        "opted_out": found.is_opted_out,
        "unreachable": found.is_unreachable,
        "no_consent": issue.consent == "recorded" and not found.is_opted_in,
    }
    reason = next((name for name, stands in refusals.items() if stands), None)
    reason = reason or _not_chosen(resources, issue, recipient.list_id, address)
    return to if reason is None else reason


def _not_chosen(
    resources: SendingResources, issue: Issue, list_id: str | None, address: str
) -> str | None:
    """Return why the reader's own choices leave an issue out; None if they do not. One read."""
    hashes = address_hashes(address)
    made = choices.newest(resources.store.table, issue.company_id, hashes)
    if made is None:
        return None
    topics = made.topics.get(list_id or "", [])
    if issue.topics and topics and set(topics).isdisjoint(issue.topics):
        return "topic"
    days = FEWER.get(made.frequency)
    if days is None:
        return None
    now = clock.now_ms()
    last = clock.from_text(made.last_issue_at) if made.last_issue_at else None
    is_early = (
        last is not None and now - last < days * clock.DAY_SECONDS * clock.SECOND_MS - SLACK_MS
    )
    if is_early and made.last_issue_id != issue.issue_id:
        return "frequency"
    noted = choices.note_issue(resources.store.table, made, issue.issue_id, clock.to_text(now))
    return None if noted else "frequency"


def _present(resources: SendingResources, company: str, recipient: Recipient) -> Writable | Absent:
    """Return the person and the address of the snapshot if the person still has it, and is still in the list."""
    profile = resolution.current(resources.people.contacts, company, recipient.contact_id)
    if profile is None:
        return Absent("contact_gone")
    person = Person(resources.people, profile)
    if recipient.list_id is not None and not person.is_in(recipient.list_id):
        return Absent("left_list")
    found = person.address(Channel.EMAIL)
    if found is None or recipient.address_hash not in address_hashes(found.value):
        return Absent("address_changed")
    return Writable(found.value, personal_fields.names_of(person.details))
