"""
Masks a real message before a model reads it in a try: the person's known names and addresses, and all that the rules
of `shared.runtime.redaction` find.

A known name is also found in part (`Anna` of `Anna Maria Berg`), in another letter case, with other accents or none,
with a letter written as two or the other way round (`Mueller` of `Müller`), with a genitive `s`, and as the first part
of a known address. One sign of a Chinese, Japanese or Korean name is found before a form of address (`王先生`) and
after `姓`: elsewhere it may be a usual word. A name that neither is known nor stands in an introduction or signature
stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final

from shared.identity.contacts.words import contracted, folded, spelled_out
from shared.runtime.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MASK: Final = "***"
_SHORTEST: Final = 2  # characters of a name, and of a part of one
_SHORTEST_OF_ADDRESS: Final = 3  # characters of a part of an address
# Characters of a name with one letter for two: shorter ones are usual words (`su` of `Sue`, `has` of `Haas`).
_SHORTEST_CONTRACTED: Final = 4
# A letter that people also write as two, and both.
_LETTERS: Final = {"a": "a[ae]?", "o": "oe?", "u": "ue?"}
_ONE_OR_TWO: Final = re.compile("[aou]")
# Scripts whose words stand without spaces between them, or with endings: Thai, Lao, kana, Han and Hangul.
_EAST_ASIAN: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_UNSPACED: Final = f"[\u0e00-\u0eff{_EAST_ASIAN}]"
_EAST_ASIAN_NAME: Final = re.compile(f"[{_EAST_ASIAN}]{{1,6}}")
_FORMS_OF_ADDRESS: Final = (
    "先生|小姐|女士|太太|夫人|老师|老師|总|總|经理|經理|医生|醫生|教授|同学|同學|师傅|師傅|さん|さま|様|氏|君|くん|ちゃん|殿|"
    "씨|님|군|양|선생|사장|대리|과장|부장|고객"
)
# Prefixes that Arabic and Hebrew write together with a name.
_PREFIX: Final = "(?:[\u0648\u0641\u0628\u0644\u0643\u05d5\u05dc\u05d1\u05de\u05e9])?"
# The rest of an address that begins with a name.
_ADDRESS: Final = r"(?:[\w.+-]{0,64}@\w[\w-]*(?:\.\w[\w-]*)+)?"
# What is one letter for a reader: a letter with its accents and points, or a syllable of Hangul in its parts.
_LETTER: Final = re.compile(
    "[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?|"
    ".[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u3099\u309a\ufe00-\ufe0f]*",
    re.DOTALL,
)
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
        given = list(dict.fromkeys(one.strip() for one in known if one and one.strip()))
        names = [form for one in given for form in _forms(one)]
        unspaced = [one for one in names if re.search(_UNSPACED, one)]
        joined = [first + second for first, second in permutations(dict.fromkeys(unspaced), 2)]
        whole = {*names, *joined}
        parts = {part for name in whole for part in _parts(name)}
        found = {one for one in whole | parts if len(one) >= _SHORTEST}
        # The longest first, so that a name is masked as a whole.
        patterns = [_pattern(one) for one in sorted(found, key=lambda one: (-len(one), one))]
        patterns += [one for name in unspaced for one in _addressed(name)]
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
        for start, stop in sorted(self._found(text)):
            if start >= end:
                left += [text[end:start], MASK]
            end = max(end, stop)
        return "".join([*left, text[end:]])

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where a text has known names, as it stands and with two letters for one."""
        if self._known is None:
            return
        letters = [(one.start(), one.end()) for one in _LETTER.finditer(text)]
        plain = [_folded(text[start:stop]) for start, stop in letters]
        wide = [_folded(spelled_out(text[start:stop])) for start, stop in letters]
        for form in (plain,) if wide == plain else (plain, wide):
            places = [place for place, one in zip(letters, form, strict=True) for _ in one]
            for found in self._known.finditer("".join(form)):
                start, stop = places[found.start()][0], places[found.end() - 1][1]
                if found[0] not in self._particles or not text[start:stop].islower():
                    yield start, stop


def _folded(text: str) -> str:
    """Return a text in the form in which names are compared; a syllable of Hangul is one character."""
    return unicodedata.normalize("NFC", folded(text))


def _forms(name: str) -> set[str]:
    """Return the folded forms of a name: as it stands, and with two letters for one."""
    return {_folded(name), _folded(spelled_out(name))}


def _addressed(name: str) -> Iterator[str]:
    """Yield the patterns of a family or given name of an East Asian name without its rest."""
    if not _EAST_ASIAN_NAME.fullmatch(name):
        return
    pieces = {name[:end] for end in range(1, len(name) + 1)} | {name[1:]}
    called = "|".join(
        sorted(map(re.escape, filter(None, pieces)), key=lambda one: (-len(one), one))
    )
    yield rf"(?:{called})(?=\s?(?:{_FORMS_OF_ADDRESS}))"
    yield rf"(?<=姓)(?:{called})"
    if len(name) > _SHORTEST:
        yield re.escape(name[1:])  # the given name


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
    if re.search(_UNSPACED, name):
        return r"\s*".join(map(re.escape, name.split()))
    short = contracted(name)
    words = r"\s+".join(map(re.escape, name.split()))
    if len(short) >= _SHORTEST_CONTRACTED:
        words = _ONE_OR_TWO.sub(
            lambda one: _LETTERS[one[0]], r"\s+".join(map(re.escape, short.split()))
        )
    return rf"(?<!\w){_PREFIX}{words}(?:'?s)?(?!\w){_ADDRESS}"
