"""
Versions of the settings of a project's model: what it is told, what it may do, and what it may say.

The project's item has the live settings and the number of their version. A version goes live with one write of the
item, so a worker reads all settings of one version. A project that was stored before there were versions gets its
settings as version 1 before the first change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools.metrics import MetricUnit
from boto3.dynamodb.conditions import Attr

from conversations.configuration.projects import (
    PARTITION_KEY,
    ConfigurationInvalid,
    key,
    parse,
)
from conversations.store.versions import project_versions
from shared.ai.versions.stored import FIRST, PARLEY, Version
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boto3.dynamodb.conditions import ConditionBase

    from conversations.configuration.projects import Companies, Company
    from shared.aws.dynamodb import Attributes, Table

# Attributes of a project that a version has. The others say who the project is and through which accounts it sends.
VERSIONED = (
    *("ai_config", "knowledge_config", "policy", "company_rep", "opening_hours", "follow_ups"),
    *("memory", "burst_wait", "default_language", "timezone", "satisfaction"),
)
LIVE = "ai_version"
TRIAL = "ai_trial"
_MOST_HELD: Final = 50  # versions of one process


def settings_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a project's item that versions have."""
    return {name: item[name] for name in VERSIONED if name in item}


def with_settings(item: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a project's item with the *settings* of a version instead of its own."""
    kept = {name: value for name, value in item.items() if name not in VERSIONED}
    return {**kept, **settings}


def company_with(log: Table, companies: Companies, live: Company, number: int) -> Company | None:
    """Return a project with the settings of another version than its *live* one; None if they cannot be used."""
    if number == live.ai_version:
        return live
    ids = live.company_id, live.project_id
    item, settings = companies.item(*ids), _settings(log, companies, (*ids, number))
    if item is None or settings is None:
        return None
    try:
        return parse({**with_settings(item, settings), LIVE: number})
    except ConfigurationInvalid as fault:
        metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
        logger.error("settings of a version invalid", extra={"attribute": fault.attribute})
        return None


def _settings(
    log: Table, companies: Companies, where: tuple[str, str, int]
) -> Mapping[str, Any] | None:
    held, (company_id, project_id, number) = companies.versions, where
    if where not in held:
        version = project_versions.of_project(log, company_id, project_id).read(number)
        if version is None:
            return None
        if len(held) >= _MOST_HELD:
            held.clear()
        held[where] = version.settings
    return held[where]


def live_version(log: Table, companies: Table, item: Attributes) -> int:
    """Return the number of the live version of a project; its settings become version 1 if it has none. Repeatable."""
    if LIVE in item:
        return int(item[LIVE])
    company_id, project_id = str(item["company_id"]), str(item["project_id"])
    first = Version(settings=settings_of(item), by=PARLEY, at=clock.to_text(clock.now_ms()))
    project_versions.of_project(log, company_id, project_id).put(first)
    where = key(company_id, project_id)
    stored = companies.update(where, put_once={LIVE: FIRST}, when=Attr(PARTITION_KEY).exists())
    return int(stored[LIVE])


def version_of_file(
    log: Table, stored: Attributes | None, live: int | None, item: Attributes, by: str
) -> int:
    """
    Return the number of the version with the settings of *item*, which replaces the *stored* item of the project: the
    *live* one if they are equal, else a new one by the operator *by*.
    """
    if stored is not None and live is not None and settings_of(stored) == settings_of(item):
        return live
    version = Version(
        settings=settings_of(item), by=by, at=clock.to_text(clock.now_ms()), based_on=live
    )
    made = project_versions.of_project(log, str(item["company_id"]), str(item["project_id"]))
    return made.add(version, live or 0).number


def go_live(
    companies: Table,
    company_id: str,
    project_id: str,
    version: Version,
    *,
    instead_of: int | None = None,
) -> None:
    """
    Give the project the settings of *version*; functions see them within 30 seconds. Repeatable.

    Raises ConditionFailed if the project does not exist, or another version is live than *instead_of*.
    """
    expected: ConditionBase = Attr(PARTITION_KEY).exists()
    if instead_of is not None:
        expected &= Attr(LIVE).is_in([instead_of, version.number])
    absent = [name for name in VERSIONED if name not in version.settings]
    companies.update(
        key(company_id, project_id),
        put={**version.settings, LIVE: version.number},
        drop=absent,
        when=expected,
    )
