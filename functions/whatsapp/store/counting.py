"""
What counts are made of: index entries, one for each message, grouped by whose they are. Pure: no table, no clock.

A message that was sent is counted once, at its furthest status; its time never changes, so the hour it counts in never
does either. A status counts all before it: read is delivered too. All of them are `sent`, failed ones as well.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

MOST_NAMES = 100
OTHER = "__other"  # all names beyond that together
LONGEST_NAME = (
    128  # An item holds six maps of 101 names each, and an ad's id is whatever its sender says.
)
# In the order in which a message goes through them: the further wins.
STATUSES = ("sent", "delivered", "read", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One message as an index shows it. *status* is None for a received one; *at* is the text it is sorted by."""

    pk: str
    at: str
    company: str | None
    phone: str | None
    status: str | None = None
    template: str | None = None
    campaign: str | None = None
    category: str | None = None
    ad_source: str | None = None
    reply_of: str | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """What is counted: an account (its id is Meta's) or a campaign of a company."""

    company: str
    id: str
    is_account: bool


@dataclass(slots=True)
class Tally:
    """Totals and names of one subject. The fields are those of the HOUR item."""

    counts: Counter[str] = field(default_factory=Counter)
    templates: Counter[str] = field(default_factory=Counter)
    billable: Counter[str] = field(default_factory=Counter)
    ad_sources: Counter[str] = field(default_factory=Counter)
    replies: Counter[str] = field(default_factory=Counter)
    phones: Counter[str] = field(default_factory=Counter)

    def add(self, entry: Entry) -> None:
        """Count one message."""
        if entry.status is None:
            self.counts["received"] += 1
            _name(self.ad_sources, entry.ad_source)
            if entry.reply_of:
                self.counts["replied"] += 1
                _name(self.replies, entry.reply_of)
            return
        self.counts["sent"] += 1
        if entry.status in {"delivered", "read"}:
            self.counts["delivered"] += 1
        if entry.status in {"read", "failed"}:
            self.counts[entry.status] += 1
        _name(self.templates, entry.template)
        _name(self.billable, entry.category)
        _name(self.phones, entry.phone)

    def plus(self, maps: Mapping[str, Mapping[str, int]]) -> None:
        """Add what `maps` gave before."""
        for name, counted in maps.items():
            getattr(self, name).update(counted)

    def maps(self, *, most_names: int | None = None) -> dict[str, dict[str, int]]:
        """All counts as plain maps; with *most_names* the most frequent ones by name, the rest under `__other`."""
        return {part.name: _bounded(getattr(self, part.name), most_names) for part in fields(self)}


type Tallies = dict[Subject, Tally]


def count(tallies: Tallies, moment: Iterable[Entry], accounts: Mapping[str, Subject]) -> None:
    """
    Add all entries of one moment to *tallies*. *accounts*: the account of each number.

    A message whose status moved while the statuses were read is among them twice: the further one counts. What is of no
    known number, or says another company than its number's, counts nowhere.
    """
    furthest: dict[str, Entry] = {}
    for entry in moment:
        known = furthest.get(entry.pk)
        if known is None or _rank(known) < _rank(entry):
            furthest[entry.pk] = entry
    for entry in furthest.values():
        account = accounts.get(entry.phone or "")
        if account is None or account.company != entry.company:
            continue
        tallies.setdefault(account, Tally()).add(entry)
        if entry.campaign:
            campaign = Subject(account.company, entry.campaign, is_account=False)
            tallies.setdefault(campaign, Tally()).add(entry)


def to_lines(tallies: Tallies) -> list[dict[str, Any]]:
    """All tallies as JSON has them, for a count that goes on in another run."""
    return [
        {"company": of.company, "id": of.id, "is_account": of.is_account, "maps": tally.maps()}
        for of, tally in tallies.items()
    ]


def from_lines(text: str) -> Tallies:
    """The tallies that a JSON text of `to_lines` holds."""
    tallies: Tallies = {}
    for line in json.loads(text):
        tally = tallies[Subject(line["company"], line["id"], line["is_account"])] = Tally()
        tally.plus(line["maps"])
    return tallies


def total(hours: Iterable[Mapping[str, Mapping[str, int]]]) -> Tally:
    """The sum of several hours, each as its maps."""
    tally = Tally()
    for maps in hours:
        tally.plus(maps)
    return tally


def _rank(entry: Entry) -> int:
    return STATUSES.index(entry.status) if entry.status else 0


def _name(counter: Counter[str], name: str | None) -> None:
    if name:
        counter[name[:LONGEST_NAME]] += 1


def _bounded(counter: Counter[str], most_names: int | None) -> dict[str, int]:
    if most_names is None or len(counter.keys() - {OTHER}) <= most_names:
        return dict(counter)
    # By name where equally frequent, so that two passes over the same messages keep the same names.
    ordered = sorted((-n, name) for name, n in counter.items() if name != OTHER)
    kept = {name: -n for n, name in ordered[:most_names]}
    return {**kept, OTHER: counter.total() - sum(kept.values())}
