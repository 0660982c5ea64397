"""
Keeps the text of withheld mails out of what a model reads, and out of what an answer may contain. Pure.

A withheld mail is shown to people only (`Mail.is_withheld`). A later mail may quote it: four words in a row, or a whole
line with a code, that stand in an earlier withheld mail are cut out of it. What its author writes in other words is the
author's own, and what stood in an earlier mail that counts is not withheld. Codes are compared without blanks and
dashes, and with digits of any script.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from email_threads.parsing.verification.verification import normal
from email_threads.replies.checks.codes import codes_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from email_threads.store.items import Mail

CUT: Final = "[...]"
RUN: Final = 4  # words in a row that are a quote
_WORD: Final = re.compile(r"[^\W_]+")
_MARK: Final = re.compile(r"^[\s>|]+")

type _Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Readable:
    """The mails that count, without what they quote of withheld ones, and the codes of the withheld ones."""

    mails: list[Mail] = field(repr=False)
    codes: frozenset[str] = field(repr=False)

    def gives_away(self, text: str, known: Iterable[str]) -> bool:
        """Whether a text has a code of a withheld mail that does not stand in the *known* texts."""
        return bool((codes_in([text]) & self.codes) - codes_in(known))


def readable(mails: Sequence[Mail]) -> Readable:
    """Read mails of a thread in the order of their numbers."""
    withheld, known = _Texts(), _Texts()
    counting: list[Mail] = []
    for mail in mails:
        if mail.is_withheld:
            withheld.add(_texts_of(mail), without=known)
        elif mail.counts:
            cut = _cut(mail, withheld)
            known.add(_texts_of(cut))
            counting.append(cut)
    return Readable(counting, frozenset(withheld.codes))


@dataclass(slots=True)
class _Texts:
    """Texts as they are compared: words in rows of four, lines, codes."""

    rows: set[_Row] = field(default_factory=set)
    lines: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)

    def add(self, texts: Sequence[str], *, without: _Texts | None = None) -> None:
        """Add texts, less what *without* has."""
        rows = {row for text in texts for row in _rows([word for word, _ in _words(text)])}
        lines = {_folded(line) for text in texts for line in text.split("\n")}
        codes = codes_in(texts)
        self.rows |= rows - (without.rows if without is not None else set())
        self.lines |= lines - (without.lines if without is not None else set())
        self.codes |= codes - (without.codes if without is not None else set())


def _texts_of(mail: Mail) -> list[str]:
    """Return all text of a mail: subject, body, HTML and the names of its files."""
    names = "\n".join(file.filename for file in mail.attachments)
    return [one for one in (mail.subject, mail.body, mail.new_text, mail.html_text, names) if one]


def _cut(mail: Mail, withheld: _Texts) -> Mail:
    """Return a mail without what it quotes of the withheld ones."""
    if not withheld.lines:
        return mail
    texts = {name: _without(getattr(mail, name), withheld) for name in ("body", "new_text")}
    # Mail programs copy the subject: one with a withheld code is a quote.
    subject = CUT if codes_in([mail.subject]) & withheld.codes else mail.subject
    files = [one for one in mail.attachments if not codes_in([one.filename]) & withheld.codes]
    return mail.model_copy(update={**texts, "subject": subject, "attachments": files})


def _without(text: str, withheld: _Texts) -> str:
    spans = _quoted_spans(text, withheld)
    lines: list[str] = []
    start = 0
    for line in text.split("\n"):
        inside = [span for span in spans if start <= span[0] < start + len(line)]
        if _is_quote(line, withheld):
            lines.append(CUT)
        elif inside:
            first, last = inside[0][0] - start, inside[-1][1] - start
            lines.append(f"{line[:first]}{CUT}{line[last:]}")
        else:
            lines.append(line)
        start += len(line) + 1
    return "\n".join(lines)


def _quoted_spans(text: str, withheld: _Texts) -> list[tuple[int, int]]:
    """Return the places of words that stand in a row of withheld ones. Line breaks and marks of quotes are blanks."""
    words = _words(text)
    is_quoted = [False] * len(words)
    for number, row in enumerate(_rows([word for word, _ in words])):
        if row in withheld.rows:
            is_quoted[number : number + RUN] = [True] * RUN
    return [place for (_, place), quoted in zip(words, is_quoted, strict=True) if quoted]


def _is_quote(line: str, withheld: _Texts) -> bool:
    """Whether a line has a code of a withheld mail, and is one of its lines or is marked as a quote."""
    if not line.strip() or not codes_in([line]) & withheld.codes:
        return False
    return line.lstrip().startswith((">", "|")) or _folded(line) in withheld.lines


def _rows(words: Sequence[str]) -> Iterator[_Row]:
    return (tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1))


def _words(text: str) -> list[tuple[str, tuple[int, int]]]:
    """Return the words of a text in one notation, each with its place."""
    return [(normal(found[0]).casefold(), found.span()) for found in _WORD.finditer(text)]


def _folded(line: str) -> str:
    return " ".join(word for word, _ in _words(_MARK.sub("", line)))
