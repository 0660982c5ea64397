"""Input models of exports of contacts."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from console.store.contacts.exports import ExportFormat  # noqa: TC001 - field of a model
from shared.api.models.inputs import Input
from shared.runtime.validation import patterns


class ExportInput(Input):
    """The contacts to export: all, the members of a list, or the ones with label, owner and an attribute's value."""

    format: ExportFormat = "csv"
    list_id: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9]+$")] | None = (
        None
    )
    label: Annotated[str, Field(min_length=1, max_length=50)] | None = None
    owner: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    attribute: Annotated[str, Field(max_length=600, pattern=patterns.ATTRIBUTE)] | None = None

    @model_validator(mode="after")
    def _names_one_source(self) -> Self:
        has_filters = any((self.label, self.owner, self.attribute))
        if self.list_id is not None and has_filters:
            raise PydanticCustomError("export", "must have either a list or filters")
        return self
