"""The images of a draft: slow hosts must leave time to render the file."""

from __future__ import annotations

from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from urllib3.response import HTTPResponse

from newsletters.worker.image_download import ALL_WITHIN_MS, MOST_IMAGES, WITHIN_MS, downloaded
from shared.providers import http
from shared.runtime import clock
from tests import template
from tests.simulation.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

ORIGIN = "https://images.example"


def test_images_that_a_slow_host_has_not_sent_in_time_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time, asked = Clock(), []

    @contextmanager
    def download(url: str, **_: Any) -> Iterator[HTTPResponse]:
        asked.append(url)
        time.ms += WITHIN_MS
        yield HTTPResponse(BytesIO(b"image"), preload_content=False, status=200)

    monkeypatch.setattr(http, "download", download)
    monkeypatch.setattr(clock, "now_ms", time.now_ms)
    content = "".join(f"![A field]({ORIGIN}/{number}.png)\n\n" for number in range(MOST_IMAGES))

    found = downloaded(content, [ORIGIN])

    assert list(found) == asked == [f"{ORIGIN}/{n}.png" for n in range(ALL_WITHIN_MS // WITHIN_MS)]


def test_the_time_for_images_leaves_a_third_of_the_functions_time() -> None:
    seconds = template.properties("NewslettersExports")["Timeout"]
    slowest = http.CONNECT_SECONDS + http.READ_SECONDS + WITHIN_MS / clock.SECOND_MS

    assert ALL_WITHIN_MS / clock.SECOND_MS + slowest <= seconds * 2 / 3
