"""Base of the response models."""

from dataclasses import dataclass
from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, slots=True)
class Text:
    """A response that is no JSON."""

    media_type: str
    body: str


class View(BaseModel):
    """Part of a response. *omits_none* of the outermost model: whether fields that are None are absent or null."""

    model_config = ConfigDict(defer_build=True, hide_input_in_errors=True)
    omits_none: ClassVar[bool] = True

    def as_stored(self) -> Self:
        """Return what a repeat under the same Idempotency-Key gets; without what is shown only once."""
        return self

    def as_text(self) -> Text | None:
        """Return the whole response if the call asks for another format than JSON."""
        return None
