"""The input of SendEmail, in the names and limits of the API reference."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from local.sandbox.accounts.mail.attachments import Attachment


class TextPart(BaseModel):
    """A subject or a part of a body; ASCII if it has no charset."""

    Data: str
    Charset: str | None = None

    @property
    def is_readable(self) -> bool:
        """Whether SES can encode it."""
        return self.Charset is not None or self.Data.isascii()


class Parts(BaseModel):
    """The text part, the HTML part, or both."""

    Text: TextPart | None = None
    Html: TextPart | None = None


class Header(BaseModel):
    """A header set by the sender."""

    Name: Annotated[str, Field(min_length=1, max_length=126, pattern=r"^[!-9;-@A-~]+$")]
    Value: Annotated[str, Field(min_length=1, max_length=995, pattern=r"^[ -~]*$")]


class SimpleMail(BaseModel):
    """An e-mail that SES builds from its parts."""

    Subject: TextPart
    Body: Parts
    Headers: Annotated[list[Header], Field(max_length=15)] = Field(default_factory=list)
    Attachments: list[Attachment] | None = None


class MailContent(BaseModel):
    """Raw and templated e-mails are not simulated."""

    model_config = ConfigDict(extra="forbid")

    Simple: SimpleMail


class Recipients(BaseModel):
    """The recipients."""

    ToAddresses: list[str] = Field(default_factory=list)
    CcAddresses: list[str] = Field(default_factory=list)
    BccAddresses: list[str] = Field(default_factory=list)

    @property
    def all_addresses(self) -> list[str]:
        """All recipients."""
        return [*self.ToAddresses, *self.CcAddresses, *self.BccAddresses]


class Tag(BaseModel):
    """A tag, which SES includes in its events."""

    Name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,256}$")]
    Value: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,256}$")]


class SendRequest(BaseModel):
    """Input of SendEmail."""

    FromEmailAddress: str
    Destination: Recipients
    ReplyToAddresses: list[str] = Field(default_factory=list)
    Content: MailContent
    EmailTags: list[Tag] = Field(default_factory=list)
    TenantName: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None
    ConfigurationSetName: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None
