"""Shows the types and sizes of files that WhatsApp accepts, and checks files."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.runtime import clock
from shared.runtime.validation import patterns
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, NoInput, S3Key, Whole
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.media import company_files, limits
from whatsapp.actions.media.limits import CATEGORIES, Category, Format
from whatsapp.sending.views import View
from whatsapp.store.accounts import media_types
from whatsapp.store.items.accounts.accounts import MediaTypesConfig

EUM = Group("eum_media")
UTILITY = Group("config_utility")
LEGACY = Group("legacy")


class MediaTypes(View):
    """The accepted types by category, and the time at which they were stored."""

    supported_types: dict[str, Format]
    updated_at: str


class Formats(View):
    """Types and size limits."""

    formats: list[Format]


class FormatsOf(Input):
    """One category, or all."""

    category: Annotated[
        Category | None, Field(description="only the types of this kind of file")
    ] = None


class Description(Input):
    """A stored file, or the type and size of one."""

    s3_key: S3Key | None = None
    mime_type: Annotated[
        str,
        Field(
            min_length=3,
            max_length=255,
            pattern=patterns.worded(r"^[^/\s]+/\S.*$", "must be a media type such as image/png"),
        ),
    ] | (None) = None
    file_size_bytes: Annotated[Whole, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _describes_a_file(self) -> Self:
        described = [value for value in (self.mime_type, self.file_size_bytes) if value is not None]
        expected = 0 if self.s3_key is not None else len(("mimeType", "fileSizeBytes"))
        if len(described) != expected:
            raise PydanticCustomError("file", "must have s3Key, or mimeType and fileSizeBytes")
        return self


class Checked(View):
    """Whether the provider accepts a file, and the reasons if not."""

    valid: bool
    problems: list[str]
    category: Category
    mime_type: str
    file_size_bytes: int
    largest_bytes: int


@UTILITY.reads("local", Scope.WHATSAPP_READ)
def get_media_types(call: Call[NoInput]) -> MediaTypes:
    """Return the accepted file types by category. The stored copy is written when it is missing or out of date."""
    return _refreshed(call)


@LEGACY.changes("local", Scope.WHATSAPP_ADMIN)
def refresh_media_types(call: Call[NoInput]) -> MediaTypes:
    """Write the accepted file types of this version, unless they are stored already."""
    return _refreshed(call)


@UTILITY.reads("local", Scope.WHATSAPP_READ)
def get_supported_formats(call: Call[FormatsOf]) -> Formats:
    """Return the MIME types and the size limits (bytes) of one category of files, or of all."""
    return _formats(call)


@EUM.reads("local", Scope.WHATSAPP_MEDIA)
def eum_get_supported_formats(call: Call[FormatsOf]) -> Formats:
    """Return the same as `get_supported_formats`."""
    return _formats(call)


@EUM.reads("local", Scope.WHATSAPP_MEDIA)
def eum_validate_media(call: Call[Description]) -> Checked:
    """Check a file's type and size (bytes): of a stored file by its first bytes, otherwise as described."""
    return _checked(call)


@LEGACY.reads("local", Scope.WHATSAPP_MEDIA)
def validate_media(call: Call[Description]) -> Checked:
    """Check a file as `eum_validate_media` does."""
    return _checked(call)


def _refreshed(call: Call[NoInput]) -> MediaTypes:
    """Return the types of this version, stored if they are not yet."""
    stored, supported = media_types.get(call.table), limits.supported_types()
    if stored is None or stored.supported_types != supported:
        stored = MediaTypesConfig(
            pk=MediaTypesConfig.pk_pattern,
            supported_types=supported,
            updated_at=clock.to_text(clock.now_ms()),
        )
        media_types.replace(call.table, stored)
    return MediaTypes(
        supported_types={each: limits.format_of(each) for each in CATEGORIES},
        updated_at=str(stored.updated_at),
    )


def _formats(call: Call[FormatsOf]) -> Formats:
    asked = call.input.category
    return Formats(formats=[limits.format_of(c) for c in CATEGORIES if asked in {None, c}])


def _checked(call: Call[Description]) -> Checked:
    if call.input.s3_key is not None:
        file = company_files.file_of(call, call.input.s3_key)
        mime_type, size, first_bytes = file.mime_type, file.size, file.first_bytes
        problems = limits.problems_of(mime_type, size, first_bytes)
    else:
        mime_type, size, first_bytes = (
            str(call.input.mime_type),
            call.input.file_size_bytes or 0,
            b"",
        )
        problems = limits.problems_of(mime_type, size)
    category = limits.category_of(mime_type)
    return Checked(
        valid=not problems,
        problems=problems,
        category=category,
        mime_type=mime_type,
        file_size_bytes=size,
        largest_bytes=limits.largest_bytes(category, first_bytes or None),
    )
