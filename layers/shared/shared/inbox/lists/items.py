"""The items of the inbox table that are about lists: how a company's lists are divided, and saved views of them."""

from typing import ClassVar

from pydantic import Field

from shared.aws.audited import audited
from shared.aws.tables.items import Item, filled


class CompanyLists(Item):
    """
    How many partitions of gsi_list share the entries of each list of a company; without this item it is one.

    Readers merge `partitions`; writers use `earlier` until `since_ms`. See `shared.inbox.lists.partitions`. `webhooks`
    has what each active webhook wants, by its id: contexts and types of events. It is here since feeds read this item.
    """

    pk_pattern: ClassVar[str] = "LISTS#{company}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    partitions: int = 1
    earlier: int = 1
    since_ms: int = 0
    webhooks: dict[str, list[str]] = Field(default_factory=dict)

    @classmethod
    def key(cls, company: str) -> str:
        """Return the key of a company's lists."""
        return filled(cls.pk_pattern, company)


@audited()
class SavedViews(Item):
    """
    The saved views of the inbox that a person or a team of a company has.

    `views` has the filters of each view by its name. A view has no words of a search: they may name a customer.
    """

    pk_pattern: ClassVar[str] = "VIEWS#{company}#{owner}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str
    company_id: str
    owner: str  # a principal, or `team:` and the name of a team
    revision: int = 0
    views: dict[str, dict[str, str]] = Field(default_factory=dict, repr=False)

    @classmethod
    def key(cls, company: str, owner: str) -> str:
        """Return the key of the views of an owner."""
        return filled(cls.pk_pattern, company, owner)
