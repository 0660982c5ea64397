"""What the settings say of mailbox providers: the pace of issues to each, and the domains of others that it hosts."""

from typing import Annotated, Final

from pydantic import AfterValidator, ConfigDict, Field, Strict
from pydantic_core import PydanticCustomError

from newsletters.store.items import MailboxPace, MailboxPaces, MailboxProvider
from shared.identity.addresses import EmailInvalid, email_address

MOST_PER_HOUR: Final = 36_000  # the most of a company: ten a second
MOST_HOSTED: Final = 100


def _is_domain(text: str) -> str:
    """Return a domain as addresses have it. Raises PydanticCustomError for other texts."""
    try:
        return email_address(f"a@{text}").partition("@")[2]
    except EmailInvalid:
        raise PydanticCustomError("domain", "must be a domain, such as example.com") from None


class MailboxPaceInput(MailboxPace):
    """The pace of a mailbox provider. It is set as a whole. Unknown fields are errors here."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    per_hour: Annotated[int, Strict(), Field(ge=1, le=MOST_PER_HOUR)] | None = None
    domains: Annotated[
        list[Annotated[str, Field(max_length=255), AfterValidator(_is_domain)]],
        Field(max_length=MOST_HOSTED),
    ] = Field(default_factory=list)


def _is_plain(
    paces: dict[MailboxProvider, MailboxPaceInput],
) -> dict[MailboxProvider, MailboxPaceInput]:
    """Return paces that name each domain once. Raises PydanticCustomError."""
    named = [domain for one in paces.values() for domain in one.domains]
    if len(set(named)) < len(named):
        raise PydanticCustomError("repeated", "must name each domain once")
    if "other" in paces and paces["other"].domains:
        raise PydanticCustomError(
            "other", "other: must have no domains; it has all that are not named"
        )
    return paces


def stored(paces: dict[MailboxProvider, MailboxPaceInput]) -> MailboxPaces | None:
    """Return paces as they are stored, None for no pace."""
    return {name: MailboxPace(**one.model_dump()) for name, one in paces.items()} or None


type PacesInput = Annotated[dict[MailboxProvider, MailboxPaceInput], AfterValidator(_is_plain)]
