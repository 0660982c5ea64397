"""The business's numbers: provider, company and settings."""

from typing import Annotated, Any, ClassVar, Literal

from shared.aws.audited import audited
from shared.events.exchange import Provider
from shared.identity.addresses import normal_digits
from whatsapp.store.items.item import AtMost, WhatsAppItem

# Values of `automation`: the context that answers automatically at a number.
NO_AUTOMATION = "none"
CONVERSATIONS = "conversations"


@audited("display_phone_name", maps=("call_settings", "transcription", "sending_blocks"))
class Phone(WhatsAppItem):
    """
    A business number. The only source of an event's tenant and company.

    `phone_arn` is the AWS ARN, or `arn:parley:whatsapp:::phone-number-id/{phone}` for a number that is only on Graph.
    `token_ref` names the access token in the secret of tokens. `app_id`: the Meta app that may report about the number.
    `message_ttl_days`: retention of its messages, if different from the deployment's default. `proof`: why the number
    is the company's (`shared.access.ownership.claims.Proof`); it ends with the proof, and without it the number is not
    used.
    """

    item_type: ClassVar[str] = "PHONE"
    pk_pattern: ClassVar[str] = "PHONE#{phone}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)
    # Reported by the provider, or chosen through an action; the other fields are settings of a registration.
    reported: ClassVar[frozenset[str]] = frozenset(
        {
            "default_payment_config",
            "verified_name",
            "verified_name_order",
            "messaging_limit",
            "messaging_limit_order",
            "is_cart_enabled",
            "is_catalog_visible",
            "sending_blocked",
            "sending_blocked_reason",
            "sending_blocked_at",
            "sending_blocked_until",
            "sending_blocks",
            "transcription",
            "throughput_level",
            "throughput_level_order",
            "call_settings",
            "conversion_dataset",
            "welcome_sequences",
        }
    )

    company: str
    phone: str
    display_phone: str
    phone_arn: str
    provider: Literal["graph", "eum"]
    waba_meta_id: str
    aws_phone: str | None = None
    aws_waba: str | None = None
    tenant: str | None = None
    app_id: str | None = None
    token_ref: str | None = None
    business_account_name: str | None = None
    enabled: bool = True
    proof: str | None = None
    proof_failing_since: str | None = (
        None  # first refusal of the provider to list it, while that lasts
    )
    is_default: bool | None = None  # of the account's numbers, for calls that name only the account
    auto_mark_read: bool = False
    message_ttl_days: int | None = None
    # Whether its account is onboarded to Meta's API for marketing messages, which then sends marketing templates.
    marketing_messages: bool | None = None
    messages_per_second: int | None = (
        None  # send rate; None: the rate of the provider's lowest level
    )
    default_payment_config: str | None = None  # a `configName`; goes before the tenant's
    automation: str = NO_AUTOMATION  # automatic answers: none, or conversations
    verified_name: str | None = None
    messaging_limit: str | None = None  # the provider's value, such as TIER_1K
    throughput_level: str | None = None  # the provider's value, such as STANDARD
    call_settings: Annotated[dict[str, Any], AtMost(10)] | None = None  # as last reported
    conversion_dataset: str | None = (
        None  # the provider's id of the account's dataset for conversions
    )
    # Trigger -> name of the account's sequence that a new customer's message starts. Here, because workers read the
    # number for each message anyway.
    welcome_sequences: Annotated[dict[str, str], AtMost(2)] | None = None
    # The transcription of voice notes: `VoiceNotes`, in JSON names.
    transcription: Annotated[dict[str, Any], AtMost(10)] | None = None
    is_cart_enabled: bool | None = None  # commerce settings, as last set here
    is_catalog_visible: bool | None = None
    sending_blocked: bool | None = None
    sending_blocked_reason: str | None = None  # the provider's value, such as DISABLE
    sending_blocked_at: str | None = None
    sending_blocked_until: str | None = None  # the block ends then, even without a report

    # Source of the four above: ban, connection, restriction -> {order, at, reason, until}; no reason: ended.
    sending_blocks: Annotated[dict[str, Any], AtMost(3)] | None = None
    verified_name_order: str | None = None
    messaging_limit_order: str | None = None
    throughput_level_order: str | None = None

    @property
    def in_use(self) -> bool:
        """Whether events of the number are processed and messages sent from it: it is enabled, and proven."""
        return self.enabled and self.proof is not None

    def has_number(self, number: object) -> bool:
        """Whether a text is this number: with or without `+` and separators, in any spelling of its line."""
        digits = "".join(character for character in str(number or "") if character.isdecimal())
        return bool(digits) and normal_digits(digits) == normal_digits(self.display_phone)

    @property
    def is_automated(self) -> bool:
        """Whether events of this number are handed over to the context `conversations`."""
        return self.automation == CONVERSATIONS

    @property
    def transcribes_all(self) -> bool:
        """Whether its voice notes become text by themselves. Of an AI conversation the project decides that."""
        wanted = bool(self.transcription and self.transcription.get("automatic"))
        return wanted and not self.is_automated

    @property
    def carrier(self) -> Provider:
        """The provider's name as used between contexts (`shared.events.exchange`)."""
        return "meta" if self.provider == "graph" else "aws_social"

    @property
    def arn_suffix(self) -> str:
        """The part of the ARN after the last `/`: the first part of a conversation's key."""
        return self.phone_arn.rsplit("/", 1)[-1]


class PhoneList(WhatsAppItem):
    """The numbers of a company: `phones` has {phone, company, phoneArn, displayPhone, waba} of each."""

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#PHONES#{company}"

    phones: Annotated[list[dict[str, Any]], AtMost(500)]


class AccountOwner(WhatsAppItem):
    """The company with numbers in a WhatsApp Business Account: events about an account name no number."""

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#ACCOUNT#{waba}"


class PhoneCompanies(WhatsAppItem):
    """The companies with a registered number: what is done for all numbers follows these to their lists."""

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#PHONES"

    companies: Annotated[set[str], AtMost(5_000)]
