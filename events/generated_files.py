"""Compares generated files with their generator, and writes missing and different ones."""

from collections.abc import Mapping
from pathlib import Path


def outdated(expected: Mapping[Path, str]) -> list[Path]:
    """Return the files that are missing, differ, or are unexpected samples (`*.json`) in their folders, sorted."""
    different = {path for path, text in expected.items() if _text_of(path) != text}
    folders = {path.parent for path in expected}
    unexpected = {path for folder in folders for path in folder.glob("*.json")} - expected.keys()
    return sorted(different | unexpected)


def write(expected: Mapping[Path, str]) -> list[Path]:
    """Update all files; return the outdated ones."""
    stale = outdated(expected)
    for path in stale:
        if path in expected:
            path.write_text(expected[path], encoding="utf-8")
        else:
            path.unlink()
    return stale


def _text_of(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None
