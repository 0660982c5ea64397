"""The state of a message's files."""

from __future__ import annotations

import pytest

from conversations.inbound.files.attachments import is_pending, state_of

URL = {"url": "https://files.example/1"}
STORED, REFUSED, FAILED = URL | {"key": "k"}, URL | {"refused": "TooLarge"}, URL | {"failed": "x"}
AWAITED = {"provider_id": "77"}


@pytest.mark.parametrize(
    ("files", "state"),
    [
        ([], None),
        ([STORED, REFUSED], "stored"),
        ([STORED, URL, FAILED], "pending"),
        ([STORED, FAILED, AWAITED], "failed"),
        ([STORED, AWAITED], "awaited"),
        ([AWAITED | {"key": "k"}], "stored"),
    ],
)
def test_a_message_is_stored_once_none_of_its_files_is_pending_awaited_or_failed(
    files: list[dict[str, str]], state: str | None
) -> None:
    assert state_of(files) == state


@pytest.mark.parametrize("file", [STORED, REFUSED, FAILED, AWAITED])
def test_only_a_file_with_an_address_and_without_an_outcome_is_downloaded(
    file: dict[str, str],
) -> None:
    assert is_pending(URL)
    assert not is_pending(file)
