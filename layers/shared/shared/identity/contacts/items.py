"""The items of the contacts table."""

from typing import Annotated, ClassVar, Final

from pydantic import Field

from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import Item, filled
from shared.identity.identifiers import IdentifierKind
from shared.runtime import clock

ACTIVITY_INDEX: Final = "gsi_company_activity"
WEEK_MS: Final = 7 * clock.DAY_SECONDS * clock.SECOND_MS


class Profile(Item):
    """
    A contact, or one that was merged into another contact. Made of one identifier, whose keyed hash is the id.

    `merged_into` is the id of the contact that it was merged into, always a lesser id, so links have no circle; without
    it the profile is a contact. `members`: ids of all contacts merged into this one, also by way of another; an id may
    be among them before its profile has its link. `version` is larger after every write of links. A merged contact is
    in no index. `tokens` are hashes of the tokens that lead to this profile, listed before their items are written.
    """

    pk_pattern: ClassVar[str] = "CONTACT#{company}#{id}"
    sk_pattern: ClassVar[str] = "PROFILE"
    activity_pattern: ClassVar[str] = "ACTIVITY#{company}#{week}"
    indexes: ClassVar[tuple[str, ...]] = (ACTIVITY_INDEX,)
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str = sk_pattern
    company_id: str
    contact_id: str
    kind: IdentifierKind  # of the identifier that it is made of
    created_at: str
    activity_pk: str | None = None
    last_activity_at: str | None = None
    members: Annotated[set[str], Field(default_factory=set)]
    merged_into: str | None = None
    tokens: Annotated[set[str], Field(default_factory=set)]
    version: int = 1

    @classmethod
    def key(cls, company: str, contact_id: str) -> Attributes:
        """Return the key of a profile. Raises ValueError if a part is empty or the company's id contains `#`."""
        if "#" in company:
            raise ValueError("contact key: company must not contain #")
        return {"pk": filled(cls.pk_pattern, company, contact_id), "sk": cls.sk_pattern}

    @classmethod
    def activity_list(cls, company: str, at_ms: int) -> str:
        """Return the partition of gsi_company_activity: the company's contacts whose last activity is in this week."""
        return filled(cls.activity_pattern, company, clock.to_text(at_ms - at_ms % WEEK_MS)[:10])


class Found(Item):
    """
    A contact that a token finds (`shared.identity.contacts.tokens`); `hash` is the token's keyed hash.

    `contact` is the id of a profile, which may be merged into another one.
    """

    pk_pattern: ClassVar[str] = "TOKEN#{company}#{hash}"
    sk_pattern: ClassVar[str] = "{contact}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    company_id: str

    @classmethod
    def list_of(cls, company: str, token_hash: str) -> str:
        """Return the partition of the contacts that have a token."""
        return filled(cls.pk_pattern, company, token_hash)

    @classmethod
    def of(cls, company: str, token_hash: str, contact_id: str) -> "Found":
        """Return the item of a contact that has a token."""
        return cls(pk=cls.list_of(company, token_hash), sk=contact_id, company_id=company)

    def key(self) -> Attributes:
        """Return the key of the item."""
        return {"pk": self.pk, "sk": self.sk}
