"""
Citations in a model's answer: numbers of passages become a list of documents. Pure.

    `Maize is scarce [3]. Prices rise [4, 9].`     3 and 4 are passages of two documents, 9 is none

    email, whatsapp   `Maize is scarce [1]. Prices rise [2].`, then `[1] Title: https://...` and `[2] Title: https://...`
    sms               `Maize is scarce. Prices rise.`, then `Title: https://...` for each

Documents are numbered in the order in which they are cited. The model never writes an address: addresses in the list
are the addresses of the documents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.ai.knowledge.search_tool import Source, Sources
    from shared.events.exchange import Channel

SHORT_TITLE: Final = 40
# [1], [1, 2], [1][2]; some models write other brackets and a mark behind the number. Not the text of a Markdown link.
_MARKER = re.compile(
    r"[ \t\u00a0]*[\[\u3010]\s*(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\s*(?:\u2020[^\]\u3011\n]{0,80})?[\]\u3011](?!\()"
)
_RUN = re.compile(rf"(?:{_MARKER.pattern})+")
_NUMBER = re.compile(r"\d+")
_SENTENCE = re.compile(r"(?<=[.!?\u061f\uff1f\u3002\uff01])\s+|\n+")
_QUESTION_MARKS = ("?", "\u061f", "\uff1f")
_CLOSING = " \t\"'\u201d\u2019\u00bb)"


@dataclass(frozen=True, slots=True)
class CitedText:
    """
    An answer with its citations. *text* is the answer without the list, *documents* are the cited ones in order.

    *passages* are the numbers of the cited passages; *is_marked*: the model wrote such numbers, known or not.
    """

    text: str = field(repr=False)
    documents: tuple[Source, ...] = ()
    passages: frozenset[int] = frozenset()
    is_marked: bool = False

    def with_list(self, channel: Channel, fits: Callable[[str], bool]) -> str:
        """Return the text and the list of documents; a shorter list if the whole one does not fit."""
        if not self.documents:
            return self.text
        for line_of in (_line, _short_line):
            numbered = enumerate(map(line_of, self.documents), 1)
            lines = [f"[{n}] {line}" if channel != "sms" else line for n, line in numbered]
            whole = self.text + "\n\n" + "\n".join(lines)
            if fits(whole):
                break
        return whole


def cited(text: str, sources: Sources, channel: Channel) -> CitedText:
    """Number the documents that *text* cites. Removes markers of unknown passages, and in SMS all markers."""
    documents: dict[str, Source] = {}
    passages: set[int] = set()

    def replaced(run: re.Match[str]) -> str:
        numbers = [int(number) for number in _NUMBER.findall(_without_marks(run[0]))]
        found = [source for number in numbers if (source := sources.numbered(number))]
        passages.update(source.number for source in found)
        for source in found:
            documents.setdefault(source.document, source)
        order = list(documents)
        shown = dict.fromkeys(order.index(source.document) + 1 for source in found)
        return " " + "".join(f"[{n}]" for n in shown) if shown and channel != "sms" else ""

    numbered, runs = _RUN.subn(replaced, text)
    return CitedText(numbered.strip(), tuple(documents.values()), frozenset(passages), runs > 0)


def states_something(text: str) -> bool:
    """Return whether *text* has a sentence that is no question; a question with a number states that number."""
    sentences = (sentence.strip(_CLOSING) for sentence in _SENTENCE.split(text))
    return any(
        not sentence.endswith(_QUESTION_MARKS) or _NUMBER.search(sentence)
        for sentence in sentences
        if any(map(str.isalnum, sentence))
    )


def _without_marks(run: str) -> str:
    """Remove what some models write behind a number: it can contain digits."""
    return re.sub(r"\u2020[^\]\u3011\n]*", "", run)


def _line(source: Source) -> str:
    return ": ".join(filter(None, (source.title, source.url)))


def _short_line(source: Source) -> str:
    return source.url or source.title[:SHORT_TITLE]
