"""Input and response models of templates."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from newsletters.api.inputs import Version, is_line, is_text
from newsletters.issues.api.inputs import Name
from shared.api.models.inputs import Change, Input
from shared.api.models.views import View

_COLOUR = re.compile(r"#[0-9a-f]{6}")


def _colour(text: str) -> str:
    if not _COLOUR.fullmatch(text.lower()):
        raise PydanticCustomError("colour", "must be a colour as #0b6350")
    return text.lower()


def _as_accent(colour: str) -> str:
    """Return a colour that can be read on the backgrounds of text."""
    # The writers of exports: other calls need none of them.
    from newsletters.exports.writers.palette import LIGHT  # noqa: PLC0415 - as above

    return _readable(colour, LIGHT.surface, LIGHT.shade)


def _as_page(colour: str) -> str:
    """Return a colour on which the footer can be read."""
    from newsletters.exports.writers.palette import LIGHT  # noqa: PLC0415 - as above

    return _readable(colour, LIGHT.muted)


def _readable(colour: str, *others: str) -> str:
    from newsletters.exports.writers import look  # noqa: PLC0415 - as above

    for other in others:
        if (found := look.contrast(colour, other)) < look.LEAST_CONTRAST:
            problem = (
                f"needs a contrast of {look.LEAST_CONTRAST}:1 to {other}, and has {found:.1f}:1"
            )
            raise PydanticCustomError("contrast", "{problem}", {"problem": problem})
    return colour


def _https(url: str) -> str:
    from newsletters.exports.links import safe_url  # noqa: PLC0415 - as above

    if not url.startswith("https://") or not safe_url(url) or set("{}") & set(url):
        raise PydanticCustomError(
            "https", "must be an address of a picture that begins with https://"
        )
    return url


def _plain(text: str) -> str:
    if "{{" in text:
        raise PydanticCustomError("plain", "must not have placeholders")
    return text


def _short_markdown(text: str) -> str:
    from newsletters.exports.writers import look  # noqa: PLC0415 - as above

    if look.unsupported(text):
        raise PydanticCustomError("markdown", "may have paragraphs, lists and rules only")
    return text


type Colour = Annotated[str, Field(max_length=20), AfterValidator(_colour)]
type ShortMarkdown = Annotated[
    str, Field(max_length=1_000), AfterValidator(is_text), AfterValidator(_short_markdown)
]
type LogoUrl = Annotated[str, Field(max_length=500), AfterValidator(_https)]
type LogoText = Annotated[
    str, Field(min_length=1, max_length=100), AfterValidator(is_line), AfterValidator(_plain)
]
type Layout = Literal["plain", "standard", "digest"]
type FontStack = Literal["sans", "serif"]


class ColoursView(View):
    """Colours as #rrggbb."""

    accent: str
    page: str


class TemplateView(View):
    """
    The look of issues. `layout`: `plain` has no frame, `digest` begins with the titles of the sections. `header_md` and
    `footer_md`: Markdown above and below the text. A footer with the postal address and the links to leave is always
    there.
    """

    template_id: str
    name: str
    layout: Layout
    colours: ColoursView
    font_stack: FontStack
    logo_url: str | None
    logo_alt: str | None
    header_md: str
    footer_md: str
    updated_at: str
    updated_by: str
    version: int


class Templates(View):
    """The templates of a company."""

    templates: list[TemplateView]


class RemovedTemplate(View):
    """The id of a removed template."""

    template_id: str


class ColoursInput(Input):
    """
    Colours as #rrggbb: of links, and of the page around the text. Text on them has a contrast of at least 4.5:1; for
    dark screens the accent is lightened.
    """

    accent: Annotated[Colour, AfterValidator(_as_accent)]
    page: Annotated[Colour, AfterValidator(_as_page)]

    @field_validator("page")
    @classmethod
    def _shows_links(cls, page: str, found: ValidationInfo) -> str:
        """Return a page on which the links of the footer can be read."""
        accent = found.data.get("accent")
        return _readable(page, accent) if accent else page


class TemplateChange(Change):
    """
    A template's values; absent ones stay, of a new one the standard look. `version` as read, 0 for a new one. With a
    logo `logo_alt` says what it shows.
    """

    view = TemplateView

    version: Version
    name: Name | None = None
    layout: Layout | None = None
    colours: ColoursInput | None = None
    font_stack: FontStack | None = None
    logo_url: LogoUrl | None = None
    logo_alt: LogoText | None = None
    header_md: ShortMarkdown | None = None
    footer_md: ShortMarkdown | None = None


class TemplateInput(Input):
    """A new template; absent values are those of the standard look. With a logo `logo_alt` says what it shows."""

    name: Name
    layout: Layout = "standard"
    colours: ColoursInput
    font_stack: FontStack = "sans"
    logo_url: LogoUrl | None = None
    logo_alt: LogoText | None = None
    header_md: ShortMarkdown = ""
    footer_md: ShortMarkdown = ""
