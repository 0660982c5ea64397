"""
Opt-ins that the file of an import attests: weaker than what the person says, and counted by file.

    a person's opt-out or opt-in     replaces an attested opt-in, also of a later time: an import has the time of its
                                     start, if the file does not say when people have agreed
    another import                   is noted beside the first one, so that each can be taken back by itself
"""

from __future__ import annotations

import re
from typing import Final

from pydantic import BaseModel, ConfigDict

EVIDENCE: Final = "import {import_id}: {source}"  # of what a file attests
MOST: Final = 10  # imports that are noted beside the first one
_OF_A_FILE: Final = re.compile(r"import [0-9a-f]{32}: ")  # people may begin their evidence alike


class Attested(BaseModel):
    """What an import attests of an opt-in that another one has attested before; fields as of a consent record."""

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)

    at: str
    evidence: str
    recorded_by: str | None = None
    principal: str | None = None


def is_of_a_file(evidence: str) -> bool:
    """Whether the evidence of a record names an import."""
    return _OF_A_FILE.match(evidence) is not None
