"""Newsletters as a part of one request about a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from newsletters.privacy.requests import ADDRESS, USER
from newsletters.store.items import PrivacyJob
from shared.privacy.parts import JobsPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.privacy.parts import Named


class NewsletterPart(JobsPart[PrivacyJob]):
    """A job of the worker for each address, whose bylines it removes, and for each user of the company."""

    context: ClassVar[str] = "newsletters"

    def of_names(self, _company: str, names: Sequence[Named], /) -> list[str]:
        """Return addresses and users."""
        return [f"{one.kind} {one.value}" for one in names if one.kind in {ADDRESS, USER}]
