"""Mail threads as a part of one request about a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from email_threads.store.items import PrivacyJob
from shared.privacy.parts import JobsPart, NameKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.privacy.parts import Named


class EmailPart(JobsPart[PrivacyJob]):
    """A job of the worker for each address, which is all that threads know of a person."""

    context: ClassVar[str] = "email_threads"

    def of_names(self, _company: str, names: Sequence[Named], /) -> list[str]:
        """Return the addresses."""
        return [one.value for one in names if one.kind is NameKind.EMAIL]
