"""Input models of imports of contacts."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, Field, model_validator
from pydantic_core import PydanticCustomError

from console.contacts.imports.files import MOST_COLUMNS
from shared.api.models.inputs import Input
from shared.runtime import clock
from shared.runtime.validation import patterns

LONGEST_SOURCE: Final = 300
MOST_AHEAD_MS: Final = 60 * clock.SECOND_MS  # of a clock of a browser

type ColumnField = Annotated[
    str,
    Field(
        max_length=60,
        pattern=patterns.worded(
            r"^([a-z_]{1,20}|attribute:[a-z][a-z0-9_]{0,39})$",
            "must be a field such as attribute:tier",
        ),
    ),
]


class ColumnsInput(Input):
    """
    The field of each column, in their order; null for one that is not imported. `region` (ISO 3166) is where national
    phone numbers are dialled. With `fills` details that a contact has stay, and only absent ones are added.
    """

    columns: Annotated[list[ColumnField | None], Field(max_length=MOST_COLUMNS)] | None = None
    region: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = None
    fills: bool = False


class AttestedInput(Input):
    """
    Attests what all people of the file have said of messages on these channels, or what is known of their addresses:
    in which words or where (`source`), and by when at the latest (`given_at`). `opted_in` never ends an opt-out.
    `opted_out` and `unreachable` are those who have left, and whose addresses have bounced, in an earlier tool.
    """

    state: Literal["opted_in", "opted_out", "unreachable"] = "opted_in"
    channels: Annotated[
        list[Literal["whatsapp", "sms", "email"]], Field(min_length=1, max_length=3)
    ]
    source: Annotated[
        str, Field(min_length=1, max_length=LONGEST_SOURCE, pattern=patterns.NOT_BLANK, repr=False)
    ]
    given_at: AwareDatetime

    @model_validator(mode="after")
    def _is_past(self) -> Self:
        latest = clock.now_ms() + MOST_AHEAD_MS
        if self.given_at.timestamp() * clock.SECOND_MS > latest:
            raise PydanticCustomError("given_at", "must not be in the future")
        return self

    @property
    def moment(self) -> str:
        """The time of the people's consent, as it is stored."""
        return clock.to_text(int(self.given_at.timestamp() * clock.SECOND_MS))


class StartInput(ColumnsInput):
    """The import of all rows, into a list (`list_id`) if one is named, with attested consent or without."""

    columns: Annotated[list[ColumnField | None], Field(max_length=MOST_COLUMNS)]
    list_id: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9]+$")] | None = (
        None
    )
    consent: AttestedInput | None = None


class RowsQuery(Input):
    """The rows to list: of one outcome, or all."""

    outcome: Literal["created", "updated", "unchanged", "refused"] | None = None
    cursor: str | None = None


class ImportsQuery(Input):
    """A page of the company's imports."""

    limit: int = Field(default=20, ge=1, le=50)
    cursor: str | None = None
