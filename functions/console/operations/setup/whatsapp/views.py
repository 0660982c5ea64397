"""Response models of accounts of WhatsApp at AWS."""

from console.operations.setup.views import View


class AwsAccount(View):
    """
    An account of WhatsApp that is linked to AWS. *is_own*: it belongs to the company; else to none. *is_registered*:
    Meta's sign-up of it is complete.
    """

    account_id: str
    meta_id: str | None
    name: str | None
    is_own: bool
    is_registered: bool


class AwsAccounts(View):
    """The linked accounts that are the company's or no company's. *is_complete*: false if AWS lists more than 300."""

    accounts: list[AwsAccount]
    is_complete: bool


class AwsNumber(View):
    """A number as AWS lists it: Meta's id (`phone` of `save_phone`), the ARN, the number, and its name."""

    phone: str
    arn: str
    display: str
    name: str | None


class LinkedAwsAccount(View):
    """An account that belongs to the company now, with its numbers, which `save_phone` registers."""

    account_id: str
    meta_id: str
    name: str | None
    numbers: list[AwsNumber]
