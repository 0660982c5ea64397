"""Costs that outsiders have caused for a company today, with the bounds; and the company's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr, Key

from shared.ai.spending.bounds import DEFAULTS, Kind
from shared.ai.spending.items import CompanySettings, Day
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.ai.spending.bounds import Bounds
    from shared.aws.dynamodb import Table


class SettingsChanged(Exception):
    """The settings of a company have changed since the caller read them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """Units and micro-dollars of one kind on one day, of the company and by address; *bounds*: today's."""

    kind: Kind
    percent: int
    bounds: Bounds
    units: int
    micros: int
    addresses: dict[str, tuple[int, int]]


def percents_of(table: Table, company: str) -> dict[str, int]:
    """Return the settings of a company by kind; empty if it has none."""
    settings = settings_of(table, company)
    return settings.percents if settings else {}


def held_percent(percents: Mapping[str, int], kind: Kind, percent: int, most_percent: int) -> int:
    """Return the percentage of a company's bounds: its own, as far as *most_percent* permits, else the deployment's."""
    return min(percents[kind], most_percent) if kind in percents else percent


def of_day(table: Table, company: str, date: str, *, percent: int, most_percent: int) -> list[Used]:
    """Return the usage of a day (`2026-11-28`, UTC), each kind once. One query, one read."""
    items, _ = table.query(None, Key("pk").eq(Day.partition(company, date)))
    days = {day.sk: day for day in map(Day.read, items)}
    percents = percents_of(table, company)
    shown = []
    for kind in Kind:
        held = held_percent(percents, kind, percent, most_percent)
        day = days.get(kind)
        shown.append(
            Used(
                kind=kind,
                percent=held,
                bounds=DEFAULTS[kind].part(held),
                units=day.units if day else 0,
                micros=day.micros if day else 0,
                addresses=day.addresses() if day else {},
            )
        )
    return shown


def set_percents(table: Table, company: str, percents: dict[Kind, int], by: str) -> None:
    """Replace the percentages of a company."""
    change(table, company, by, {"percents": {kind.value: one for kind, one in percents.items()}})


def set_ceilings(table: Table, company: str, ceilings: Mapping[str, int | None], by: str) -> None:
    """Set `day_micros`, `month_micros` and `warn_percent` of a company; None removes one, absent ones stay."""
    change(table, company, by, ceilings)


def settings_of(table: Table, company: str) -> CompanySettings | None:
    """Return the settings of a company."""
    item = table.get(CompanySettings.key(company))
    return CompanySettings.read(item) if item else None


def change(
    table: Table, company: str, by: str, changes: Mapping[str, Any], version: int | None = None
) -> CompanySettings:
    """
    Write attributes of a company's settings; None removes one. With the *version* that the caller has read, nothing is
    written after another change: raises SettingsChanged. Safe to repeat.
    """
    put = {name: value for name, value in changes.items() if value is not None}
    drop = [name for name, value in changes.items() if value is None]
    stored = Attr("version")
    when = None
    if version is not None:
        when = stored.eq(version) if version else stored.not_exists()
    try:
        written = table.update(
            CompanySettings.key(company),
            put=put | {"updated_at": clock.to_text(clock.now_ms()), "updated_by": by},
            drop=drop,
            add={"version": 1},
            when=when,
        )
    except ConditionFailed as refusal:
        written = refusal.existing or {}
        is_own = written.get("version") == (version or 0) + 1 and written.get("updated_by") == by
        if not is_own or any(written.get(name) != changes[name] for name in changes):
            raise SettingsChanged("version: the limits have changed") from None
    return CompanySettings.read(written)
