"""
Masks a real message before a model reads it in a try: the person's known names and addresses, and all that the rules
of `shared.runtime.redaction` find.

A known name is also found in part (`Anna` of `Anna Maria Berg`), in another letter case, with other accents or none,
with a genitive `s`, and as the first part of a known address. A name that neither is known nor stands in an
introduction or signature stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final

from shared.runtime.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MASK: Final = "***"
_SHORTEST: Final = 2  # characters of a name, and of a part of one
_SHORTEST_OF_ADDRESS: Final = 3  # characters of a part of an address
# Scripts without spaces between words, and prefixes that Arabic and Hebrew write together with a name.
_UNSPACED: Final = "[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]"
_PREFIX: Final = "(?:[\u0648\u0641\u0628\u0644\u0643\u05d5\u05dc\u05d1\u05de\u05e9])?"
# The rest of an address that begins with a name.
_ADDRESS: Final = r"(?:[\w.+-]{0,64}@\w[\w-]*(?:\.\w[\w-]*)+)?"
# Accents, points of Hebrew, and vowel signs, hamzas and the stretching sign of Arabic: many people leave them out.
_MARKS: Final = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]")
# Words of names that are usual words of texts, too. They stay where a text writes them in lower case.
_PARTICLES: Final = re.compile(
    "af|al|and|av|bin|bint|da|das|de|del|della|den|der|des|di|do|dos|du|e|el|het|i|ibn|in|la|le|les|op|te|"
    "ten|ter|und|van|vom|von|y|zu|zum|zur"
)
# First parts of addresses that name no person.
_OF_NO_PERSON: Final = re.compile(
    "admin|billing|contact|hallo|hello|info|kontakt|mail|me|office|order|orders|post|sales|service|shop|"
    "support|team"
)


class Mask:
    """Masks texts of a person whose names and addresses are *known*."""

    def __init__(self, known: Iterable[str | None]) -> None:
        whole = [_folded(one.strip()) for one in known if one and one.strip()]
        unspaced = [one for one in whole if re.search(_UNSPACED, one)]
        whole += [first + second for first, second in permutations(dict.fromkeys(unspaced), 2)]
        parts = {part for name in whole for part in _parts(name)}
        names = {one for one in (*whole, *parts) if len(one) >= _SHORTEST}
        # The longest first, so that a name is masked as a whole.
        patterns = [_pattern(one) for one in sorted(names, key=lambda one: (-len(one), one))]
        self._known = re.compile("|".join(patterns)) if patterns else None
        self._particles = set(filter(_PARTICLES.fullmatch, parts.difference(whole)))

    def text(self, text: str) -> str:
        """Return a text without the person."""
        return str(self.value(text))

    def value(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Return a JSON value, each text of which is masked; keys stay."""
        return redacted(self._unnamed(value))

    def _unnamed(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, str):
            return self._without(value)
        if isinstance(value, Mapping):
            return {name: self._unnamed(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._unnamed(one) for one in value]
        return value

    def _without(self, text: str) -> str:
        left, end = [], 0
        for start, stop in self._found(text):
            left += [text[end:start], MASK]
            end = stop
        return "".join([*left, text[end:]])

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where a text has known names."""
        if self._known is None:
            return
        folded = [(_folded(one), place) for place, one in enumerate(text)]
        places = [place for characters, place in folded for _ in characters]
        for found in self._known.finditer("".join(characters for characters, _ in folded)):
            start, last = places[found.start()], places[found.end() - 1]
            # Marks after the last letter are a part of it.
            following = places[found.end()] if found.end() < len(places) else len(text)
            if found[0] not in self._particles or not text[start : last + 1].islower():
                yield start, max(last + 1, following)


def _folded(text: str) -> str:
    """Return a text in the form in which names are compared."""
    folded = _MARKS.sub("", unicodedata.normalize("NFD", text.casefold()))
    return folded.replace("\u2019", "'")


def _parts(name: str) -> Iterator[str]:
    """Yield the words of a folded name or address by which the person may be called."""
    local, is_address, _ = name.partition("@")
    if is_address:
        words = re.split(r"[^\w']+|_|\d+", local)
        found = [local, *(word for word in words if len(word) >= _SHORTEST_OF_ADDRESS)]
        yield from (one for one in found if not _OF_NO_PERSON.fullmatch(one))
    elif not any(one.isdigit() for one in name):
        words = [word.strip("'") for word in re.split(r"[^\w']+", name)]
        yield from (word for word in words if len(word) >= _SHORTEST)


def _pattern(name: str) -> str:
    words = r"\s+".join(map(re.escape, name.split()))
    if re.search(_UNSPACED, name):
        return words
    return rf"(?<!\w){_PREFIX}{words}(?:'?s)?(?!\w){_ADDRESS}"
