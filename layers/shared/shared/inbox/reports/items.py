"""
The items of reports, in the table of the inbox: counts of a day, counts of a person's month, and the company's hours.

The counts are attributes that feeds add to. A day has few of the possible ones, and each is two or three characters
long: a day stays below 1 KB.
"""

from collections import Counter
from typing import Any, ClassVar, Final

from pydantic import Field

from shared.aws.audited import audited
from shared.aws.tables.items import Item, filled
from shared.inbox.rounds import Fact
from shared.policy.business_hours import BusinessHours

KEPT_DAYS: Final = 400
HOURS: Final = 24
SHARDS: Final = 8  # of a day with many changes at the same time
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
# Upper bounds of the classes of durations, in seconds; the last class has none.
BOUNDS: Final = (5 * _MINUTE, 15 * _MINUTE, _HOUR, 4 * _HOUR, 8 * _HOUR, 24 * _HOUR, 72 * _HOUR)
CLASSES: Final = len(BOUNDS) + 1
# First letters of the counts of durations: `as` is their sum in seconds, `a0` their number in the first class.
ANSWER, ANSWER_IN_HOURS, RESOLUTION, RESOLUTION_IN_HOURS = "a", "b", "r", "s"
_SUM: Final = "s"


class Counted(Item):
    """Base class of items with counts."""

    ttl: int | None = None

    @property
    def counts(self) -> Counter[str]:
        """The counts by their stored names."""
        return Counter({name: int(n) for name, n in (self.model_extra or {}).items()})


class DayCounts(Counted):
    """
    What happened on a day (in the company's zone) in the conversations of a context and channel.

    Attributes: counts of `Fact` by its names; `h00` to `h23`, the openings of each hour; and of the durations until
    the first answer (`a`, in business hours `b`) and until the end (`r`, `s`) the sum in seconds, `as`, and the number
    of each class, `a0` to `a7` (`BOUNDS`). Of a busy day a part is in further items with a number after the key.
    """

    pk_pattern: ClassVar[str] = "REPORT#{context}#{company}#{channel}#{date}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    pk: str
    ttl: int | None = None

    @classmethod
    def key(cls, context: str, company: str, channel: str, date: str, shard: int = 0) -> str:
        """Return the key of a day, `YYYY-MM-DD`, or of one of its further shards."""
        first = filled(cls.pk_pattern, context, company, channel, date)
        return f"{first}#{shard}" if shard else first

    @staticmethod
    def hour(hour: int) -> str:
        """Return the name of the count of an hour."""
        return f"h{hour:02}"

    @staticmethod
    def total(of: str) -> str:
        """Return the name of the sum of durations."""
        return of + _SUM

    @staticmethod
    def durations(of: str) -> list[str]:
        """Return the names of the counts of each class of durations."""
        return [f"{of}{number}" for number in range(CLASSES)]


class OutcomeDay(Counted):
    """
    What came of an assistant's answers on a day (in the company's zone), of a project and channel.

    Attributes: counts by version of the settings (0: unknown), language (`und`: unknown) and outcome, such as
    `v7_de_ended_alone`; a hand-off has its cause, a rating its reason: `v7_de_handed_off_ai_refused`. Of a busy day a
    part is in further items, as of DayCounts.
    """

    pk_pattern: ClassVar[str] = "OUTCOME#{context}#{company}#{project}#{channel}#{date}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    pk: str
    ttl: int | None = None

    @classmethod
    def key(  # noqa: PLR0917 - the parts of a key
        cls, context: str, company: str, project: str, channel: str, date: str, shard: int = 0
    ) -> str:
        """Return the key of a day, `YYYY-MM-DD`, or of one of its further shards."""
        first = filled(cls.pk_pattern, context, company, project, channel, date)
        return f"{first}#{shard}" if shard else first


class BusyDays(Item):
    """The days of a month with further items of counts: transactions on one item at the same time conflict."""

    pk_pattern: ClassVar[str] = "REPORT#{context}#{company}#{channel}#{month}#busy"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = KEPT_DAYS + 31

    pk: str
    dates: set[str] = Field(default_factory=set)
    ttl: int | None = None

    @classmethod
    def key(cls, context: str, company: str, channel: str, date: str) -> str:
        """Return the key of the month of a day, `YYYY-MM-DD`."""
        return filled(cls.pk_pattern, context, company, channel, date[: len("2026-01")])


class PersonMonth(Counted):
    """
    What happened in a month in the conversations of a context that were assigned to a person or team.

    Attributes by the day of the month: answers (`a01`), the seconds until them (`s01`), in business hours
    (`b01`), resolved conversations (`r01`).
    """

    pk_pattern: ClassVar[str] = "REPORT_PERSON#{context}#{company}#{assignee}#{month}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = KEPT_DAYS + 31

    ANSWERED: ClassVar[str] = "a"
    SECONDS: ClassVar[str] = "s"
    BUSINESS_SECONDS: ClassVar[str] = "b"
    RESOLVED: ClassVar[str] = "r"
    COUNTS: ClassVar[tuple[str, ...]] = (ANSWERED, SECONDS, BUSINESS_SECONDS, RESOLVED)

    pk: str
    ttl: int | None = None

    @classmethod
    def key(cls, context: str, company: str, assignee: str, month: str) -> str:
        """Return the key of a month, `YYYY-MM`."""
        return filled(cls.pk_pattern, context, company, assignee, month)

    @staticmethod
    def name(of: str, date: str) -> str:
        """Return the name of a count of a day, `YYYY-MM-DD`."""
        return of + date[-2:]


@audited(maps=("business_hours",))
class ReportSettings(Item):
    """
    The business hours of a company and their zone, in which its days are counted; UTC and all hours without this item.

    `business_hours` is a `shared.policy.business_hours.BusinessHours`.
    """

    pk_pattern: ClassVar[str] = "REPORT_SETTINGS#{company}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    business_hours: dict[str, Any] | None = None
    version: int = 0

    @classmethod
    def key(cls, company: str) -> str:
        """Return the key of a company's settings."""
        return filled(cls.pk_pattern, company)

    @property
    def hours(self) -> BusinessHours | None:
        """The business hours; None if the company has named none."""
        stored = self.business_hours
        return BusinessHours.model_validate(stored) if stored is not None else None


DURATIONS: Final = {
    Fact.ANSWERED: (ANSWER, ANSWER_IN_HOURS),
    Fact.RESOLVED: (RESOLUTION, RESOLUTION_IN_HOURS),
}
