"""Response models of versions, and the calls that read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BeforeValidator

from shared.ai.versions.differences import differences
from shared.ai.versions.stored import FIRST
from shared.api.cursors import Page
from shared.api.models.views import View
from shared.aws.tables.dynamodb_json import plain

if TYPE_CHECKING:
    from shared.ai.versions.inputs import VersionQuery, VersionsQuery
    from shared.ai.versions.stored import Version, Versions
    from shared.api.cursors import Listing
    from shared.api.opaque_ids import Seal

_BELOW: Final = "below"  # of a cursor

type JsonValue = Annotated[Any, BeforeValidator(plain)]
type Json = Annotated[dict[str, Any], BeforeValidator(plain)]


class VersionSummaryView(View):
    """A version in a list. `by`: the person, the API key or the operator who made it."""

    number: int
    at: str
    by: str
    note: str
    based_on: int | None
    is_live: bool


class VersionsView(View):
    """Page of versions, newest first."""

    versions: list[VersionSummaryView]


class DifferenceView(View):
    """A setting that differs, with its value in both versions; null where it is absent."""

    path: str
    before: JsonValue
    after: JsonValue


class VersionView(VersionSummaryView):
    """A version with its settings, and how they differ from the settings of `compared_with`, if there is one."""

    omits_none = False

    settings: Json
    compared_with: int | None
    differences: list[DifferenceView]


class WrittenVersionView(View):
    """The number of a version that was stored. It is not live."""

    number: int


class LiveView(View):
    """The version that is live now, and the one before."""

    live_version: int
    before: int | None


def listed(
    versions: Versions, live: int | None, query: VersionsQuery, listing: Listing, seal: Seal
) -> Page[VersionsView]:
    """Return a page of versions, newest first. Raises InvalidCursor."""
    if query.cursor is not None:
        below = int(listing.position(seal, query.cursor)[_BELOW])
    else:
        below = versions.newest(live or 0) + 1
    found = versions.below(below, query.limit)
    shown = VersionsView(versions=[VersionSummaryView(**_summary(one, live)) for one in found])
    last = found[-1].number if found else FIRST
    return Page(shown, listing.cursor(seal, {_BELOW: str(last)}) if last > FIRST else None)


def compared(versions: Versions, number: int, live: int | None, query: VersionQuery) -> VersionView:
    """Return a version and how it differs from another one. Raises NoVersion."""
    version = versions.get(number)
    other = version.based_on if query.against is None else query.against
    before = version.settings
    if other is not None:
        before = versions.get(other).settings if other >= FIRST else {}  # before the first one
    found = differences(before, version.settings)
    return VersionView(
        **_summary(version, live),
        settings=version.settings,
        compared_with=other,
        differences=[DifferenceView(path=path, before=a, after=b) for path, a, b in found],
    )


def _summary(version: Version, live: int | None) -> dict[str, Any]:
    return {
        "number": version.number,
        "at": version.at,
        "by": version.by,
        "note": version.note,
        "based_on": version.based_on,
        "is_live": live == version.number,
    }
