"""Claims of business addresses and sender ids by companies: one item per name."""

from typing import ClassVar

from conversations.store.items.base import ONLY, LogItem
from conversations.store.items.routes import BusinessAddress

# Company id in the claim of a mailbox provider's domain, which many companies share. No company has this id.
SHARED = "*"


class Claim(LogItem):
    """
    The one company that may send from a name and receive at it.

    The first part of the key is `whatsapp` or `sms` (the name is a number in E.164), `email` (an address, or a domain
    such as `@acme.com`; the company of a mailbox provider's domain is `*`), or `phone_number_id` (id of a number at
    Meta or AWS). The claim of an address shares its partition with the projects that use it: one query reads both.
    """

    item_type: ClassVar[str] = "CLAIM"
    pk_pattern: ClassVar[str] = BusinessAddress.pk_pattern
    sk_pattern: ClassVar[str] = ONLY
    ttl_note: ClassVar[str] = "kept until an operator releases it"

    company_id: str
