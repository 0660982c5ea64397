"""Recordings of a release do not change, and contain no real person or secret."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cases import each
from tests.upgrade import recordings
from tests.upgrade.recordings import FOLDER, Released

FILES = sorted(FOLDER.rglob("*.json"))
# Ranges that regulators reserve for fiction (United Kingdom, North America), and the numbers of the samples.
FICTION = re.compile(r"\+447700900\d{3}|\+1\d{3}555\d{4}")


def test_a_released_version_is_not_recorded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "released_versions", lambda _: [recordings.current_version()])

    with pytest.raises(Released, match=r"set the next version in pyproject\.toml"):
        recordings.record(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_a_version_is_released_when_the_changelog_has_its_heading() -> None:
    changelog = "# Changelog\n\n## Unreleased\n\n## 0.2.0\n\n- x\n\n## 0.1.0 (2026-12-01)\n"

    assert recordings.released_versions(changelog) == ["0.2.0", "0.1.0"]
    assert recordings.released_versions("## Unreleased\n\nFirst version.\n") == []


@each("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_phone_numbers_in_recordings_are_reserved_for_fiction(file: Path) -> None:
    numbers = set(re.findall(r"\+\d{8,15}", file.read_text()))

    assert {number for number in numbers if not FICTION.fullmatch(number)} == set()
