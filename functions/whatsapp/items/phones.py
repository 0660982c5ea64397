"""The business's numbers: which provider, whose company, which settings."""

from typing import Any, ClassVar, Literal

from whatsapp.items.item import WhatsAppItem


class Phone(WhatsAppItem):
    """
    A business number. Tenant and company of an event come from here and from nowhere else.

    `phone_arn` is the AWS ARN, or `arn:parley:whatsapp:::phone-number-id/{phone}` for a number that is only on Graph.
    `token_ref` names the access token in the secret of tokens. `app_id`: the Meta app that may report about it.
    `message_ttl_days`: how long its messages are kept, where that is not what the deployment says.
    """

    item_type: ClassVar[str] = "PHONE"
    pk_pattern: ClassVar[str] = "PHONE#{phone}"

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
    auto_mark_read: bool = False
    message_ttl_days: int | None = None
    automation: str = "none"  # who answers by itself; nobody yet

    @property
    def arn_suffix(self) -> str:
        """What follows the last `/` of the ARN: the first part of a conversation's key."""
        return self.phone_arn.rsplit("/", 1)[-1]


class PhoneList(WhatsAppItem):
    """All numbers of the deployment, at most 500: `phones` is a list of {phone, company, phoneArn, displayPhone}."""

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#PHONES"

    phones: list[dict[str, Any]]
