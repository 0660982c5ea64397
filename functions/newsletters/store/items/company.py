"""Items of a company: its settings, and the units of AI that it has used."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from newsletters.store.items.item import TableItem
from shared.ai.versions.stored import Version


class CompanySettings(TableItem):
    """
    The settings of a company. *ai* is the model (`shared.ai.settings`), *retrieval* the retriever
    (`shared.ai.retrieval.settings`). *ai_daily_units* limits the calls of the model on a UTC day. With *four_eyes* an
    author cannot approve an own draft, with *check_claims* the model judges each statement of a draft by its passages.
    *track_clicks*: clicks of readers are counted. *ai_version* is the live version of the model's settings.
    """

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "SETTINGS"

    company_id: str
    ai: dict[str, Any] | None = None
    retrieval: dict[str, Any] = Field(default_factory=dict)
    ai_daily_units: int = 200
    four_eyes: bool = False
    check_claims: bool = False
    track_clicks: bool = False
    ai_version: int | None = None
    updated_at: str
    updated_by: str
    version: int = 1


class SettingsVersion(TableItem, Version):
    """The settings of a company that its model depends on; never changed, but for the name of an erased author."""

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "VERSION#{number}"


class AiUse(TableItem):
    """Calls of the model by a company on a UTC day."""

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "AIUSE#{yyyymmdd}"
    ttl_days: ClassVar[int] = 90

    units: int = 0
    ttl: int
