"""
Segments: conditions that a company has stored under a name, and the people who fit them now.

The contacts of a company are read by the week of their first event, the newest first, so that reading all of them takes
no scan and may stop and go on anywhere:

    position    2026-03-02                             the beginning of this week, then the weeks before it
                2026-03-02#{last_activity_at}#{id}     after this contact of the week

Of contacts that people have merged the one that comes first stands for the person. A contact that is new during a
reading is not in it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import ConditionFailed
from shared.aws.sqs_fifo import digest, to_json
from shared.contacts import conditions, lists, membership
from shared.contacts.items import Segment
from shared.contacts.membership import Present
from shared.contacts.person import Person
from shared.identity.contacts import attributes, resolution
from shared.identity.contacts.items import ACTIVITY_INDEX, WEEK_MS, Profile
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.contacts.conditions import Condition
    from shared.contacts.person import Sources

MOST_SEGMENTS: Final = 100  # of a company
MOST_WEEKS: Final = 60  # that one page looks into
FIRST_WEEK: Final = "2019-12-26"  # No event of a customer is older than the weeks from here on.
ID_CHARACTERS: Final = 16


class SegmentNotFound(Exception):
    """The company has no such segment."""


class SegmentRefused(Exception):
    """The segment cannot be stored: it stays as it is."""


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """People who fit, of *read* contacts; *after* is the position of the next page, None on the last one."""

    people: Sequence[Person]
    read: int
    after: str | None


def of_company(table: Table, company: str) -> list[Segment]:
    """Return the segments of a company, oldest first."""
    items, _ = table.query(None, Key("pk").eq(Segment.of_company(company)), limit=MOST_SEGMENTS)
    return sorted(map(Segment.read, items), key=lambda one: (one.created_at, one.sk))


def get(table: Table, company: str, segment_id: str) -> Segment:
    """Return a segment. Raises SegmentNotFound."""
    item = table.get(Segment.key(company, segment_id))
    if item is None:
        raise SegmentNotFound("no such segment")
    return Segment.read(item)


def condition_of(segment: Segment) -> Condition:
    """Return the conditions of a segment."""
    return conditions.read(json.loads(segment.conditions))


def create(
    table: Table, company: str, name: str, condition: Condition, *, by: str, cause: str
) -> Segment:
    """Store a new segment. Safe to repeat with the same *cause*. Raises SegmentRefused."""
    segment_id = digest("segment", company, cause)[:ID_CHARACTERS]
    stored = of_company(table, company)
    if (own := next((one for one in stored if one.sk == segment_id), None)) is not None:
        return own
    if len(stored) >= MOST_SEGMENTS:
        raise SegmentRefused(f"a company has at most {MOST_SEGMENTS} segments")
    _check_name(stored, name)
    made = Segment(
        **Segment.key(company, segment_id),
        company_id=company,
        name=name,
        conditions=to_json(conditions.written(condition)),
        created_at=clock.to_text(clock.now_ms()),
        created_by=by,
    )
    table.put(made.attributes())
    return made


def change(
    table: Table, company: str, segment_id: str, *, name: str | None, condition: Condition | None
) -> Segment:
    """Give a segment another name or other conditions. Safe to repeat. Raises SegmentNotFound and SegmentRefused."""
    if name is not None:
        _check_name((one for one in of_company(table, company) if one.sk != segment_id), name)
    text = to_json(conditions.written(condition)) if condition is not None else None
    given = {"name": name, "conditions": text}
    fields = {key: value for key, value in given.items() if value is not None}
    if not fields:
        return get(table, company, segment_id)
    try:
        changed = table.update(
            Segment.key(company, segment_id),
            put=Segment.named(**fields),
            when=Segment.attr("name").exists(),
        )
    except ConditionFailed:
        raise SegmentNotFound("no such segment") from None
    return Segment.read(changed)


def remove(table: Table, company: str, segment_id: str) -> None:
    """Remove a segment; the people stay. Safe to repeat."""
    table.delete(Segment.key(company, segment_id))


def page(
    sources: Sources, company: str, condition: Condition, *, limit: int, after: str | None = None
) -> PeoplePage:
    """
    Return the people who fit conditions among the next *limit* contacts of a company.

    Costs one read unit per contact, and what the conditions compare: about one for a list, three for conversations, six
    for consent. Looks into MOST_WEEKS weeks at most, so a page may have read no contact before the last one.
    """
    table = sources.contacts
    ids, following = _contacts(table, company, limit, after)
    stored = table.get_many([Profile.key(company, one) for one in ids]) if ids else []
    profiles = {one.contact_id: one for one in map(Profile.read, stored)}
    present = _present(table, company, condition)
    found: list[Person] = []
    for one in ids:
        person = _person(sources, profiles[one]) if one in profiles else None
        if person and membership.fits(condition, person, present) and person.exists:
            found.append(person)
    return PeoplePage(found, len(ids), following)


def _present(table: Table, company: str, condition: Condition) -> Present:
    names_list = any(one.field == "list" for one in conditions.comparisons(condition))
    own = [one.sk for one in lists.of_company(table, company)] if names_list else []
    return Present(attributes.of_company(table, company), own, clock.now_ms())


def _person(sources: Sources, profile: Profile) -> Person | None:
    """Return the person of a contact; None if an event or people have merged it, and another contact comes first."""
    if profile.merged_into is not None:
        return None
    if not profile.merges:
        return Person(sources, profile)
    whole = resolution.current(sources.contacts, profile.company_id, profile.contact_id)
    if whole is None:
        return None
    person = Person(sources, whole)
    listed = [one for one in person.described.profiles if one.activity_pk is not None]
    first = max(listed, key=lambda one: (one.last_activity_at or "", one.contact_id), default=whole)
    return person if first.contact_id == profile.contact_id else None


def _contacts(
    table: Table, company: str, limit: int, after: str | None
) -> tuple[list[str], str | None]:
    """Return the ids of the next contacts of a company, and the position after them."""
    week, last = _position(after)
    ids: list[str] = []
    for _ in range(MOST_WEEKS):
        partition = Profile.activity_list(company, week)
        start: Attributes | None = None
        if last is not None:
            at, _, contact_id = last.partition("#")
            start = {
                **Profile.key(company, contact_id),
                **Profile.named(activity_pk=partition, last_activity_at=at),
            }
        listed = Key(Profile.name_of("activity_pk")).eq(partition)
        items, end = table.query(
            ACTIVITY_INDEX, listed, limit=limit - len(ids), start=start, newest_first=True
        )
        ids += [str(item["pk"]).rpartition("#")[2] for item in items]
        if end is not None:
            last = f"{end[Profile.name_of('last_activity_at')]}#{ids[-1]}"
        else:
            week, last = week - WEEK_MS, None
        if week < _at(FIRST_WEEK):
            return ids, None
        if len(ids) >= limit:
            break
    return ids, f"{_date(week)}#{last}" if last is not None else _date(week)


def _position(after: str | None) -> tuple[int, str | None]:
    """Return the week of a position, in milliseconds, and the time and id of the contact before it."""
    if after is None:
        now = clock.now_ms()
        return now - now % WEEK_MS + WEEK_MS, None  # Clocks of providers may be ahead.
    date, _, last = after.partition("#")
    return _at(date), last or None


def _at(date: str) -> int:
    return clock.from_text(f"{date}T00:00:00.000Z")


def _date(week: int) -> str:
    return clock.to_text(week)[: len(FIRST_WEEK)]


def _check_name(others: Iterable[Segment], name: str) -> None:
    if name.casefold() in {one.name.casefold() for one in others}:
        raise SegmentRefused("another segment has this name")
