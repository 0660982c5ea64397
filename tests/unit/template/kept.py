"""
Results of SAM's translator and of cfn-lint, which take seconds each: those for the present template stay in
`.local/template-results`, for the next process and the next run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from functools import cache
from typing import TYPE_CHECKING

from local.stack.builds.build import digest_of
from local.stack.processes import LOCAL
from tests.template import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOLDER = LOCAL / "template-results"


def kept(asked: str, make: Callable[[], str], folder: Path = FOLDER) -> str:
    """Return the result of *make*, which only *asked*, the templates and the pinned requirements decide about."""
    file = folder / _sources() / hashlib.sha256(asked.encode()).hexdigest()
    if not file.is_file():
        _keep(file, make())
    return file.read_text()


@cache
def _sources() -> str:
    names = ("template.yaml", "stacks", "requirements/sam.txt", "tests/unit/template")
    return digest_of(ROOT / name for name in names)


def _keep(file: Path, text: str) -> None:
    """Other processes see the whole file, or none. Results for earlier templates are removed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for earlier in file.parent.parent.iterdir():
        if earlier != file.parent:
            shutil.rmtree(earlier, ignore_errors=True)
    part = file.with_suffix(f".{os.getpid()}")
    part.write_text(text)
    part.replace(file)
