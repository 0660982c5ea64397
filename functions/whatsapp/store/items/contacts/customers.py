"""Customer data besides messages: addresses and completed forms (flows)."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from shared.aws.audited import audited
from shared.aws.sqs_fifo import digest
from whatsapp.store.items.item import AtMost, WhatsAppItem


class Address(WhatsAppItem):
    """
    A delivery address of a customer. Contract item 23: `customerPhone` is the contact key; fields below the gap are
    ours.

    At most 20 per customer. The default address is stored in an AddressDefault.
    """

    item_type: ClassVar[str] = "ADDRESS"
    pk_pattern: ClassVar[str] = "ADDRESS#{customerPhone}#{addressId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_customer_phone",)

    customer_phone: str
    address_id: str
    name: str | None = None
    phone_number: str | None = None
    address: str | None = None
    city: str | None = None
    state: str | None = None
    postal_code: str | None = None
    country: str | None = None
    is_default: bool | None = None
    created_at: str

    phone: str | None = None
    message_pk: str | None = None
    # Provider form fields that the contract does not name: {landmark_area, floor_number, ...}
    details: Annotated[dict[str, Any], AtMost(20)] | None = None


class AddressDefault(WhatsAppItem):
    """
    A customer's default address for a company, and the list of all their addresses.

    `addresses`: key of each ADDRESS -> order key of the newest message that contained it.
    """

    item_type: ClassVar[str] = "ADDRESS_DEFAULT"
    pk_pattern: ClassVar[str] = "ADDRESS#{customerPhone}#DEFAULT#{company}"

    address_pk: str | None = None  # none once the default was deleted
    order: str = ""  # order key of the message that made it the default: only moves forward
    addresses: Annotated[dict[str, str], AtMost(20)] = Field(default_factory=dict)
    revision: int = 0


class FlowResponse(WhatsAppItem):
    """A form completed by a customer. Contract item 24; fields below the gap are ours."""

    item_type: ClassVar[str] = "FLOW_RESPONSE"
    pk_pattern: ClassVar[str] = "FLOW_RESPONSE#{flowId}#{responseId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype", "gsi_customer_phone")

    flow_id: str  # `unknown` if the token is unknown
    response_id: str  # the id of the message that contained it
    customer_phone: str  # contact key
    screen_id: str | None = None
    data: Annotated[dict[str, Any], AtMost(32_000, "bytes")] = Field(default_factory=dict)
    completed_at: str

    waba_meta_id: str
    created_at: str  # = completedAt
    phone: str | None = None
    message_pk: str | None = None
    data_s3_key: str | None = Field(default=None, alias="dataS3Key")  # the answers, if long


class FlowToken(WhatsAppItem):
    """The form that a token was sent for, and the customer's answers so far."""

    item_type: ClassVar[str] = "FLOW_TOKEN"
    pk_pattern: ClassVar[str] = "FLOWTOKEN#{hash}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_customer_phone",)
    ttl_days: ClassVar[int | None] = 30

    flow: str
    customer_phone: str | None = None  # contact key
    created_at: str | None = None
    phone: str | None = None  # the business's number that the form was sent from
    action_id: str | None = None  # of the message that the form was sent with
    screen: str | None = None  # the last screen that we know of
    answers: Annotated[dict[str, Any], AtMost(8_000, "bytes")] = Field(default_factory=dict)
    state: Literal["open", "finished"] = "open"
    last_request: str | None = None  # hash of the request that finished the form, for repeats
    revision: int = 0

    @classmethod
    def of(cls, token: str) -> str:
        """Return the key of a token: its hash, because a token allows answering as the customer."""
        return cls.key(digest("flow token", token))


@audited("first_screen")
class FlowConfig(WhatsAppItem):
    """
    The data endpoint's responses for a form: screen -> {next: a screen or SUCCESS, data: static data}.

    `endpoint_url`: the company's own endpoint for the data of screens, signed with its secret `endpoint_secret`;
    `cached`: screen -> {data, at}, the newest answers of it that are the same for all customers.
    """

    item_type: ClassVar[str] = "FLOW_CONFIG"
    pk_pattern: ClassVar[str] = "FLOWCFG#{flowId}"

    first_screen: str | None = None  # None: no routing has been set
    deleted_by: str | None = (
        None  # hash of the call that deletes the form at the provider; kept for its repeats
    )
    screens: Annotated[dict[str, Any], AtMost(50)] = Field(default_factory=dict)
    endpoint_url: str | None = Field(default=None, repr=False)
    endpoint_secret: str | None = None
    cached: Annotated[dict[str, Any], AtMost(50)] | None = None


class FlowKeys(WhatsAppItem):
    """
    The key pairs of an account's forms, newest first: {version, publicKey, cause}; the private keys are parameters.

    `version` of the parameter, `cause` the hash of the call that made the pair. `published`: number -> version
    that the provider has.
    """

    item_type: ClassVar[str] = "FLOW_KEYS"
    pk_pattern: ClassVar[str] = "FLOWCFG#KEYS#{wabaMetaId}"

    keys: Annotated[list[dict[str, Any]], AtMost(2)] = Field(default_factory=list)
    published: Annotated[dict[str, int], AtMost(500)] = Field(default_factory=dict)
    revision: int = 0
