"""
Messages that are one word to us: stop, start, help. The whole message has to be that word, never a part of it.

    "STOP", " stop. ", "Stop!!"          stop
    "please stop by", "don't stop"       nothing: a sentence, for whoever answers
    a button                             by the payload that the business gave it, whatever stands on it
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shared.events import InboundMessage


class Wish(StrEnum):
    """What the sender of such a word wants."""

    STOP = "stop"
    START = "start"
    HELP = "help"


# In force for every company; a bare TD and ARRET are what Canadian carriers ask for.
_STOP = (
    "STOP", "STOPALL", "STOP ALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "REMOVE",
    "OPTOUT", "OPT OUT", "OPT-OUT", "TD", "ARRET", "ARRÊT",
)  # fmt: skip
_START = ("START", "UNSTOP")
_HELP = ("HELP", "INFO")
_YES = "YES"
# Words for stop by language, in force for every company that names none of its own for that language.
PRESETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "de": ("STOPP", "ABMELDEN"),
        "es": ("BAJA",),
        "pt": ("PARAR", "SAIR"),
        "it": ("ANNULLA",),
    }
)
_LONGEST = (
    64  # characters; no word is longer, and nobody has to normalise a letter to find that out
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one company, folded. Made by `vocabulary`."""

    wishes: Mapping[str, Wish]

    def wish_of(self, text: str | None, *, yes_is_start: bool = False) -> Wish | None:
        """
        What a text asks for; None for all that is not one of the words.

        *yes_is_start*: the sender has opted out by a word in this very SMS channel (`Standing.yes_lifts_it`), so that
        YES means START.
        """
        if text is None or len(text) > _LONGEST:
            return None
        word = folded(text)
        if yes_is_start and word == folded(_YES):
            return Wish.START
        return self.wishes.get(word)

    def wish_in(self, message: InboundMessage, *, yes_is_start: bool = False) -> Wish | None:
        """What a message asks for: of a button or a list answer the payload counts, and nothing else."""
        text = message.button.payload if message.button else message.text
        return self.wish_of(text, yes_is_start=yes_is_start)


def vocabulary(opt_out_words: Mapping[str, Collection[str]] | None = None) -> Vocabulary:
    """
    The words in force for a company with these *opt_out_words* (language -> words), which take the place of that
    language's preset.

    All languages count in all conversations: people who want to leave do not ask which one we speak. A company cannot
    take a word of START or HELP for stop, nor lose STOP.
    """
    of_languages = {**PRESETS, **(opt_out_words or {})}
    # The later entry wins: what is in force for everybody comes last.
    wishes = {folded(word): Wish.STOP for words in of_languages.values() for word in words}
    wishes |= {folded(word): Wish.HELP for word in _HELP}
    wishes |= {folded(word): Wish.START for word in _START}
    wishes |= {folded(word): Wish.STOP for word in _STOP}
    wishes.pop("", None)
    return Vocabulary(MappingProxyType(wishes))


def folded(text: str) -> str:
    """
    A text in the form in which words are compared: NFKC, case-folded, blanks collapsed, without what stands around it.

    Around it: punctuation, symbols, emoji. In it nothing counts that people leave out and programs put in: accents, the
    dots of Turkish letters, which dash it is, and signs that show nothing, such as zero-width spaces.
    """
    normal = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(map(_plain, unicodedata.normalize("NFD", normal)))
    words = " ".join(unicodedata.normalize("NFC", plain).split())
    start, end = 0, len(words)
    while start < end and _is_beside_the_words(words[start]):
        start += 1
    while end > start and _is_beside_the_words(words[end - 1]):
        end -= 1
    return words[start:end]


def _plain(sign: str) -> str:
    if "\u0300" <= sign <= "\u036f" or unicodedata.category(sign) == "Cf":
        return ""
    if unicodedata.category(sign) == "Pd":
        return "-"
    return "i" if sign == "\u0131" else sign


def _is_beside_the_words(sign: str) -> bool:
    # P punctuation, S symbols, Z blanks, C control and format signs; variation selectors (of emoji) are marks, Mn.
    return unicodedata.category(sign)[0] in "PSZC" or "\ufe00" <= sign <= "\ufe0f"
