"""Input models of segments."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field

from console.contacts.changes.inputs import Name  # noqa: TC001 - field of a model
from console.contacts.segments.views import SegmentView
from shared.api.models.inputs import Change, Input

# A tree of {"all": [...]}, {"any": [...]}, {"not": {...}} and {"field", "operator", "value"}.
type Conditions = Annotated[dict[str, Any], Field(max_length=3)]
type Cursor = Annotated[str, Field(max_length=2_000)]


class SegmentInput(Input):
    """
    A segment: a name that no other segment of the company has, and conditions that its people fit.

    Conditions are `{"all": [...]}`, `{"any": [...]}`, `{"not": {...}}`, or a comparison `{"field": "language",
    "operator": "is", "value": "de"}`; at most 50 comparisons on 5 levels. Fields and their operators:

    - `name`, `givenNames`, `organisation`, `language`, `zone`: `is`, `in`, `contains`, `startsWith`, `exists`
    - `label`, `owner`: `is`, `in`, `exists`; `list` (the id of a list): `is`, `in`
    - `channel`; `consent.whatsapp`, `consent.sms`, `consent.email` (`opted_in`, `opted_out`, `none`): `is`, `in`
    - `lastContact`, `created`: `withinDays`, `olderThanDays`, `exists`
    - `attributes.{name}` by its kind: numbers and dates also `atLeast` and `atMost`
    """

    name: Name
    conditions: Conditions = Field(repr=False)


class ChangeSegmentInput(Change):
    """Another name or other conditions of a segment; what is absent stays."""

    view: ClassVar[type[BaseModel] | None] = SegmentView

    name: Name | None = None
    conditions: Conditions | None = Field(default=None, repr=False)


class CountConditionsInput(Input):
    """Conditions whose people are counted, as of a segment. `cursor`: of the count so far, with the same conditions."""

    conditions: Conditions = Field(repr=False)
    cursor: Cursor | None = None


class CountQuery(Input):
    """The cursor of the count so far."""

    cursor: Cursor | None = None
