"""The input of the schema `email_analysis_v1`: fields to find, what is known, and the mails of a thread."""

from typing import Any, Literal

from pydantic import BaseModel, Field

type Kind = Literal["string", "number", "boolean", "list"]


class FieldInput(BaseModel):
    """A field to find; *enum* are its only values."""

    description: str = ""
    type: Kind = "string"
    enum: list[Any] | None = None


class MailInput(BaseModel):
    """One mail, oldest first; *n* identifies it."""

    n: int
    sender: Literal["customer", "company"] = Field(alias="from")
    subject: str
    text: str
    attachments: list[str] = Field(default_factory=list)


class AnalysisInput(BaseModel):
    """The last message of the user."""

    fields: dict[str, FieldInput]
    required: list[str] = Field(default_factory=list)
    known: dict[str, Any] = Field(default_factory=dict)
    asked: list[str] = Field(default_factory=list)
    facts: list[str] = Field(default_factory=list)
    mails: list[MailInput]

    @property
    def of_customer(self) -> list[MailInput]:
        """The mails of the customer, oldest first."""
        return [mail for mail in self.mails if mail.sender == "customer"]
