"""
Recognises verification mails: one-time codes, magic links, "confirm your address". They prove access to a mailbox, so
that no answer may pass them on.

Structure counts first: a program as sender, one code alone on a line, a link with a token, a short text. Words of
many languages add to it, and tell order numbers and postcodes from codes. Points are added up; a mail of a person needs
more of them than one of a program.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.parsing.answer_rules import is_robot
from email_threads.parsing.body import html
from email_threads.parsing.kinds import REPORTS
from email_threads.parsing.verification.words import (
    ADDRESSED,
    MINUTES,
    NEGATION,
    REFERENCE,
    VERIFICATION,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from email_threads.parsing.mail import ParsedMail

OF_PROGRAM: Final = 4  # points of a mail that a program sent
OF_PERSON: Final = 5
MOST_TEXT: Final = 6_000  # characters that are read
MOST_CONTEXT: Final = 600  # characters of a line around a code
SHORT: Final = 600
_LONG: Final = 1_500
_MOST_LINKS: Final = 4
_FORM_LABEL: Final = 2  # words
_SENTENCE: Final = 12  # words
_CODE_LENGTHS: Final = range(4, 11)
_LETTERS_ONLY: Final = 6
_YEARS: Final = range(1_900, 2_101)
_LONG_TOKEN: Final = 16

_GROUPS: Final = re.compile(r"[A-Za-z0-9]{1,10}(?:[ \-.\u2013][A-Za-z0-9]{1,10}){0,9}")
# Scripts that put no blanks around a number.
_WITHOUT_BLANKS: Final = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
# After a label, or as a word of a sentence: digits, or capitals with digits, also in two or three groups.
_INLINE: Final = re.compile(
    rf"(?:(?<![\w.,/#@=-])|(?<=[{_WITHOUT_BLANKS}]))(?:[A-Z]-)?"
    r"(?P<code>[A-Z0-9]{4,10}|\d{3}[ -]\d{3,4}|[A-Z0-9]{3,5}-[A-Z0-9]{3,5})"
    rf"(?:(?=[{_WITHOUT_BLANKS}])|(?![\w@%/=-]|[.,]\d{{1,3}}(?!\w)))"
)
_LINK: Final = re.compile(r"https?://[^\s<>\"')\]]{4,2000}", re.IGNORECASE)
_TOKEN: Final = re.compile(r"[A-Za-z0-9_~.-]{6,}")
_HINT: Final = re.compile(
    r"confirm|verif|activat|validat|magic|log-?in|sign-?in|sign-?up|signup|auth|otp|one-?time|token|passw|reset"
    r"|invit|bestaetig|[?&/](?:code|key|c|t)=",
    re.IGNORECASE,
)
_LIST_LINK: Final = re.compile(
    r"unsubscri|optout|opt-out|preferences|abmeld|desinscri|track|/open|pixel", re.IGNORECASE
)
# Sender names that only programs have, besides the names that never get an answer.
_SENDER: Final = re.compile(
    r"(?:.*[._+-])?(?:verify|verification|codes?|otp|auth|authentication|login|signin|security|accounts?|alerts?|notify"
    r"|automated|automailer|mailer|robot|bot)(?:[._+-].*)?"
)
_NEXT_WORD: Final = re.compile(r"\s*[^\W_]")
_EDGE: Final = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class _Code:
    """
    A code in a text. *is_alone*: nothing else stands on its line; *ends*: the sentence is over after it. *context* is
    its label and its line.
    """

    text: str
    is_alone: bool
    context: str
    ends: bool = False


def is_verification(mail: ParsedMail) -> bool:
    """Whether a mail has a code or a link that proves access to the mailbox. A report about another mail never is."""
    if mail.kind in REPORTS:
        return False
    is_program = _is_by_program(mail)
    is_answer = bool(mail.in_reply_to or mail.references) and not is_program
    subject, text = normal(mail.subject), _text(mail, is_answer=is_answer)
    names = " ".join(normal(file.filename) for file in mail.attachments if not file.is_inline)
    codes = [*_codes(subject, text), *_codes_of_names(names)]
    links = [link for link in _LINK.findall(text) if not _LIST_LINK.search(link)]
    content = max(_points_of_codes(codes, is_program=is_program), _points_of_links(links))
    if content == 0:
        return False
    whole = f"{subject}\n{text}"
    near = "\n".join([subject, *(code.context for code in codes)])
    spoken = f"{whole}\n{near}" if len(text) <= SHORT else near
    points = (
        content
        + (2 if is_program else 0)
        + (2 if VERIFICATION.search(spoken) else 0)
        + (2 if ADDRESSED.search(whole[:_LONG]) else 0)
        + (1 if MINUTES.search(whole) else 0)
        + (1 if any(_is_announced(code) for code in codes) else 0)
        - (1 if is_answer else 0)
        - (2 if any(_is_complaint(code) for code in codes) else 0)
        - (2 if len(text) > _LONG else 0)
        - (2 if len(set(links)) > _MOST_LINKS else 0)
    )
    return points >= (OF_PROGRAM if is_program else OF_PERSON)


def normal(text: str) -> str:
    """Return a text with ASCII digits, compatible forms of letters, and without invisible characters."""
    if text.isascii():  # has none of these; most words of a mail
        return text
    compatible = unicodedata.normalize("NFKC", text)
    return "".join(
        str(unicodedata.decimal(sign)) if unicodedata.category(sign) == "Nd" else sign
        for sign in compatible
        if unicodedata.category(sign) != "Cf"
    )


def _is_by_program(mail: ParsedMail) -> bool:
    """Whether the headers or the name of the sender say that a program wrote the mail."""
    suppressed = (mail.headers.first("x-auto-response-suppress") or "none").strip().lower()
    return (
        mail.is_automatic
        or mail.is_list
        or mail.verdicts.is_null_sender
        or suppressed != "none"
        or is_robot(mail.sender)
        or _SENDER.fullmatch((mail.sender or "").rpartition("@")[0]) is not None
    )


def _text(mail: ParsedMail, *, is_answer: bool) -> str:
    """Return the sender's text; of a mail that is no answer also the text of HTML that differs from the body."""
    text = mail.new_text if is_answer else mail.text
    parts = [text]
    if not is_answer and mail.html is not None:
        shown = html.to_text(mail.html).text
        if shown.strip() != text.strip():
            parts.append(shown)
    return normal("\n".join(part[:MOST_TEXT] for part in parts))


def _codes(subject: str, text: str) -> Iterator[_Code]:
    """Yield the codes of subject and text, with their labels."""
    yield from _inline(subject, "")
    label = ""
    for line in (one.strip() for one in text.split("\n")):
        if not line:
            continue
        alone = _alone(line)
        if alone is not None:
            yield _Code(alone, is_alone=True, context=f"{label[-MOST_CONTEXT:]}\n{line}")
        else:
            yield from _inline(_LINK.sub(" ", line), label)
        label = line


def _alone(line: str) -> str | None:
    """Return the code that is all of a line, without the blanks and dashes between its groups."""
    plain = _EDGE.sub("", line)
    if not _GROUPS.fullmatch(plain):
        return None
    groups = re.split(r"[ \-.\u2013]", plain)
    joined = "".join(groups)
    is_word = joined.isalpha() and (len(groups) > 1 or len(joined) < _LETTERS_ONLY)
    if is_word or len(joined) not in _CODE_LENGTHS or not _is_code(joined):
        return None
    return joined


def _inline(line: str, label: str) -> Iterator[_Code]:
    for found in _INLINE.finditer(line):
        code = re.sub(r"[ -]", "", found["code"])
        if _is_code(code) and not code.isalpha():
            ends = _NEXT_WORD.match(line, found.end()) is None
            yield _Code(code, is_alone=False, context=_context(label, line, found), ends=ends)


def _context(label: str, line: str, found: re.Match[str]) -> str:
    """Return the label and the line of a code; of long ones only the part beside it."""
    half = MOST_CONTEXT // 2
    return f"{label[-half:]}\n{line[max(0, found.start() - half) : found.end() + half]}"


def _is_code(text: str) -> bool:
    """Whether this may be a code: digits that are no year, or capitals with digits."""
    if text.isdigit():
        return len(text) in _CODE_LENGTHS and not (len(text) == 4 and int(text) in _YEARS)  # noqa: PLR2004 - the digits of a year
    has_digit = any(sign.isdigit() for sign in text)
    return text.isupper() or (has_digit and text.isalnum() and not text.islower())


def _codes_of_names(names: str) -> list[_Code]:
    words = re.split(r"[\W_]+", names)
    return [
        _Code(word, is_alone=False, context=" ".join(words))
        for word in words
        if word.isdigit() and _is_code(word)
    ]


def _points_of_codes(codes: list[_Code], *, is_program: bool) -> int:
    """Return 2 for a code alone on a line, 1 for a code in a sentence, 0 for numbers of orders."""
    fitting = [code for code in codes if not _is_reference(code)]
    alone = {code.text for code in fitting if code.is_alone and not _is_field(code)}
    named = [code for code in fitting if VERIFICATION.search(code.context)]
    if alone and (not is_program or len(alone) == 1 or named):
        return 2
    return 1 if named else 0


def _is_reference(code: _Code) -> bool:
    """Whether the words around a code name an order, an invoice, a postcode, and no verification."""
    return bool(REFERENCE.search(code.context)) and not VERIFICATION.search(
        REFERENCE.sub(" ", code.context)
    )


def _is_field(code: _Code) -> bool:
    """Whether this is the value of a form's field: its label has a word or two, and none of verification."""
    label = code.context.partition("\n")[0].split()
    is_short = 0 < len(label) <= _FORM_LABEL
    return is_short and not VERIFICATION.search(code.context)


def _is_announced(code: _Code) -> bool:
    """Whether a short sentence ends with the code, as in "Your code is 123456."."""
    line = code.context.rpartition("\n")[2]
    is_named = VERIFICATION.search(line) is not None and not _is_reference(code)
    return code.ends and is_named and len(line.split()) <= _SENTENCE


def _is_complaint(code: _Code) -> bool:
    """Whether a person writes about a code: a question, or that it does not work."""
    line = code.context.rpartition("\n")[2]
    return not code.is_alone and ("?" in line or NEGATION.search(line) is not None)


def _points_of_links(links: list[str]) -> int:
    """Return 2 for a link with a token whose address speaks of confirming or logging in, 1 for another long token."""
    points = 0
    for link in links:
        _, _, path = link.partition("://")[2].partition("/")
        tokens = [token for token in _TOKEN.findall(path) if _is_token(token)]
        if tokens and _HINT.search(link):
            points = 2
        elif any(len(token) >= _LONG_TOKEN for token in tokens):
            points = max(points, 1)
    return points


def _is_token(text: str) -> bool:
    """Whether a part of an address looks random: letters and digits, or digits only."""
    has_digit = any(sign.isdigit() for sign in text)
    return has_digit or (len(text) >= _LONG_TOKEN and text != text.lower())
