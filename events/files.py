"""Generated files and their generator held together: what is missing, differs or is left over, and how to repair it."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path


def outdated(wanted: Mapping[Path, str], folder: Path) -> list[Path]:
    """Files that are missing, differ, or are samples (`*.json`) in *folder* that nobody makes, by name."""
    differing = {path for path, text in wanted.items() if _text_of(path) != text}
    left_over = set(folder.glob("*.json")) - wanted.keys()
    return sorted(differing | left_over)


def write(wanted: Mapping[Path, str], folder: Path) -> list[Path]:
    """Bring all files up to date; the ones that were not."""
    stale = outdated(wanted, folder)
    for path in stale:
        if path in wanted:
            path.write_text(wanted[path], encoding="utf-8")
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
    """A command that writes what is outdated; with `--check` it only names it, and fails when there is any."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--check", action="store_true", help="change nothing, say what is outdated")
    only_checks = parser.parse_args().check
    stale = check() if only_checks else repair()
    for path in stale:
        sys.stdout.write(f"{'outdated' if only_checks else 'written'}: {path.name}\n")
    return 1 if only_checks and stale else 0


def _text_of(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None
