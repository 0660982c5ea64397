"""
Reads whom a list or a segment reaches on one channel, page by page: campaigns and newsletters read their audience here.

    contacts of the list or segment    ->  each person once, in a stable order
    the address on the channel         ->  a recipient, or left out: `no_address`, `address_withdrawn`

A recipient has the consent in force; the caller decides what it needs, and checks it again before it sends. A reading
may stop after any page and go on later, in any process, from the position with which the page ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from shared.contacts import lists, members, segments
from shared.contacts.person import Person
from shared.identity.contacts import attributes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shared.contacts.person import NoAddress, Sources
    from shared.identity.contacts.attributes import Definitions
    from shared.identity.contacts.items import AttributeValue
    from shared.inbox.items import Channel
    from shared.policy.consent.items import Standing

MOST_CONTACTS: Final = 100  # read in one page


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """A list or a segment of a company, by its id."""

    kind: Literal["list", "segment"]
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """
    A person whom the channel reaches.

    *address*: a phone number (E.164), `bsuid:` and a WhatsApp user id, or a mail address, which the person has proven,
    or people have named, at *proven_at*. *values*: `name`,
    `given_names`, `organisation`, `language`, `zone` and `attributes.{name}`, as far as they are known.
    """

    contact_id: str
    address: str = field(repr=False)
    proven_at: str
    consent: Standing
    language: str | None
    zone: str | None
    values: Mapping[str, AttributeValue] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A person whom the channel does not reach, and why."""

    contact_id: str
    reason: NoAddress


@dataclass(frozen=True, slots=True, kw_only=True)
class AudiencePage:
    """People in their order; *after* is the position of the next page, None on the last one."""

    recipients: Sequence[Recipient]
    left_out: Sequence[LeftOut]
    after: str | None


def page(
    sources: Sources,
    company: str,
    audience: Audience,
    channel: Channel,
    *,
    limit: int = MOST_CONTACTS,
    after: str | None = None,
) -> AudiencePage:
    """
    Return whom a channel reaches among the next *limit* contacts of an audience.

    A page may have fewer people than *limit*, or none, before the last one. A person of a list costs 5.5 read units.
    A segment costs what its conditions compare, for each contact of the company. Raises ListNotFound and
    SegmentNotFound.
    """
    people, following = _people(sources, company, audience, limit, after)
    definitions = attributes.of_company(sources.contacts, company)
    recipients: list[Recipient] = []
    left_out: list[LeftOut] = []
    for person in people:
        recipient = _recipient(person, channel, definitions)
        if recipient is not None:
            recipients.append(recipient)
        else:
            reason = person.why_unreached(channel)
            left_out.append(LeftOut(contact_id=person.profile.contact_id, reason=reason))
    return AudiencePage(recipients=recipients, left_out=left_out, after=following)


def check(sources: Sources, company: str, audience: Audience) -> None:
    """Raise ListNotFound or SegmentNotFound unless the company has the audience."""
    if audience.kind == "list":
        lists.get(sources.contacts, company, audience.id)
    else:
        segments.get(sources.contacts, company, audience.id)


def _people(
    sources: Sources, company: str, audience: Audience, limit: int, after: str | None
) -> tuple[Sequence[Person], str | None]:
    """Return the people among the next contacts of an audience, and the position of the next page."""
    if audience.kind == "list":
        found = members.page(sources.contacts, company, audience.id, limit=limit, after=after)
        return [Person(sources, profile) for profile in found.people], found.after
    condition = segments.condition_of(segments.get(sources.contacts, company, audience.id))
    page = segments.page(sources, company, condition, limit=limit, after=after)
    return page.people, page.after


def _recipient(person: Person, channel: Channel, definitions: Definitions) -> Recipient | None:
    address, consent = person.address(channel), person.consent(channel)
    if address is None or consent is None:
        return None
    stored = person.details
    return Recipient(
        contact_id=person.profile.contact_id,
        address=address.value,
        proven_at=address.proven_at,
        consent=consent,
        language=stored.language if stored else None,
        zone=stored.zone if stored else None,
        values=person.values(definitions),
    )
