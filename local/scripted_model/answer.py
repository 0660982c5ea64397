"""An answer of the scripted model in a schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """*value* is the answer. A model that refuses answers without it; the text of a cut answer ends in its middle."""

    value: dict[str, Any]
    is_cut: bool = False
    is_refused: bool = False

    @property
    def text(self) -> str:
        """The answer as JSON."""
        whole = json.dumps(self.value, ensure_ascii=False)
        return whole[: len(whole) // 2] if self.is_cut else whole
