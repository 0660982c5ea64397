"""
The forms of one business account at its provider: AWS End User Messaging Social, or Meta's Graph API.

Both have the same operations with other names; `FormsAtProvider` is their common interface. Methods with `attempt` in
their name make one attempt (`remote.once`); all others are repeated while the answer is lost.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pydantic import Field

from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.provider_objects import FormError, HealthStatus
from whatsapp.sending.failures import ProviderRejected
from whatsapp.sending.views import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


DRAFT, PUBLISHED, DEPRECATED = "DRAFT", "PUBLISHED", "DEPRECATED"
_MOST_ERRORS, _LONGEST_ERROR = 30, 1_000


class Preview(View):
    """A page that shows the form to anyone with its *url*; *expires_at* in the provider's format."""

    url: str
    expires_at: str | None = None


class Form(View):
    """
    A form. *status*: DRAFT, PUBLISHED, DEPRECATED, BLOCKED or THROTTLED. *validation_errors* and *health* are the
    provider's own objects or texts.
    """

    flow_id: str
    name: str | None = None
    status: str | None = None
    categories: list[str] = Field(default_factory=list)
    validation_errors: list[FormError | str] = Field(default_factory=list)
    json_version: str | None = None
    data_api_version: str | None = None
    endpoint_uri: str | None = None
    preview: Preview | None = None
    health: HealthStatus | None = None


class Asset(View):
    """A file of a form; *download_url* is valid for a short time."""

    name: str
    asset_type: str
    download_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The attributes of a new or changed form; None: not given."""

    name: str | None = None
    categories: Sequence[str] | None = None
    document: bytes | None = None
    publish: bool = False
    clone_of: str | None = None
    endpoint: str | None = None


class FormsAtProvider(Protocol):
    """The operations on the forms of an account. Raise ProviderRejected, ProviderUnavailable and TooFast."""

    def attempt_create(self, definition: Definition) -> str | None:
        """Create a form and return its id. One attempt: raises Refused, NotSent or InDoubt."""
        ...

    def get(self, flow: str) -> Form:
        """Return a form. Raises NotFound for one of another account."""
        ...

    def page(self, limit: int, after: str | None) -> tuple[list[Form], str | None]:
        """Return a page of the account's forms, and the cursor of the next page."""
        ...

    def update(self, flow: str, definition: Definition) -> None:
        """Change name, categories or endpoint."""
        ...

    def update_document(self, flow: str, document: bytes) -> list[FormError | str]:
        """Replace the form's JSON; returns the provider's validation errors."""
        ...

    def publish(self, flow: str) -> None:
        """Publish a draft."""
        ...

    def deprecate(self, flow: str) -> None:
        """Deprecate a published form."""
        ...

    def delete(self, flow: str) -> None:
        """Delete a draft."""
        ...

    def assets(self, flow: str) -> list[Asset]:
        """Return the files of a form: the first 100."""
        ...

    def preview(self, flow: str, *, invalidate: bool) -> Preview:
        """Return the preview; *invalidate* makes a new one."""
        ...


def draft_of(forms: FormsAtProvider, flow: str) -> Form:
    """Return a form that can be changed. Raises StateConflict."""
    found = forms.get(flow)
    if found.status != DRAFT:
        raise StateConflict(f"flowId: the form is {found.status}; only a DRAFT can be changed")
    return found


def moved(forms: FormsAtProvider, flow: str, change: Callable[[str], None], wanted: str) -> Form:
    """
    Move a form to the status *wanted* and return it.

    A repeated attempt whose first answer was lost is refused by the provider, although the form has that status.
    """
    try:
        change(flow)
    except ProviderRejected:
        found = forms.get(flow)
        if found.status != wanted:
            raise
        return found
    return forms.get(flow)


def shown_errors(found: object) -> list[FormError | str]:
    """Return the first errors of the provider, bounded: a stored answer of a call must be small."""
    errors = found if isinstance(found, list) else []
    return [
        one[:_LONGEST_ERROR] if isinstance(one, str) else FormError.model_validate(one)
        for one in errors[:_MOST_ERRORS]
        if isinstance(one, str)
        or (isinstance(one, dict) and len(json.dumps(one)) <= _LONGEST_ERROR)
    ]
