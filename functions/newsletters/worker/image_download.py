"""Downloads the images of a draft from the origins that the operator allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aws_lambda_powertools.metrics import MetricUnit

from newsletters.exports.tree import image_urls
from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Collection

MOST_IMAGES: Final = 20
MOST_BYTES: Final = 5 << 20
WITHIN_MS: Final = 5 * clock.SECOND_MS  # each
# All: slow hosts must leave time to render the file, or each attempt ends with the function's timeout.
ALL_WITHIN_MS: Final = 20 * clock.SECOND_MS
_OK: Final = 200


def downloaded(content: str, origins: Collection[str]) -> dict[str, bytes]:
    """
    Return the images of a Markdown text by URL. One that cannot be fetched in time is left out: the export shows its
    alternative text and a link instead.
    """
    found: dict[str, bytes] = {}
    until = clock.now_ms() + ALL_WITHIN_MS
    for url in image_urls(content)[:MOST_IMAGES]:
        body = _image(url, origins) if clock.now_ms() < until else None
        if body is None:
            metrics.add_metric("ImageLeftOut", MetricUnit.Count, 1)
        else:
            found[url] = body
    return found


def _image(url: str, origins: Collection[str]) -> bytes | None:
    try:
        with http.download(url, headers={}, origins=origins) as answer:
            if answer.status != _OK:
                return None
            return b"".join(http.pieces(answer, most_bytes=MOST_BYTES, within_ms=WITHIN_MS))
    except (http.OriginRefused, http.TooLarge, InDoubt, NotSent):
        return None
