"""
Separates a person's new text from the quoted mail, from the signature and from the footers of apps.

The full text is always kept beside the result, which consent, hand-off to people and the model's input read.
"""

from __future__ import annotations

import re
from typing import Final

from email_threads.parsing.body import footers, quote_words, quotes
from email_threads.parsing.body.footers import (
    without_footers,
    without_marked_signature,
    without_signature,
)
from email_threads.parsing.body.quotes import Opening, is_quoted

_FORWARD_SUBJECT: Final = re.compile(
    r"\s*(?:fwd?|wg|tr|enc|rv|i|vs|vb|doorst|pd|vl"
    r"|πρθ|[i\u0130]\u0307?lt|trs|fs|továbbít\w*|הועבר|إعادة توجيه|chuyển tiếp|转发|轉寄|転送|전달)\s*[:\uff1a]",
    re.IGNORECASE,
)
# "VS:" is a forward in Danish and Norwegian, and an answer in Finnish.
_FINNISH_ANSWER: Final = re.compile(r"\s*vs\s*:", re.IGNORECASE)
_FINNISH_QUOTE: Final = re.compile(r"\b(?:kirjoitti|lähettäjä)\b", re.IGNORECASE)
_FORWARD_BEGIN: Final = re.compile(
    r"^ *(?:begin forwarded message|anfang der weitergeleiteten|début du message (?:réexpédié|transféré)"
    r"|inicio del mensaje reenviado|inizio (?:del )?messaggio inoltrato|início da mensagem (?:re)?encaminhada"
    r"|begin doorgestuurd bericht|vidarebefordrat brev|videresendt (?:besked|melding)|välitetty viesti alkaa"
    r"|początek przekazywanej|začátek přeposlané|továbbított (?:levél|üzenet)|iletilen (?:ileti|mesaj)"
    r"|начало (?:переадресованного|пересылаемого)|початок переадресованого|下記は転送|以下是转发"
    r"|以下為轉寄|전달된 메시지의)[^\n]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)
_FORWARD_LINE: Final = re.compile(r"^ *-{3,60} ?(?P<words>[^-\n]{3,60})", re.MULTILINE)
_SHARED: Final = re.compile(
    r"(?P<own>.{0,200}?[^\s-])[ -]{1,6}(?P<attribution>(?:On|Am|Le|El|Il|Em|Op|Den)\s+(?:\w{2,10}[.,]{0,2}\s+)?"
    r"(?:\w{3,9}\.?\s+)?\d[^:]{4,60}\d:\d\d.{3,120}[:\uff1a])\s*"
)
_MOST_COPIED: Final = 64 * 1024  # characters
_FEWEST_COPIED: Final = 8  # letters and digits
_LONGEST_GAP: Final = 12  # lines between two runs of a quote
# GroupWise writes the attribution of a quote without marks between these.
_GROUPWISE: Final = re.compile(
    r">>> ?(?P<attribution>[^<>]{0,100}(?:<[^<>]{3,100}>)?[^<>]{6,60}\d[^<>]{0,12})>>> ?"
)
# Yahoo's app begins the quoted mail behind the attribution.
_CONTINUED: Final = re.compile(
    r"<[^<>@\s]{1,64}@[^<>@\s]{1,255}>[^<>:\uff1a]{0,30}[:\uff1a](?=\s{2,}\S)"
)
_LONGEST_ATTRIBUTION: Final = 300
_TORN_END: Final = re.compile(r"> ?[^<>]{2,30}[:\uff1a]\s*")
_BROKEN_LINK: Final = re.compile(r".{0,300}https?://\S{1,300}")
_WRAPPED_FROM: Final = 66  # characters from which clients wrap a quoted line
_LONGEST_REMAINDER: Final = 25  # of a quoted line that was wrapped
_LONGEST_REST: Final = 78  # of one that was wrapped inside a sentence


def new_text(
    text: str,
    subject: str,
    *,
    quote_at: int | None = None,
    signature: str = "",
    writer: str = "",
    is_answer: bool = False,
    answers_none: bool = False,
) -> str:
    """
    Return the text without the quoted mail, the signature and the footer of an app.

    *quote_at* is the offset at which the mail client marked the quote, *signature* the text that it marked as such,
    *writer* the name of the sender. *is_answer*: the subject says so, and headers that come first belong to a quote.
    *answers_none*: neither subject nor headers name another mail, so lines with `>` below a colon are the sender's own.
    The result is the full text for a forward and for answers between quotes, and empty if the sender wrote nothing.
    """
    marked = None if quote_at is None else text.count("\n", 0, quote_at)
    whole = text.split("\n")
    if marked is None:
        whole = _repaired(whole)
    opening = _opening(whole, subject, marked)
    if _says_forward(subject, text) or _is_forwarded(text, opening):
        return text.strip()
    lines = without_signature(whole)
    is_own = answers_none and marked is None and _are_introduced(lines, opening)
    own = lines if is_own else _own_lines(lines, opening, marked, is_answer=is_answer)
    is_quoting = len(own) < len(lines)
    own = without_footers(own, may_be_all=is_quoting)
    own = without_marked_signature(own, signature, may_be_all=is_quoting)
    own = without_footers(own, may_be_all=is_quoting)
    return "\n".join(footers.without_letter_form(own, writer)).strip()


def copy_begin(text: str, subject: str) -> int | None:
    """Return the offset below an attribution that is the first text, None without one or above marks of a quote."""
    lines = text.split("\n")
    opening = quotes.first_opening(lines, subject, None)
    stop = opening.lines.stop
    below = next((line for line in lines[stop:] if line.strip()), None)
    if (
        below is None
        or is_quoted(below)
        or any(line.strip() for line in lines[: opening.lines.start])
    ):
        return None
    return sum(len(line) + 1 for line in lines[:stop])


def below_copy(copy: str, known: str) -> str | None:
    """
    Return what its sender wrote below the *known* text that a text begins with, None if it does not.

    Clients wrap and decorate text differently: only letters and digits are compared.
    """
    wanted = "".join(filter(str.isalnum, known))
    positions = [at for at, sign in enumerate(copy[:_MOST_COPIED]) if sign.isalnum()]
    copied = "".join(copy[at] for at in positions[: len(wanted)])
    if copied != wanted or len(wanted) < _FEWEST_COPIED:
        return None
    end_of_line, _, below = copy[positions[len(wanted) - 1] + 1 :].partition("\n")
    return new_text(f"{end_of_line}\n{below}" if any(map(str.isalnum, end_of_line)) else below, "")


def _repaired(lines: list[str]) -> list[str]:
    """
    Return the lines, each attribution on lines of its own.

    Some clients write it behind the text, others tear its address apart.
    """
    parted: list[str] = []
    for number, line in enumerate(lines):
        if _is_torn(lines, number - 1) or _is_torn(lines, number - 2):
            continue
        if _is_torn(lines, number):
            while parted and not parted[-1].strip():
                parted.pop()
            name = parted.pop() if parted else ""
            parted.append(" ".join([name, *(one.strip() for one in lines[number : number + 3])]))
            continue
        if groupwise := _GROUPWISE.fullmatch(line):
            parted.append(f"{groupwise['attribution'].strip()} wrote:")
            continue
        if end := _end_of_attribution(line):
            parted += [line[:end], line[end:].strip()]
            continue
        below = next((one for one in lines[number + 1 : number + 3] if one.strip()), "")
        found = _SHARED.fullmatch(line) if is_quoted(below) and not is_quoted(line) else None
        parted += [found["own"], found["attribution"]] if found else [line]
    return parted


def _end_of_attribution(line: str) -> int:
    """Return the position behind an indented attribution with a quote in its line, 0 without one."""
    found = _CONTINUED.search(line, 0, _LONGEST_ATTRIBUTION) if line.startswith(" ") else None
    above = line[: found.start()] if found else ""
    return found.end() if found and any(map(str.isdigit, above)) else 0


def _is_torn(lines: list[str], number: int) -> bool:
    """Whether a line has the `<` alone of an address that goes on with `mailto:` and ends with `>` and a verb."""
    if number < 0 or number + 2 >= len(lines) or lines[number].strip() != "<":
        return False
    return lines[number + 1].startswith("mailto:") and bool(_TORN_END.fullmatch(lines[number + 2]))


def _opening(lines: list[str], subject: str, marked: int | None) -> Opening:
    """
    Return the introduction of the quoted mail.

    One above all text, with text below it that nothing marks as a quote, is a sentence of the sender.
    """
    opening = quotes.first_opening(lines, subject, marked)
    start, stop = opening.lines.start, opening.lines.stop
    if opening.is_copied or opening.is_forward or _has_text(lines, 0, start):
        return opening
    below = next((number for number in range(stop, len(lines)) if lines[number].strip()), None)
    if below is None or is_quoted(lines[below]) or (marked is not None and marked <= below):
        return opening
    return quotes.first_opening(lines, subject, marked, start=stop)


def _own_lines(
    lines: list[str], opening: Opening, marked: int | None, *, is_answer: bool
) -> list[str]:
    """Return the lines outside the quoted mail; all of them if the sender answered between quotes."""
    runs = _quoted_runs(lines)
    start, stop = opening.lines.start, opening.lines.stop
    if marked is not None and marked < start:
        start, stop = marked, stop if not _has_text(lines, marked, start) else marked
    is_first = opening.is_copied and not _has_text(lines, 0, start)
    if not runs and is_first and not is_answer:
        return lines  # Copied headers come first: a forward without its mark.
    if not runs:
        return lines[:start]
    first, last = runs[0], runs[-1]
    if start < first.start and _has_text(lines, stop, first.start):
        return lines[:start]  # The quoted mail has no `>`, and quotes another one itself.
    if _has_text(lines, first.stop, last.start):
        return lines
    begin = min(start, first.start)
    below = lines[last.stop :]
    if start >= last.stop:
        below = lines[last.stop : start]
    return [*lines[:begin], *below]


def _are_introduced(lines: list[str], opening: Opening) -> bool:
    """Whether the first lines with `>` have no attribution, and a text with a colon above them, as "The log says:"."""
    first = next((number for number, line in enumerate(lines) if is_quoted(line)), 0)
    above = next((line for line in reversed(lines[:first]) if line.strip()), "")
    return above.rstrip().endswith(":") and opening.lines.start >= len(lines)


def _says_forward(subject: str, text: str) -> bool:
    is_answer = _FINNISH_ANSWER.match(subject) and _FINNISH_QUOTE.search(text)
    return bool(_FORWARD_SUBJECT.match(subject)) and not is_answer


def _is_forwarded(text: str, opening: Opening) -> bool:
    """Whether there is the mark of a forward above the first header: one below it is part of the quoted mail."""
    if opening.is_forward:
        return True
    begin = _FORWARD_BEGIN.search(text)
    line = next(
        (one for one in _FORWARD_LINE.finditer(text) if quote_words.FORWARDED.search(one["words"])),
        None,
    )
    starts = [mark.start() for mark in (begin, line) if mark is not None]
    return any(text.count("\n", 0, at) <= opening.lines.start for at in starts)


def _quoted_runs(lines: list[str]) -> list[range]:
    """
    Return the runs of quoted lines, with the remainders of wrapped ones and the attributions inside them.

    One quoted line inside a paragraph is text, as in "> 5000".
    """
    runs: list[range] = []
    number = 0
    while number < len(lines):
        start = number
        while number < len(lines) and is_quoted(lines[number]):
            number += 1
        is_inside = number - start == 1 and start > 0 and bool(lines[start - 1].strip())
        is_inside = is_inside and bool(lines[start].strip(" >"))
        if number > start and runs and _is_part_of_quote(lines, runs[-1].stop, start):
            runs[-1] = range(runs[-1].start, number)
        elif number > start and (not is_inside or _introduces(lines, start - 1)):
            runs.append(range(start, number))
        number += 1
    return runs


def _introduces(lines: list[str], number: int) -> bool:
    """Whether an attribution ends at this line."""
    return any(
        (found := quotes.attribution_ending(lines, first, None, most=number - first + 1))
        and found.stop == number + 1
        for first in range(max(number - 2, 0), number + 1)
    )


def _is_part_of_quote(lines: list[str], start: int, stop: int) -> bool:
    """Whether the lines between two runs are no answer: the end of a wrapped line, or an attribution."""
    if stop - start > _LONGEST_GAP:
        return False
    texts = [number for number in range(start, stop) if lines[number].strip()]
    if not texts:
        return False
    if len(texts) == 1 and stop - start == 1:
        above, line = lines[start - 1], lines[start].strip()
        if _BROKEN_LINK.fullmatch(above.rstrip()) and " " not in line:
            return True
        most = _LONGEST_REMAINDER if not line[0].islower() else _LONGEST_REST
        if len(above) >= _WRAPPED_FROM and len(line) <= most:
            return not above.rstrip().endswith((".", "?", "!", ":"))
    found = quotes.attribution_ending(lines, texts[0], None, most=3)
    return found is not None and found.stop == texts[-1] + 1


def _has_text(lines: list[str], start: int, end: int) -> bool:
    """Whether there is a line with unquoted text in this range."""
    return any(line.strip() and not is_quoted(line) for line in lines[start:end])
