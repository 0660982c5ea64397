"""The items of the spending table: counts of a day by company and by sender, known persons, a company's settings."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Final

from pydantic import Field

from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes  # noqa: TC001 - pydantic reads annotations of methods, too
from shared.aws.tables.items import Item, filled

COUNTED_DAYS: Final = 40  # counts of a month can be read
SENDER_DAYS: Final = 2
KNOWN_DAYS: Final = 180
_UNITS, _MICROS = "units_", "micros_"
_OTHERS: Final = re.compile(rb"[^A-Za-z0-9]")
_ESCAPES: Final = re.compile(rb"_([0-9A-F]{2})")


class SpendingItem(Item):
    """An item with the keys `pk` and `sk`."""

    pk_pattern: ClassVar[str]
    sk_pattern: ClassVar[str]

    pk: str
    sk: str


class Day(SpendingItem):
    """
    The units of one kind that outsiders have caused on one day (UTC), for the company and for each of its addresses; of
    kind `models` the micro-dollars of all models in a day or a month, if the company has a ceiling.

    Counts of an address are attributes, `units_{address}` and `micros_{address}`, so that one write counts and checks
    both. The company registers its addresses, so they are few.
    """

    pk_pattern: ClassVar[str] = "DAY#{company}#{date}"
    sk_pattern: ClassVar[str] = "{kind}"

    units: int = 0
    micros: int = 0
    ttl: int

    @classmethod
    def key(cls, company: str, date: str, kind: str) -> Attributes:
        """Return the key of a company's day and kind."""
        return {"pk": cls.partition(company, date), "sk": filled(cls.sk_pattern, kind)}

    @classmethod
    def partition(cls, company: str, date: str) -> str:
        """Return the partition with all kinds of a company's day."""
        return filled(cls.pk_pattern, company, date)

    @staticmethod
    def units_of(address: str) -> str:
        """Return the attribute with the units of an address."""
        return _UNITS + _escaped(address)

    @staticmethod
    def micros_of(address: str) -> str:
        """Return the attribute with the micro-dollars of an address."""
        return _MICROS + _escaped(address)

    def addresses(self) -> dict[str, tuple[int, int]]:
        """Return units and micro-dollars by address."""
        counted = self.model_extra or {}
        names = [name.removeprefix(_UNITS) for name in counted if name.startswith(_UNITS)]
        return {
            _unescaped(name): (int(counted[_UNITS + name]), int(counted.get(_MICROS + name, 0)))
            for name in names
        }


class Sender(SpendingItem):
    """
    The units of one kind that one sender has caused on one day (UTC). *sender* is a keyed hash.

    `events` are short hashes of the events that were counted: a repeated one counts no more. Micro-dollars of a sender
    are estimates; only dollars of the company and the address are settled.
    """

    pk_pattern: ClassVar[str] = "SENDER#{company}#{date}#{sender}"
    sk_pattern: ClassVar[str] = "{kind}"

    units: int = 0
    micros: int = 0
    events: Annotated[set[str], Field(default_factory=set)]  # at most as many as units
    ttl: int

    @classmethod
    def key(cls, company: str, date: str, sender: str, kind: str) -> Attributes:
        """Return the key of a sender's day and kind."""
        return {
            "pk": filled(cls.pk_pattern, company, date, sender),
            "sk": filled(cls.sk_pattern, kind),
        }


class Known(SpendingItem):
    """A person to whom a person of the company has written. *sender* is a keyed hash."""

    pk_pattern: ClassVar[str] = "KNOWN#{company}#{sender}"
    sk_pattern: ClassVar[str] = "known"

    ttl: int

    @classmethod
    def key(cls, company: str, sender: str) -> Attributes:
        """Return the key of a person."""
        return {"pk": filled(cls.pk_pattern, company, sender), "sk": cls.sk_pattern}


@audited(maps=("percents",))
class CompanySettings(SpendingItem):
    """
    A company's bounds as percentages of the defaults, by kind; a kind without one has the deployment's. Its ceilings of
    a day and a month in micro-dollars are in `shared.ai.spending.ceilings`.
    """

    pk_pattern: ClassVar[str] = "SETTINGS#{company}"
    sk_pattern: ClassVar[str] = "settings"

    percents: dict[str, int] = Field(default_factory=dict)  # at most one for each kind
    day_micros: int | None = None
    month_micros: int | None = None
    warn_percent: int = 80
    version: int = 0  # the number of changes; 0 also of settings of earlier releases
    updated_at: str
    updated_by: str

    @classmethod
    def key(cls, company: str) -> Attributes:
        """Return the key of a company's settings."""
        return {"pk": filled(cls.pk_pattern, company), "sk": cls.sk_pattern}


def _escaped(address: str) -> str:
    """Return an address in letters, digits and underscores, as placeholders of expressions require: `a_40b_2Ec`."""
    return _OTHERS.sub(lambda match: b"_%02X" % match[0][0], address.encode()).decode()


def _unescaped(name: str) -> str:
    return _ESCAPES.sub(lambda match: bytes([int(match[1], 16)]), name.encode()).decode()
