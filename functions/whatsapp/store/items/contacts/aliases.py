"""Other ids of customers and messages."""

from typing import Annotated, Any, ClassVar

from shared.aws.dynamodb import Attributes
from shared.identity import addresses
from shared.runtime import clock
from whatsapp.store.items.item import AtMost, WhatsAppItem


class Alias(WhatsAppItem):
    """
    An alternative id of a customer or message: the provider's ids change, ours do not.

    `customer_phone`, the target of a customer's alias, and `created_at` list the aliases of a contact. Messages sent by
    another context also have their action id as an alias, because statuses carry it; kept for 35 days.
    """

    item_type: ClassVar[str] = "ALIAS"
    pk_pattern: ClassVar[str] = "ALIAS#{kind}#{alias}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_customer_phone",)
    ttl_note: ClassVar[str] = "kept; 35 days for an action"
    _FORMER: ClassVar[str] = "ALIAS#OWNER#"
    _OF_CUSTOMERS: ClassVar[tuple[str, ...]] = ("ALIAS#WAID#", "ALIAS#BSUID#", _FORMER)

    target: str  # a contact key or a message key
    created_at_ms: int
    # Of a customer's id: the `receivedAt` of the first event that named it.
    since: str | None = None
    user_id: str | None = None  # of a number: the user id that its owner had
    # Of a number that changed hands: {since, target?, userId?, change?, erased?, unproven?}, oldest first. Without
    # `target` the owner gave the number up, and no other customer has written from it yet. `change` identifies the
    # notice of a change, `erased` is the `erased_until` of that owner. `unproven`: only the business has written there.
    owners: Annotated[list[dict[str, Any]], AtMost(10)] | None = None
    # Of a user id: the digits that messages prove for it. With a time, a notice named another id in its place then,
    # which comes with another number; `left_by` identifies the notice.
    wa_id: str | None = None
    left_at: str | None = None
    left_by: str | None = None
    # Events of the id up to this time (`receivedAt`) were erased, and are not stored again.
    erased_until: str | None = None
    # Of the id that is the contact's key: the contact whose conversation continues this one's.
    linked_to: str | None = None
    revision: int | None = None  # none: never changed
    customer_phone: str | None = None
    created_at: str | None = None

    def attributes(self) -> Attributes:
        """Return the item as it is stored: listed under its contact, unless its id is the contact's key."""
        is_listed = (
            self.pk.startswith(self._OF_CUSTOMERS) and self.pk.rpartition("#")[2] != self.target
        )
        listed = {
            "customer_phone": self.target if is_listed else None,
            "created_at": clock.to_text(self.created_at_ms) if is_listed else None,
        }
        return super(Alias, self.model_copy(update=listed)).attributes()

    @classmethod
    def of_phone(cls, phone: str, wa_id: str) -> str:
        """Return `ALIAS#WAID#{phone}#{wa_id}`: a customer's digits, in the normal form, at the number *phone*."""
        return cls._of_digits(phone, addresses.normal_digits(wa_id))

    @classmethod
    def all_of_phone(cls, phone: str, wa_id: str) -> list[str]:
        """Return the keys that a customer's number may have, the one that is written first; usually one."""
        return [cls._of_digits(phone, digits) for digits in addresses.spellings_of(wa_id)]

    @classmethod
    def _of_digits(cls, phone: str, digits: str) -> str:
        return cls.key("WAID", f"{phone}#{digits}")

    @classmethod
    def of_user(cls, phone: str, user_id: str) -> str:
        """Return `ALIAS#BSUID#{phone}#{user_id}`: a business-scoped user id."""
        return cls.key("BSUID", f"{phone}#{user_id}")

    @classmethod
    def of_contact(cls, phone: str, contact_key: str) -> str:
        """Return the key of the alias of a contact's own key, in the spelling of that key."""
        is_number = contact_key.partition("-")[0].isdecimal()
        of_digits = cls._of_digits(phone, contact_key)
        return of_digits if is_number else cls.of_user(phone, contact_key)

    @classmethod
    def of_owner(cls, number_pk: str, contact_key: str) -> str:
        """Return `ALIAS#OWNER#{contact}#{phone}#{wa_id}`: lists a number under a contact that had it."""
        return cls.key("OWNER", f"{contact_key}#{number_pk.split('#', 2)[2]}")

    @staticmethod
    def phone_of(alias_pk: str) -> str:
        """Return the business number of an alias of a customer, from its key."""
        return alias_pk.split("#")[-2]

    @classmethod
    def number_of_owner(cls, alias_pk: str) -> str | None:
        """Return the key of the number that an alias made by `of_owner` lists; None for any other alias."""
        if not alias_pk.startswith(cls._FORMER):
            return None
        phone, wa_id = alias_pk.split("#")[-2:]
        return cls._of_digits(phone, wa_id)

    @classmethod
    def of_message(cls, phone: str, message_id: str) -> str:
        """Return `ALIAS#MSG#{phone}#{id}`: another id of a message of the business number *phone*."""
        return cls.key("MSG", f"{phone}#{message_id}")

    @classmethod
    def of_action(cls, phone: str, action_id: str) -> str:
        """Return `ALIAS#ACTION#{phone}#{action_id}`: another context's action that sent a message from *phone*."""
        return cls.key("ACTION", f"{phone}#{action_id}")
