"""Templates of mails: the look of a company's issues."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from newsletters.store.items.item import TableItem
from shared.aws.audited import audited

type Layout = Literal["plain", "standard", "digest"]
type FontStack = Literal["sans", "serif"]


class Colours(BaseModel):
    """Colours as #rrggbb: of links and other accents, and of the page around the text."""

    model_config = ConfigDict(hide_input_in_errors=True)

    accent: str
    page: str


@audited("name", "colours")
class MailTemplate(TableItem):
    """
    The look of issues. *layout*: `plain` has no frame, `digest` begins with the titles of the sections. *header_md* and
    *footer_md* are Markdown above and below the text; *logo_alt* is read aloud and shown while images are blocked.
    """

    partition: ClassVar[str] = "NLCOMPANY#{company_id}"
    sort: ClassVar[str] = "TEMPLATE#{template_id}"

    company_id: str
    template_id: str
    name: str = Field(repr=False)
    layout: Layout = "standard"
    colours: Colours
    font_stack: FontStack = "sans"
    logo_url: str | None = None
    logo_alt: str | None = None
    header_md: str = Field(default="", repr=False)
    footer_md: str = Field(default="", repr=False)
    updated_at: str
    updated_by: str
    version: int = 1
