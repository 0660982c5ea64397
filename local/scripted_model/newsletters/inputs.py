"""The inputs of the schemas `newsletter_outline_v2` and `newsletter_section_v2`."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, Field

FRAME: Final = frozenset(
    {"introduction", "conclusion"}
)  # kinds of sections that report no passages


class NewsletterInput(BaseModel):
    """The newsletter. *language* is a tag such as `de-AT`."""

    title: str
    description: str = ""
    language: str = "en"


class PassageInput(BaseModel):
    """A source. *section* is the kind of its section; the input of a section has none."""

    label: str
    section: str = ""
    title: str = ""
    date: str = ""
    text: str


class PlannedInput(BaseModel):
    """A section of the plan: its kind, and the number of its items."""

    section: str
    name: str
    items: int


class OutlineInput(BaseModel):
    """The request for an outline. *keep* and *avoid* are titles."""

    newsletter: NewsletterInput
    plan: list[PlannedInput]
    passages: list[PassageInput]
    keep: list[str] = Field(default_factory=list)
    avoid: list[str] = Field(default_factory=list)


class ItemInput(BaseModel):
    """An item to be written. *refs* are labels of its passages."""

    title: str
    description: str = ""
    notes: str = ""
    refs: list[str] = Field(default_factory=list)


class SectionInput(BaseModel):
    """The section to be written. *words* is the target."""

    name: str
    kind: str
    words: int


class TextInput(BaseModel):
    """The request for the text of a section."""

    newsletter: NewsletterInput
    section: SectionInput
    items: list[ItemInput]
    passages: list[PassageInput]
