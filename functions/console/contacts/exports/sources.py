"""The contacts of an export, page by page: each person once, from any position on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Key

from console.search.contacts import partitions_of
from shared.contacts import lists, members
from shared.identity.contacts import resolution, tokens
from shared.identity.contacts.items import ACTIVITY_INDEX, WEEK_MS, Found, Profile
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from console.search.filters import Filters
    from shared.aws.dynamodb import Table

type Position = Mapping[str, Any]

FIRST_MS: Final = clock.from_text("2005-01-01T00:00:00.000Z")  # no contact is from before
WEEKS_A_PAGE: Final = 52  # empty ones, each a read


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """People, as `resolution.current` returns them, and where the next page begins; None at the end."""

    people: Sequence[Profile]
    after: Position | None


@dataclass(frozen=True, slots=True)
class People:
    """The contacts of a company: all, the members of a list, or the ones that one of the filters names."""

    table: Table
    company: str
    list_id: str | None
    filters: Filters

    def page(self, after: Position | None, limit: int) -> PeoplePage:
        """Return the next page. Raises ListNotFound."""
        at = after or {}
        if self.list_id is not None:
            found = members.page(
                self.table, self.company, self.list_id, limit=limit, after=at.get("contact")
            )
            return PeoplePage(found.people, {"contact": found.after} if found.after else None)
        if self.filters.token is not None:
            return self._of_filters(at, limit)
        return self._of_weeks(at, limit)

    def _of_weeks(self, at: Position, limit: int) -> PeoplePage:
        """
        Return the next contacts by the week in which they were made, the newest weeks first.

        A contact that was merged since is left out: the one that it leads to has a place of its own.
        """
        week_ms = int(at.get("week", clock.now_ms() + WEEK_MS))
        start = at.get("start")
        for _ in range(WEEKS_A_PAGE):
            if week_ms < FIRST_MS:
                return PeoplePage([], None)
            partition = Profile.activity_list(self.company, week_ms)
            condition = Key(Profile.name_of("activity_pk")).eq(partition)
            keys, last = self.table.query(ACTIVITY_INDEX, condition, limit=limit, start=start)
            if last is not None:
                return PeoplePage(self._roots(keys), {"week": week_ms, "start": last})
            week_ms, start = week_ms - WEEK_MS, None
            if keys:
                return PeoplePage(self._roots(keys), {"week": week_ms})
        return PeoplePage([], {"week": week_ms})

    def _roots(self, keys: Sequence[Mapping[str, Any]]) -> list[Profile]:
        wanted = [{"pk": one["pk"], "sk": one["sk"]} for one in keys]
        stored = map(Profile.read, self.table.get_many(wanted)) if wanted else []
        pairs = [
            (one, resolution.whole(self.table, one)) for one in stored if one.merged_into is None
        ]
        return [person for one, person in pairs if person.contact_id == one.contact_id]

    def _of_filters(self, at: Position, limit: int) -> PeoplePage:
        """Return the next contacts that have a token, each person by the first of its profiles that has it."""
        partitions = partitions_of(self.company, (), self.filters)
        number = int(at.get("partition", 0))
        if number >= len(partitions):
            return PeoplePage([], None)
        ids, has_more = tokens.found(
            self.table, partitions[number], limit=limit, after=at.get("contact")
        )
        people = []
        for one in ids:
            person = resolution.current(self.table, self.company, one)
            if person is not None and not self._has_earlier(partitions, number, one, person):
                people.append(person)
        after = {"partition": number, "contact": ids[-1]} if has_more else {"partition": number + 1}
        return PeoplePage(people, after)

    def _has_earlier(
        self, partitions: Sequence[str], number: int, own: str, person: Profile
    ) -> bool:
        """Whether another profile of a person has the token, or this one an older key, at an earlier place."""
        ids = lists.ids_of(person)
        keys = [
            {"pk": partition, "sk": one}
            for place, partition in enumerate(partitions[: number + 1])
            for one in sorted(ids)
            if place < number or one < own
        ]
        return bool(keys) and any(map(Found.read, self.table.get_many(keys)))
