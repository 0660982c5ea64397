"""Costs that outsiders have caused for a company today, with the bounds; and the company's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from shared.ai.spending.bounds import DEFAULTS, Kind
from shared.ai.spending.items import CompanySettings, Day
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.ai.spending.bounds import Bounds
    from shared.aws.dynamodb import Table


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
    item = table.get(CompanySettings.key(company))
    return CompanySettings.read(item).percents if item else {}


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
    """Replace the settings of a company."""
    settings = CompanySettings(
        **CompanySettings.key(company),
        percents={kind.value: percent for kind, percent in percents.items()},
        updated_at=clock.to_text(clock.now_ms()),
        updated_by=by,
    )
    table.put(settings.attributes())
