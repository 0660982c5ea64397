"""
Name and language of a company, in the table of API keys.

    COMPANY#{company}     `key_id`; no API key has such an id
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

type Language = Literal["en", "de", "ar"]

KEY_PATTERN: Final = "COMPANY#{company}"
DEFAULT_LANGUAGE: Final = "en"
_KEY, _NAME, _LANGUAGE, _VERSION = "key_id", "name", "language", "version"


class ProfileConflict(Exception):
    """The profile has changed since the version that the caller read."""


@dataclass(frozen=True, slots=True)
class CompanyProfile:
    """*name*: None until the company has one. *version*: the number of changes."""

    name: str | None = None
    language: Language = DEFAULT_LANGUAGE
    version: int = 0

    @classmethod
    def read(cls, item: Attributes) -> Self:
        """Parse a stored item."""
        language: Any = item[_LANGUAGE]
        return cls(str(item[_NAME]), language, int(item[_VERSION]))


def profile_of(table: Table, company: str) -> CompanyProfile:
    """Return the profile of a company, strongly consistent; without an item its defaults."""
    item = table.get(_key(company))
    return CompanyProfile.read(item) if item else CompanyProfile()


def replace(
    table: Table, company: str, name: str, language: Language, version: int
) -> CompanyProfile:
    """Store a profile in place of the *version* that was read. Safe to repeat. Raises ProfileConflict."""
    after = {**_key(company), _NAME: name, _LANGUAGE: language, _VERSION: version + 1}
    stored = Attr(_VERSION)
    try:
        table.put(after, when=stored.eq(version) if version else stored.not_exists())
    except ConditionFailed as refusal:
        if refusal.existing != after:  # else its own write
            raise ProfileConflict("version: the company's settings have changed") from None
    return CompanyProfile.read(after)


def _key(company: str) -> Attributes:
    return {_KEY: KEY_PATTERN.format(company=company)}
