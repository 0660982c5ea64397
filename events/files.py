"""Compares generated files with their generator, and writes those that are missing, differ or are unexpected."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path


def outdated(expected: Mapping[Path, str], folder: Path) -> list[Path]:
    """Return the files that are missing, differ, or are unexpected samples (`*.json`) in *folder*, sorted."""
    different = {path for path, text in expected.items() if _text_of(path) != text}
    unexpected = set(folder.glob("*.json")) - expected.keys()
    return sorted(different | unexpected)


def write(expected: Mapping[Path, str], folder: Path) -> list[Path]:
    """Update all files; return those that were outdated."""
    stale = outdated(expected, folder)
    for path in stale:
        if path in expected:
            path.write_text(expected[path], encoding="utf-8")
        else:
            path.unlink()
    return stale


def run(
    program: str,
    description: str | None,
    *,
    check: Callable[[], list[Path]],
    repair: Callable[[], list[Path]],
) -> int:
    """Run a command that updates outdated files; with `--check` it only lists them, and fails if there are any."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--check", action="store_true", help="only list the outdated files")
    only_checks = parser.parse_args().check
    stale = check() if only_checks else repair()
    for path in stale:
        sys.stdout.write(f"{'outdated' if only_checks else 'written'}: {path.name}\n")
    return 1 if only_checks and stale else 0


def _text_of(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None
