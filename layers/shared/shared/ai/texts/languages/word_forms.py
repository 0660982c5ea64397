"""
One form for all forms of a word, for a search: `prices` and `price`, `Ernten` and `Ernte`, `wakulima` and `mkulima`.

Light rules cut endings, and prefixes in Arabic, Swahili and Amharic. Scripts without blanks between words (Chinese,
Japanese, Thai, Lao, Khmer, Burmese) are cut into overlapping pairs of characters. Other languages keep their words,
without case and accents.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_WORD: Final = re.compile(r"[^\W_]+")
# Scripts without blanks between words; syllables of Hiragana alone are grammar rather than words.
_PAIRED: Final = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff\u31f0-\u31ff\U00020000-\U0003134f"
    "\u0e00-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f]+"
)
_HIRAGANA: Final = re.compile("[\u3040-\u309f]+")
_FEWEST: Final = 3  # letters that stay of a word
_ENDINGS: Final = {
    "fr": """issements issement ements ement ments ment ations ation ateurs ateur atrices atrice euses euse issent
        ables able ees ee es er ez ent e s x""",
    "es": """aciones acion amientos amiento imientos imiento amente mente adores ador ados adas ado ada idos idas ido
        ida ando iendo aron ieron es os as ar er ir o a e s""",
    "pt": """acoes acao amentos amento imentos imento amente mente adores ador ados adas ado ada idos idas ido ida
        ando endo aram eram oes ao ais eis es os as ar er ir o a e s""",
}  # fmt: skip
_SWAHILI: Final = re.compile(
    r"(?:(?:wa|a|i|zi|ya|u|vi|ki|li|ku)(?:nao|na|li|ta|me)|wa|mi|ma|vi|ki|mw|mu|ku|m|u)(?=[a-z]{4})"
)
_ARABIC_PREFIX: Final = re.compile(
    r"(?:[\u0648\u0628\u0643\u0641]?\u0627\u0644|\u0644\u0644|\u0648(?=.{4}))(?=.{2})"
)
_ARABIC_SUFFIX: Final = re.compile(
    r"(?<=..)(?:\u0647\u0627|\u0627\u0646|\u0627\u062a|\u0648\u0646|\u064a\u0646|\u064a\u0647|\u064a\u0629|\u0647|\u0629|\u064a|\u0627)$"
)
_ARABIC_ALIKE: Final = str.maketrans(
    "\u0623\u0625\u0622\u0671\u0649", "\u0627\u0627\u0627\u0627\u064a"
)
_AMHARIC_PREFIX: Final = re.compile(
    r"(?:\u12a5\u1295\u12f0|\u1235\u1208|\u12e8|\u1260|\u1208|\u12a8)(?=..)"
)
_AMHARIC_SUFFIX: Final = re.compile(r"(?<=..)(?:\u1295|\u1293|\u121d|\u12cd|\u12cb)$")
_AMHARIC_PLURAL: Final = "\u127d"
_O_FORM: Final = 6  # of a syllable's eight forms, from 0
_BARE_FORM: Final = 5
# Rows of syllables that sound alike, by the first code point of the row.
_SAME_SOUND: Final = {
    0x1210: 0x1200,
    0x1280: 0x1200,
    0x1220: 0x1230,
    0x12D0: 0x12A0,
    0x1340: 0x1338,
}
_VOWEL: Final = re.compile("[aeiouy]")


def terms_of(text: str, language: str | None) -> list[str]:
    """Return the terms of a text: one form for each word of *language*; None or another one than below: as written."""
    stem = STEMMERS.get(language or "", _as_written)
    return [term for word in _words(text) for term in _terms(word, stem)]


def forms_of(text: str, language: str | None) -> list[tuple[str, ...]]:
    """
    Return the terms that each word of a query may have in texts: as written, and by the rules of *language*, or of all
    languages for None. A word in a script without blanks has several entries.
    """
    known = list(STEMMERS) if language is None else [language, "en"]
    own = STEMMERS.get(language or "", _as_written)
    found: dict[str, dict[str, None]] = {}
    for word in _words(text):
        if _PAIRED.fullmatch(word):
            found |= {pair: {pair: None} for pair in _terms(word, _as_written)}
            continue
        rules = [_as_written, *(STEMMERS[one] for one in known if one in STEMMERS)]
        # Two forms of one word are one word of the query.
        found.setdefault(own(word), {}).update(dict.fromkeys(rule(word) for rule in rules))
    return [tuple(forms) for forms in found.values()]


def _words(text: str) -> Iterator[str]:
    """Yield words without case and accents; one of several scripts is cut between them."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(one for one in decomposed if not unicodedata.category(one).startswith("M"))
    for word in _WORD.findall(unicodedata.normalize("NFC", plain)):
        at = 0
        for run in _PAIRED.finditer(word):
            if before := word[at : run.start()]:
                yield before
            yield run.group()
            at = run.end()
        if rest := word[at:]:
            yield rest


def _terms(word: str, stem: Callable[[str], str]) -> list[str]:
    if not _PAIRED.fullmatch(word):
        return [stem(word)]
    pairs = [word[at : at + 2] for at in range(max(1, len(word) - 1))]
    return [pair for pair in pairs if not _HIRAGANA.fullmatch(pair)] or [word]


def _as_written(word: str) -> str:
    return word


def _english(word: str) -> str:
    if len(word) <= _FEWEST:
        return word
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]  # noqa: PLR2004 - `ties`, `died`
    if re.search(r"(?:ss|sh|ch|x|z)es$", word):
        word = word[:-2]
    elif word.endswith("s") and not re.search(r"(?:ss|us|is)$", word):
        word = word[:-1]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _FEWEST and _VOWEL.search(stem):
            word = stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "lsz" else stem
            break
    return word[:-1] if word.endswith("e") and len(word) > _FEWEST else word


def _german(word: str) -> str:
    while len(word) > _FEWEST:
        if len(word) > 5 and word.endswith(("em", "er", "nd")):  # noqa: PLR2004 - letters
            word = word[:-2]
        elif word.endswith(("t", "e", "s", "n")):
            word = word[:-1]
        else:
            break
    return word


def _by_endings(language: str) -> Callable[[str], str]:
    endings = sorted(_ENDINGS[language].split(), key=len, reverse=True)

    def stem(word: str) -> str:
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= _FEWEST:
                return word[: -len(ending)]
        return word

    return stem


def _swahili(word: str) -> str:
    return _SWAHILI.sub("", word, count=1) if _SWAHILI.match(word) else word


def _arabic(word: str) -> str:
    word = word.translate(_ARABIC_ALIKE)
    begin = _ARABIC_PREFIX.match(word)
    return _ARABIC_SUFFIX.sub("", word[begin.end() :] if begin else word)


def _amharic(word: str) -> str:
    word = "".join(map(_same_sound, word))
    begin = _AMHARIC_PREFIX.match(word)
    word = _AMHARIC_SUFFIX.sub("", word[begin.end() :] if begin else word)
    if len(word) > _FEWEST and word.endswith(_AMHARIC_PLURAL):
        word = word[:-1]
        if word.endswith("\u12ce"):  # added to a noun that ends with a vowel
            return word[:-1]
        last = ord(word[-1])
        return word[:-1] + chr(last - _O_FORM + _BARE_FORM) if last % 8 == _O_FORM else word
    return word


def _same_sound(sign: str) -> str:
    row = ord(sign) // 8 * 8
    return chr(ord(sign) - row + _SAME_SOUND[row]) if row in _SAME_SOUND else sign


STEMMERS: Final[Mapping[str, Callable[[str], str]]] = {
    "en": _english,
    "de": _german,
    "fr": _by_endings("fr"),
    "es": _by_endings("es"),
    "pt": _by_endings("pt"),
    "sw": _swahili,
    "ar": _arabic,
    "am": _amharic,
}
