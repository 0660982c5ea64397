"""Pydantic type for time zone names (IANA) in configuration."""

from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator


def _known(name: str) -> str:
    try:
        ZoneInfo(name)
    except (
        LookupError,
        ValueError,
        OSError,
    ):  # OSError: a folder of zones such as Europe, or a long name
        raise ValueError("must be the name of a time zone") from None
    return name


ZoneName = Annotated[str, AfterValidator(_known)]
"""A field of a pydantic model that must be the name of a zone."""
