"""The items of lists and segments of contacts, in the contacts table."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import Field

from shared.aws.audited import audited
from shared.aws.tables.items import Item, filled
from shared.identity.contacts.items import Profile

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes

LIST_PREFIX: Final = "LIST#"  # of the sort keys of a contact's memberships


@audited("name")
class ContactList(Item):
    """
    A list of contacts. With `removed_at` it is no list any more for every reader, and its members are being removed.

    `cause`: hash of the request that made it.
    """

    pk_pattern: ClassVar[str] = "LISTS#{company}"
    sk_pattern: ClassVar[str] = "{list_id}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    company_id: str
    name: str = Field(repr=False)
    created_at: str
    created_by: str
    cause: str
    removed_at: str | None = None

    @classmethod
    def of_company(cls, company: str) -> str:
        """Return the partition of the lists of a company."""
        return filled(cls.pk_pattern, company)

    @classmethod
    def key(cls, company: str, list_id: str) -> Attributes:
        """Return the key of a list."""
        return {"pk": cls.of_company(company), "sk": filled(cls.sk_pattern, list_id)}


class Member(Item):
    """A contact in a list, by the id that the contact had when it came into the list."""

    pk_pattern: ClassVar[str] = "LIST#{company}#{list_id}"
    sk_pattern: ClassVar[str] = "{contact}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    company_id: str

    @classmethod
    def of_list(cls, company: str, list_id: str) -> str:
        """Return the partition of the members of a list."""
        return filled(cls.pk_pattern, company, list_id)

    @classmethod
    def key(cls, company: str, list_id: str, contact_id: str) -> Attributes:
        """Return the key of a member."""
        return {"pk": cls.of_list(company, list_id), "sk": contact_id}


class Membership(Item):
    """
    A list of a contact: written before the contact is a member, removed after it, so that an erasure finds both.
    *import_id*: of the import that made it, until the contact comes into the list in another way, too.
    """

    pk_pattern: ClassVar[str] = Profile.pk_pattern
    sk_pattern: ClassVar[str] = "LIST#{list_id}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    company_id: str
    import_id: str | None = None

    @classmethod
    def key(cls, company: str, contact_id: str, list_id: str) -> Attributes:
        """Return the key of a membership."""
        return {
            "pk": str(Profile.key(company, contact_id)["pk"]),
            "sk": filled(cls.sk_pattern, list_id),
        }

    @property
    def list_id(self) -> str:
        """The id of the list."""
        return self.sk.removeprefix(LIST_PREFIX)


@audited("name")
class Segment(Item):
    """Conditions (`shared.contacts.conditions`, as JSON) under a name. The people who fit them are stored nowhere."""

    pk_pattern: ClassVar[str] = "SEGMENTS#{company}"
    sk_pattern: ClassVar[str] = "{segment_id}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    sk: str
    company_id: str
    name: str = Field(repr=False)
    conditions: str = Field(repr=False)
    created_at: str
    created_by: str

    @classmethod
    def of_company(cls, company: str) -> str:
        """Return the partition of the segments of a company."""
        return filled(cls.pk_pattern, company)

    @classmethod
    def key(cls, company: str, segment_id: str) -> Attributes:
        """Return the key of a segment."""
        return {"pk": cls.of_company(company), "sk": filled(cls.sk_pattern, segment_id)}
