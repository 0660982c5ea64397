"""Response models of segments."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from shared.api.models import views

_IN_CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class SegmentView(views.View):
    """A segment of contacts. `createdBy` is the principal that made it."""

    model_config = _IN_CAMEL

    segment_id: str
    name: str
    conditions: dict[str, Any]
    created_at: str
    created_by: str


class SegmentsView(views.View):
    """The segments of the company, oldest first."""

    segments: list[SegmentView]


class RemovedSegment(views.View):
    """A segment that is none any more."""

    model_config = _IN_CAMEL

    segment_id: str


class SegmentCount(views.View):
    """
    The people who fit among the contacts that were compared so far. `exact`: all contacts of the company were; else the
    cursor continues the count.
    """

    people: int
    compared: int
    exact: bool
