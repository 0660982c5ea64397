"""Input models of versions, for the API of each context."""

from typing import Annotated, Final

from pydantic import Field, Strict

from shared.ai.versions.stored import DIGITS
from shared.api.errors import InvalidInput
from shared.api.models.inputs import Input

LONGEST_NOTE: Final = 500

type Number = Annotated[int, Strict(), Field(ge=1)]
type Note = Annotated[str, Field(max_length=LONGEST_NOTE)]


class VersionsQuery(Input):
    """Position in the list of versions."""

    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None


class VersionQuery(Input):
    """*against*: the version to compare with, by default the one that the version was based on."""

    against: int | None = Field(default=None, ge=1)


class GoLiveInput(Input):
    """*instead_of*: the version that the caller takes to be live; if another one is, nothing changes."""

    instead_of: Number | None = None


def number_of(text: str) -> int:
    """Return the number of a version in a path. Raises InvalidInput."""
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= DIGITS):
        raise InvalidInput([{"field": "number", "problem": "must be the number of a version"}])
    return int(text)
