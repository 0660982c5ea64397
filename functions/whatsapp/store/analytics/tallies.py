"""
Aggregates messages by account and campaign. Pure: no table, no clock.

A sent message is counted once, at its status; its time never changes, so neither does its hour. A status includes the
earlier ones: read counts as delivered too. Every outbound message with a status counts as `sent`, failed ones as well.
A reply counts for its account and for the campaign that it answers, in the hour in which it was received.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

MOST_NAMES = 100
OTHER = "__other"  # all names beyond the limit, combined
LONGEST_NAME = 128  # An item holds six maps of 101 names each, and the sender chooses an ad's id.
# Names of templates have lower-case letters.
_CAMPAIGN_ID = re.compile(r"[0-9A-Z]{26}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The counts of one message. *status* is None for inbound, and before the provider has accepted a message."""

    is_inbound: bool
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
    """The subject of a count: an account (Meta's id) or a company's campaign."""

    company: str
    id: str
    is_account: bool


@dataclass(slots=True)
class Tally:
    """Totals and counts by name for one subject. The fields are the same as in the HOUR item."""

    counts: Counter[str] = field(default_factory=Counter)
    templates: Counter[str] = field(default_factory=Counter)
    billable: Counter[str] = field(default_factory=Counter)
    ad_sources: Counter[str] = field(default_factory=Counter)
    replies: Counter[str] = field(default_factory=Counter)
    phones: Counter[str] = field(default_factory=Counter)

    def add(self, entry: Entry) -> None:
        """Count one message."""
        if entry.is_inbound:
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
        """Add counts returned by `maps`."""
        for name, counted in maps.items():
            getattr(self, name).update(counted)

    def maps(self, *, most_names: int | None = None) -> dict[str, dict[str, int]]:
        """Return all counts as plain maps; with *most_names*, the most frequent names, the rest under `__other`."""
        return {part.name: _bounded(getattr(self, part.name), most_names) for part in fields(self)}


type Tallies = dict[Subject, Tally]


def count(tallies: Tallies, entries: Iterable[Entry], accounts: Mapping[str, Subject]) -> None:
    """
    Add *entries* to *tallies*. *accounts*: the account of each number.

    Entries of an unknown number, or whose company differs from the number's company, are not counted; nor is what was
    sent and has no status.
    """
    for entry in entries:
        account = accounts.get(entry.phone or "")
        if account is None or account.company != entry.company:
            continue
        if not entry.is_inbound and entry.status is None:
            continue
        tallies.setdefault(account, Tally()).add(entry)
        campaign_id = entry.campaign or _answered_campaign(entry)
        if campaign_id:
            campaign = Subject(account.company, campaign_id, is_account=False)
            tallies.setdefault(campaign, Tally()).add(entry)


def to_lines(tallies: Tallies) -> list[dict[str, Any]]:
    """Return all tallies in JSON-compatible form, for a count that continues in another run."""
    return [
        {"company": of.company, "id": of.id, "is_account": of.is_account, "maps": tally.maps()}
        for of, tally in tallies.items()
    ]


def from_lines(text: str) -> Tallies:
    """Return the tallies in a JSON text made by `to_lines`."""
    tallies: Tallies = {}
    for line in json.loads(text):
        tally = tallies[Subject(line["company"], line["id"], line["is_account"])] = Tally()
        tally.plus(line["maps"])
    return tallies


def total(hours: Iterable[Mapping[str, Mapping[str, int]]]) -> Tally:
    """Return the sum of several hours, each as its maps."""
    tally = Tally()
    for maps in hours:
        tally.plus(maps)
    return tally


def _answered_campaign(entry: Entry) -> str | None:
    """Return the campaign that an inbound message answers; None for an answer to a template of no campaign."""
    name = entry.reply_of or ""
    return name if _CAMPAIGN_ID.fullmatch(name) else None


def _name(counter: Counter[str], name: str | None) -> None:
    if name:
        counter[name[:LONGEST_NAME]] += 1


def _bounded(counter: Counter[str], most_names: int | None) -> dict[str, int]:
    if most_names is None or len(counter.keys() - {OTHER}) <= most_names:
        return dict(counter)
    # Ties are broken by name, so that two passes over the same messages keep the same names.
    ordered = sorted((-n, name) for name, n in counter.items() if name != OTHER)
    largest = {name: -n for n, name in ordered[:most_names]}
    return {**largest, OTHER: counter.total() - sum(largest.values())}
