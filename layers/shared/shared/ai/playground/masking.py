"""
Masks a real message before a model reads it in a try: the person's known names and addresses, and all that the rules
of `shared.runtime.redaction` find.

A known name is also found in part (`Anna` of `Anna Maria Berg`), in another letter case, and with a genitive `s`. A
name that neither is known nor stands in an introduction or signature stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from shared.runtime.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable

MASK: Final = "***"
_SHORTEST: Final = 2  # characters of a name
_SHORTEST_PART: Final = 3
# Scripts without spaces between words, and prefixes that Arabic and Hebrew write together with a name.
_UNSPACED: Final = "[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]"
_PREFIX: Final = "(?:[\u0648\u0641\u0628\u0644\u0643\u05d5\u05dc\u05d1\u05de\u05e9])?"


class Mask:
    """Masks texts of a person whose names and addresses are *known*."""

    def __init__(self, known: Iterable[str | None]) -> None:
        whole = [one.strip() for one in known if one and one.strip()]
        names = {one for name in whole for one in (name, *_parts(name)) if len(one) >= _SHORTEST}
        # The longest first, so that a name is masked as a whole.
        patterns = [_pattern(one) for one in sorted(names, key=lambda one: (-len(one), one))]
        self._known = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None

    def text(self, text: str) -> str:
        """Return a text without the person."""
        return str(self.value(text))

    def value(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Return a JSON value, each text of which is masked; keys stay."""
        return redacted(self._unnamed(value))

    def _unnamed(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, str):
            return self._known.sub(MASK, value) if self._known else value
        if isinstance(value, Mapping):
            return {name: self._unnamed(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._unnamed(one) for one in value]
        return value


def _parts(name: str) -> list[str]:
    """Return the words of a name by which the person may be called: no particles such as `van`."""
    if "@" in name or any(one.isdigit() for one in name):
        return []
    words = re.split(r"[\s\-]+", name)
    return [word for word in words if len(word) >= _SHORTEST_PART and not word.islower()]


def _pattern(name: str) -> str:
    words = r"\s+".join(map(re.escape, name.split()))
    if re.search(_UNSPACED, name):
        return words
    return rf"(?<!\w){_PREFIX}{words}(?:['\u2019]?s)?(?!\w)"
