"""Settings of a sandbox: its address, its numbers, and the addresses of webhooks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

# bucket, key, content, content type
PutObject = Callable[[str, str, bytes, str], None]
# ARN of a topic, message
Publish = Callable[[str, str], None]


@dataclass(frozen=True)
class Number:
    """
    A business phone number, on AWS End User Messaging if it has an `aws_id`, else on Graph.

    `phone_number_id` and `waba` are Meta's ids (digits); `aws_id` is `phone-number-id-` and hex.
    """

    phone_number_id: str
    display: str
    waba: str
    aws_id: str | None = None


DEMO_NUMBERS = (
    Number("106540352242922", "15550783881", "102290129340398"),
    Number(
        "206540352242933",
        "15550783999",
        "202290129340399",
        "phone-number-id-0123456789abcdef0123456789abcdef",
    ),
    Number("606540352242977", "15550783111", "602290129340401"),
)

# All numbers are of ranges reserved for fiction.
TWILIO_ACCOUNT = "AC" + "5a0d" * 8
TWILIO_SENDERS = ("+12025550142", "whatsapp:+12025550143")
SMS_NUMBERS = ("+12025550160",)


@dataclass(frozen=True)
class Config:
    """
    Settings of one sandbox; the defaults suit a test.

    `port` 0: the system chooses. `put_object` replaces S3 at `aws_endpoint`. Status webhooks are
    sent if both `webhook_url` and `app_secret` are set. `webhook_retry_seconds` is the first delay
    after a failed webhook; each further delay is twice as long. Messages of customers to the help
    desk cause one call of `richpanel_webhook_url`, with `richpanel_token`.

    Twilio accepts any password unless `twilio_auth_token` is set; then it sends webhooks signed with that token.
    Requests for addresses below `public_url`, Parley's public address, go to `reached_at`. `publish` replaces SNS at
    `aws_endpoint`; messages and events of AWS's SMS service are published to `sms_topic_arn`,
    events of SES to `ses_topic_arn`.
    """

    host: str = "127.0.0.1"
    port: int = 0
    numbers: tuple[Number, ...] = DEMO_NUMBERS
    media_dir: Path | None = None
    aws_endpoint: str | None = None
    put_object: PutObject | None = None
    webhook_url: str | None = None
    app_secret: str | None = field(default=None, repr=False)
    read_receipts: bool = False
    richpanel_webhook_url: str | None = None
    richpanel_token: str | None = field(default=None, repr=False)
    webhook_retry_seconds: float = 0.5
    twilio_account_sid: str = TWILIO_ACCOUNT
    twilio_other_accounts: tuple[str, ...] = ()
    twilio_auth_token: str | None = field(default=None, repr=False)
    twilio_senders: tuple[str, ...] = TWILIO_SENDERS
    public_url: str | None = None
    reached_at: str | None = None
    sms_numbers: tuple[str, ...] = SMS_NUMBERS
    sms_topic_arn: str | None = None
    ses_topic_arn: str | None = None
    publish: Publish | None = None

    def graph_number(self, phone_number_id: str) -> Number | None:
        """Return the Graph number with this id; None if there is none."""
        return next(
            (n for n in self.numbers if n.phone_number_id == phone_number_id and n.aws_id is None),
            None,
        )

    def aws_number(self, origination: str) -> Number | None:
        """Return the number of an `originationPhoneNumberId`, an `aws_id` or an ARN."""
        bare = "phone-number-id-" + origination.rpartition(":phone-number-id/")[2]
        return next(
            (n for n in self.numbers if n.aws_id is not None and n.aws_id in (origination, bare)),
            None,
        )
