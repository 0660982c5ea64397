"""An issue in a browser: as it was sealed, without a link and the names of a reader."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from newsletters.issues import content, personal_fields
from newsletters.issues.links import LinkInvalid
from newsletters.issues.personal_fields import NO_NAMES
from newsletters.store.items.issues import VARIANTS
from shared.api.routing.public_pages import HEADERS
from shared.aws.stored_objects import ObjectUnusable

if TYPE_CHECKING:
    from newsletters.store.bucket.objects import Store
    from newsletters.store.items import Issue

_OF_READER: Final = "|".join(re.escape(one) for one in (content.UNSUBSCRIBE, content.PREFERENCES))
_LINK: Final = re.compile(
    rf'(?:\s*&#183;\s*)?<a\b[^>]*href="(?:{_OF_READER})"[^>]*>.*?</a>', re.IGNORECASE | re.DOTALL
)
_WEB_VIEW: Final = re.compile(
    rf'(?:\s*&#183;\s*)?<a\b[^>]*href="{re.escape(content.WEB_VIEW)}"[^>]*>.*?</a>',
    re.IGNORECASE | re.DOTALL,
)
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; form-action 'none';"
    " frame-ancestors 'none'; base-uri 'none'"
)


def respond(store: Store, issue: Issue, named: str = "") -> dict[str, Any]:
    """Return the page: of the variant that a link has *named*, else of the one that has won. Raises LinkInvalid."""
    variant = next((one for one in VARIANTS if one == named), None)
    try:
        sealed = content.read_sealed(store, issue.issue_id, content.pointer_of(issue, variant))
    except ObjectUnusable:
        raise LinkInvalid from None
    shown = _WEB_VIEW.sub("", _LINK.sub("", sealed.html))
    for placeholder in content.PLACEHOLDERS:
        shown = shown.replace(placeholder, "")
    shown = personal_fields.filled(shown, NO_NAMES)
    headers = {**HEADERS, "Content-Security-Policy": _POLICY}
    return {"statusCode": int(HTTPStatus.OK), "headers": headers, "body": shown}
