"""
Opt-out, opt-in and help keywords. The whole message must be the keyword, never a part of it.

    "STOP", " stop. ", "Stop!!"          stop
    "please stop by", "don't stop"       no keyword: a sentence, to be answered normally
    a button                             matched by the payload set by the business, not by its label
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shared.events.exchange import InboundMessage


class ConsentKeyword(StrEnum):
    """The meaning of a keyword."""

    STOP = "stop"
    START = "start"
    HELP = "help"


# Apply to every company; Canadian carriers require the bare TD and ARRET.
_STOP = (
    "STOP", "STOPALL", "STOP ALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "REMOVE",
    "OPTOUT", "OPT OUT", "OPT-OUT", "TD", "ARRET", "ARRÊT",
)  # fmt: skip
_START = ("START", "UNSTOP")
_HELP = ("HELP", "INFO")
_YES = "YES"
# Opt-out keywords by language, for every company that sets no keywords for that language.
PRESETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "de": ("STOPP", "ABMELDEN"),
        "es": ("BAJA",),
        "pt": ("PARAR", "SAIR"),
        "it": ("ANNULLA",),
    }
)
_LONGEST = 64  # characters; no keyword is longer, so longer texts need no normalisation


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The keywords of one company, folded. Built by `vocabulary`."""

    keywords: Mapping[str, ConsentKeyword]

    def keyword_of(self, text: str | None, *, yes_is_start: bool = False) -> ConsentKeyword | None:
        """
        Return the meaning of a text; None if it is not a keyword.

        *yes_is_start*: the sender has opted out by keyword in this SMS channel (`Standing.yes_means_start`), so that
        YES means START.
        """
        if text is None or len(text) > _LONGEST:
            return None
        word = folded(text)
        if yes_is_start and word == folded(_YES):
            return ConsentKeyword.START
        return self.keywords.get(word)

    def keyword_in(
        self, message: InboundMessage, *, yes_is_start: bool = False
    ) -> ConsentKeyword | None:
        """Return the meaning of a message; for a button or a list answer only the payload is used."""
        text = message.button.payload if message.button else message.text
        return self.keyword_of(text, yes_is_start=yes_is_start)


def vocabulary(opt_out_words: Mapping[str, Collection[str]] | None = None) -> Vocabulary:
    """
    Build the keywords of a company with these *opt_out_words* (language -> words), which replace that language's
    preset.

    Keywords of all languages apply in all conversations, because customers do not know the configured language. A
    company can neither use a word of START or HELP for stop, nor remove STOP.
    """
    of_languages = {**PRESETS, **(opt_out_words or {})}
    # The later entry wins, so the keywords common to all companies come last.
    keywords = {
        folded(word): ConsentKeyword.STOP for words in of_languages.values() for word in words
    }
    keywords |= {folded(word): ConsentKeyword.HELP for word in _HELP}
    keywords |= {folded(word): ConsentKeyword.START for word in _START}
    keywords |= {folded(word): ConsentKeyword.STOP for word in _STOP}
    keywords.pop("", None)
    return Vocabulary(MappingProxyType(keywords))


def folded(text: str) -> str:
    """
    Normalise a text for comparison: NFKC, case-folded, whitespace collapsed, surrounding characters removed.

    Surrounding characters are punctuation, symbols and emoji. Inside the text it ignores differences that users omit
    and programs insert: accents, the dots of Turkish letters, kinds of dashes, and invisible characters such as
    zero-width spaces.
    """
    normal = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(map(_plain, unicodedata.normalize("NFD", normal)))
    words = " ".join(unicodedata.normalize("NFC", plain).split())
    start, end = 0, len(words)
    while start < end and _is_surrounding(words[start]):
        start += 1
    while end > start and _is_surrounding(words[end - 1]):
        end -= 1
    return words[start:end]


def _plain(sign: str) -> str:
    if "\u0300" <= sign <= "\u036f" or unicodedata.category(sign) == "Cf":
        return ""
    if unicodedata.category(sign) == "Pd":
        return "-"
    return "i" if sign == "\u0131" else sign


def _is_surrounding(sign: str) -> bool:
    # P punctuation, S symbols, Z blanks, C control and format characters; variation selectors (of emoji) are marks, Mn.
    return unicodedata.category(sign)[0] in "PSZC" or "\ufe00" <= sign <= "\ufe0f"
