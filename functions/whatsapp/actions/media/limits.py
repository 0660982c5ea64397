"""Finds the category of a media file, and the limits that it breaks. Pure."""

from __future__ import annotations

from typing import Any, Literal

from whatsapp.sending.views import View
from whatsapp.worker.media.types import (
    LARGEST_STILL_STICKER_BYTES,
    LIMITS,
    is_animated,
    plain,
    refusal_of,
)

type Category = Literal["image", "video", "audio", "document", "sticker"]

CATEGORIES: tuple[Category, ...] = ("image", "video", "audio", "document", "sticker")
_LISTED = frozenset({"image", "video", "audio"})  # Other types of these are refused.


class Format(View):
    """
    A category of files. *other_types*: files of other types are accepted too.

    *largest_still_bytes*: of a sticker that is not animated.
    """

    category: Category
    mime_types: list[str]
    other_types: bool
    largest_bytes: int
    largest_still_bytes: int | None = None


def format_of(category: Category) -> Format:
    """Return the types and the size limit of a category."""
    is_sticker = category == "sticker"
    return Format(
        category=category,
        mime_types=sorted(LIMITS[category].extensions),
        other_types=category == "document",
        largest_bytes=LIMITS[category].largest_bytes,
        largest_still_bytes=LARGEST_STILL_STICKER_BYTES if is_sticker else None,
    )


def supported_types() -> dict[str, Any]:
    """Return all categories as they are stored."""
    return {
        category: format_of(category).model_dump(by_alias=True, exclude_none=True)
        for category in CATEGORIES
    }


def category_of(mime_type: str) -> Category:
    """Return the category of a type: from the table, else the first part of the type, else document."""
    named = plain(mime_type)
    listed = (each for each in CATEGORIES if each != "document")
    found = next((each for each in listed if named in LIMITS[each].extensions), None)
    if found is not None:
        return found
    main = named.partition("/")[0]
    return next((each for each in CATEGORIES if each == main and each in _LISTED), "document")


def problems_of(mime_type: str, size: int, first_bytes: bytes | None = None) -> list[str]:
    """
    Return the reasons for which the provider would refuse a file; *first_bytes* is None if only its description is
    known.
    """
    category, named = category_of(mime_type), plain(mime_type)
    found = []
    if category in _LISTED and named not in LIMITS[category].extensions:
        allowed = ", ".join(sorted(LIMITS[category].extensions))
        found.append(f"the type of a file of the category {category} must be one of {allowed}")
    elif first_bytes is not None and (refusal := refusal_of(category, named, first_bytes)):
        found.append(refusal)
    if size == 0:
        found.append("the file must not be empty")
    largest = largest_bytes(category, first_bytes)
    if size > largest:
        found.append(f"a file of the category {category} has at most {largest} bytes")
    return found


def largest_bytes(category: Category, first_bytes: bytes | None) -> int:
    """Return the size limit of a file. A sticker whose bytes are unknown may be animated."""
    if category == "sticker" and first_bytes is not None and not is_animated(first_bytes):
        return LARGEST_STILL_STICKER_BYTES
    return LIMITS[category].largest_bytes
