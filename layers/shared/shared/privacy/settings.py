"""
Settings of a company for requests about its people, in the table of the contacts: whether two people make each.

With four eyes one administrator requests, and another one confirms (`POST /privacy/requests`). The routes and actions
of single contexts have no second person: they refuse such a company.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar, Final

from shared.aws.audited import audited
from shared.aws.tables.items import Item, filled

if TYPE_CHECKING:
    from shared.api.routing.responses import Errors
    from shared.aws.dynamodb import Attributes, Table


class SecondPersonRequired(Exception):
    """The company has set that another administrator confirms each request about a person."""


ERRORS: Final[Errors] = {SecondPersonRequired: (HTTPStatus.CONFLICT, "second_person_required")}


@audited()
class PrivacySettings(Item):
    """The settings of a company's requests: whether a second administrator confirms each."""

    pk_pattern: ClassVar[str] = "PRIVACY_SETTINGS#{company}"
    sk_pattern: ClassVar[str] = "SETTINGS"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str = sk_pattern
    company_id: str
    four_eyes: bool = False

    @classmethod
    def key_of(cls, company: str) -> Attributes:
        """Return the whole key of a company's settings."""
        return {"pk": filled(cls.pk_pattern, company), "sk": cls.sk_pattern}


def settings_of(table: Table, company: str) -> PrivacySettings:
    """Return what a company has set, or the defaults (strongly consistent). *table*: of the contacts."""
    key = PrivacySettings.key_of(company)
    item = table.get(key)
    return PrivacySettings.read(item) if item else PrivacySettings(**key, company_id=company)


def refuse_single_person(table: Table, company: str) -> None:
    """Refuse the export or erasure of a person outside `POST /privacy/requests`. Raises SecondPersonRequired."""
    if settings_of(table, company).four_eyes:
        raise SecondPersonRequired(
            "another administrator confirms each request about a person: use POST /privacy/requests"
        )
