"""Word variants: contractions, short and misspelt forms, inflections. Irregular cases are in words.toml."""

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources

# words.toml; some of its tables are read by other modules of this package.
word_lists = tomllib.loads(
    resources.files("richpanel.classification.lexicon").joinpath("words.toml").read_text("utf-8")
)
_spellings: dict[str, tuple[str, ...]] = {
    written: tuple(meaning.split()) for written, meaning in word_lists["spellings"].items()
}
_irregular: dict[str, str] = {
    form: base for base, forms in word_lists["irregular"].items() for form in forms.split()
}
_protected = frozenset(word for line in word_lists["protected"]["words"] for word in line.split())

_rude: tuple[str, ...] = tuple(word_lists["rude"]["words"].split())

_CLITICS = {"'s": "is", "'re": "are", "'ve": "have", "'ll": "will", "'m": "am", "'d": "would"}
_TAKES_IS = frozenset(word_lists["takes_is"]["words"].split())
_STRETCHED = re.compile(r"([^\W\d])\1{2,}")
_DISGUISED = re.compile(r"(?=.{4})[a-z]+(?:[013457]+[a-z]+)+")
_LETTERS_OF_DIGITS = str.maketrans("013457", "oieast")
_SHORTEST_MISSPELT = 6  # letters: shorter words are not matched with an edit
_MOST_LETTERS = 30
_SHORTEST_STEM = 2


def unstretched(text: str) -> str:
    """Limit each letter to two in a row: "pleaaase" becomes "pleaase", one edit from "please"."""
    return _STRETCHED.sub(r"\1\1", text)


def unaccented(word: str) -> str:
    """Return *word* in lower case without accents: customers omit them, so the lexicons have none either."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word.lower())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def expanded(word: str) -> tuple[str, ...]:
    """Expand one written word: "don't" and "dont" become "do not"; most words are returned unchanged."""
    if word in _spellings:
        return _spellings[word]
    if "'" not in word:
        return (word,)
    joined = word.replace("'", "")
    if word.endswith("n't"):
        return (*_spellings.get(joined, (word[:-3],))[:1], "not")
    stem, _, ending = word.rpartition("'")
    if f"'{ending}" in _CLITICS and (ending != "s" or stem in _TAKES_IS):
        return (*expanded(stem), _CLITICS[f"'{ending}"])
    return (stem,) if ending == "s" else _spellings.get(joined, (joined,))


class Vocabulary:
    """The words of the lexicons, and the lookup of their variants in customers' texts."""

    def __init__(self, words: Iterable[str], spelled: Iterable[str] = ()) -> None:
        """
        Index *words*, lower case without accents; a word that ends in `*` is a stem, for highly inflected languages.
        The words in *spelled* are also found if they are misspelt by one edit.
        """
        unmarked = frozenset(word for word in words if word[0] not in "=<")
        self._words = frozenset(word for word in unmarked if not word.endswith("*"))
        self._stems = frozenset(word[:-1] for word in unmarked if word.endswith("*"))
        self._shortest_stem = min(map(len, self._stems), default=_MOST_LETTERS)
        self._one_off: dict[str, list[str]] = defaultdict(list)
        for word in sorted(self._words.intersection(spelled)):
            if len(word) >= _SHORTEST_MISSPELT and word.isalpha():
                for variant in {word, *_one_less(word)}:
                    self._one_off[variant].append(word)
        self.forms = lru_cache(maxsize=16_384)(self._forms)

    def _forms(self, word: str) -> frozenset[str]:
        """Return all forms of *word*, itself included."""
        if "*" in word:
            word = _unmasked(word)
        elif _DISGUISED.fullmatch(word):
            word = word.translate(_LETTERS_OF_DIGITS)  # "l4wyer", written to evade a filter
        bases = {base for base in (word, *_bases(word)) if base in self._words}
        if not bases and word.isalpha() and len(word) <= _MOST_LETTERS:
            bases = self._misspelt_as(word)
        stems = {
            f"{word[:length]}*"
            for length in range(self._shortest_stem, min(len(word), _MOST_LETTERS) + 1)
            if word[:length] in self._stems
        }
        return frozenset({word, f"={word}"} | bases | stems)

    def _misspelt_as(self, word: str) -> set[str]:
        """Return the words at an edit distance of one from *word* or from one of its bases."""
        if not _protected.isdisjoint((word, *_bases(word))):
            return set()
        for form in (word, *_bases(word)):
            similar = self._one_edit_from(form)
            if similar:
                return similar | {
                    base
                    for similar_word in similar
                    for base in _bases(similar_word)
                    if base in self._words
                }
        return set()

    def _one_edit_from(self, form: str) -> set[str]:
        """Return the words of the lexicons one edit from *form*. The first letter must match: it is rarely misspelt."""
        if len(form) < _SHORTEST_MISSPELT - 1:
            return set()
        return {
            word
            for variant in (form, *_one_less(form))
            for word in self._one_off.get(variant, ())
            if word[0] == form[0] and _is_one_edit(form, word)
        }


def _unmasked(word: str) -> str:
    """Return the rude word masked as "b*tch" or "f***ing"; *word* itself if none matches."""
    for rude in _rude:
        if len(rude) == len(word) and all(
            sign in {"*", letter} for sign, letter in zip(word, rude, strict=True)
        ):
            return rude
    return word


def _bases(word: str) -> Iterator[str]:
    """Yield possible base forms of *word*; most are not words, and the caller checks them against the vocabulary."""
    if word in _irregular:
        yield _irregular[word]
    for ending, endings in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            stem = word[: -len(ending)]
            for other in endings:
                yield stem + other
            if ending in {"ed", "ing"} and len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2]:
                yield stem[:-1]


_ENDINGS = (
    ("ies", ("y",)),
    ("ied", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ed", ("", "e")),
    ("ing", ("", "e")),
    ("ings", ("",)),
)


def _one_less(word: str) -> Iterator[str]:
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]


def _is_one_edit(written: str, word: str) -> bool:
    """Return whether *written* differs from *word* by one letter added, omitted, changed or swapped with the next."""
    longer, shorter = (written, word) if len(written) >= len(word) else (word, written)
    at = next((n for n, sign in enumerate(shorter) if sign != longer[n]), len(shorter))
    if len(longer) > len(shorter):
        return longer[at + 1 :] == shorter[at:]
    swapped = longer[at : at + 2] == shorter[at : at + 2][::-1]
    return longer[at + 1 :] == shorter[at + 1 :] or (
        swapped and longer[at + 2 :] == shorter[at + 2 :]
    )
