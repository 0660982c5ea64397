"""Reads a delivery report (RFC 3464, or the text of older mail servers): the class of a bounce and its diagnostic code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from email_threads.parsing import caps, charsets
from email_threads.parsing.body import bounce_words

if TYPE_CHECKING:
    from collections.abc import Collection

LONGEST_DIAGNOSTIC: Final = 500  # characters
_MOST_TEXT: Final = 32 * 1024
_MOST_SOURCE: Final = 256 * 1024


class BounceClass(StrEnum):
    """The reason of a bounce: `hard` stays, another mail may pass after `soft`, `blocked` is a refusal of the sender, `full` the mailbox."""

    HARD = "hard"
    SOFT = "soft"
    BLOCKED = "blocked"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Bounce:
    """The class of a bounce, and the answer of the mail server, on one line; None if the report has none."""

    bounce_class: BounceClass
    diagnostic: str | None = field(default=None, repr=False)


# The enhanced status code (RFC 3463), and the older reply code of SMTP.
_ENHANCED: Final = re.compile(r"(?<![\w.])([45])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_REPLY: Final = re.compile(r"(?<![\w.:-])([45])[0-5]\d(?=[ \-#]|$)")
_FIELD: Final = re.compile(
    r"^(?P<name>status|action|diagnostic-code)[ \t]*:[ \t]*(?P<value>.{0,900}(?:\n[ \t]+.{0,900}){0,9})",
    re.IGNORECASE | re.MULTILINE,
)
_CODE: Final = re.compile(
    r"(?<![\w.:/-])[45][0-5]\d(?=[ \-#][^/])|(?<![\w.])[45]\.\d{1,3}\.\d{1,3}(?![\d.])"
)
_MESSAGE_ID: Final = re.compile(
    r"^[> \t]{0,9}(?:(?:x-)?original-)?message-id[ \t]*:[ \t]*(?:\n[ \t]+)?<?([^<>\s@]{1,200}@[^<>\s]{1,200}|(?<=<)[^<>\s]{3,300}(?=>))>?",
    re.IGNORECASE | re.MULTILINE,
)
_NAMED_ID: Final = re.compile(
    r"message[- ]?id(?:entifier)?\b[^<>@\n]{0,20}<([^<>\s@]{1,200}@[^<>\s@]{1,200})>", re.IGNORECASE
)
# The first header of the mail that a report copied into its text, or the line above it.
_COPY: Final = re.compile(
    r"^[> \t]{0,9}(?:(?:return-path|received|message-id|dkim-signature|mime-version|x-[\w-]{1,40})[ \t]*:|-{2,}.{0,60}(?:copy|original|returned|message|header).{0,60}$)",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWERS: Final = (
    *(_CODE, bounce_words.NO_ADDRESS, bounce_words.FULL, bounce_words.PASSING),
    bounce_words.BLOCKED,
)
_PASSED_ON: Final = frozenset({"delivered", "relayed", "expanded"})
_LONGEST_LINE: Final = 500
_CONTINUED: Final = 3  # lines of a server's answer, of which the first ends with a colon
# Subjects of status codes (RFC 3463) of which another mail may pass: system, network, protocol, content.
_PASSING_SUBJECTS: Final = frozenset("3456")
_TOO_LARGE: Final = ("2", "3")
_GONE: Final = frozenset(
    {
        ("1", "1"),
        ("1", "2"),
        ("1", "3"),
        ("1", "6"),
        ("1", "10"),
        ("2", "1"),
        ("4", "1"),
        ("6", "7"),  # The address is not in ASCII, and its server does not offer SMTPUTF8.
        ("7", "13"),
    }
)
_NO_ROUTE: Final = ("4", "4")
_BAD_SENDER_CODES: Final = frozenset({("1", "7"), ("1", "8")})


def text_of(content: bytes) -> str:
    """Return the text of a delivery status part."""
    return charsets.decode(content[:_MOST_TEXT], None)[0].replace("\r\n", "\n")


def is_no_failure(status: str) -> bool:
    """Whether every recipient of a delivery status was reached: a receipt, and no bounce."""
    actions = [
        found["value"].strip().lower()
        for found in _FIELD.finditer(status)
        if found["name"].lower() == "action"
    ]
    return bool(actions) and all(action.split(" ")[0] in _PASSED_ON for action in actions)


def has_code(text: str) -> bool:
    """Whether a text names a status code of a refusal or a delay."""
    return bool(_CODE.search(text[:_MOST_TEXT]))


def says_failure(text: str) -> bool:
    """Whether the text of a report, above the mail that it copied, says that a mail did not arrive."""
    own = _own_text(text)
    return any(
        words.search(own)
        for words in (bounce_words.FAILURE, bounce_words.NO_ADDRESS, bounce_words.FULL)
    )


def returned_ids(text: str) -> list[str]:
    """Return the Message-IDs that a report names in its text: of copied headers, else in a sentence; without brackets."""
    text = text[:_MOST_TEXT]
    return [found[1] for found in _MESSAGE_ID.finditer(text)] or [
        found[1] for found in _NAMED_ID.finditer(text)
    ]


def ids_in_source(raw: bytes, own: Collection[str]) -> list[str]:
    """Return the Message-IDs of headers in the source of a damaged report, without its *own*."""
    body = raw[len(caps.header_block(raw)) :][:_MOST_SOURCE].decode("latin-1").replace("\r", "\n")
    return [name for name in (found[1] for found in _MESSAGE_ID.finditer(body)) if name not in own]


def bounce_of(status: str, text: str, subject: str) -> Bounce:
    """Classify a bounce by its delivery status, else by its text and subject."""
    fields = _failed_recipient(status)
    text = text[:_MOST_TEXT]
    own = _own_text(text)
    code = fields.get("status", "")
    diagnostic = fields.get("diagnostic-code") or ""
    if not diagnostic.strip() or not (code or _CODE.search(diagnostic)):
        diagnostic = _answer_in(own) or diagnostic or _answer_in(text, _CODE)
    return Bounce(
        _class_of(code, diagnostic, fields.get("action", ""), f"{subject}\n{own}"),
        diagnostic[:LONGEST_DIAGNOSTIC] or code or None,
    )


def _own_text(text: str) -> str:
    """Return the text of a report above the mail that it copied; all of it, if the copy comes first."""
    text = text[:_MOST_TEXT]
    copy = _COPY.search(text)
    above = text[: copy.start()] if copy else text
    return above if above.strip() else text


def _failed_recipient(status: str) -> dict[str, str]:
    """Return the fields of the first recipient whom the mail did not reach: lower-case names and values on one line."""
    recipients = [
        {
            found["name"].lower(): " ".join(found["value"].split())
            for found in reversed([*_FIELD.finditer(group)])
        }
        for group in re.split(r"\n[ \t]*\n", status)
    ]
    failed = [
        fields
        for fields in recipients
        if fields and fields.get("action", "").lower().split(" ")[0] not in _PASSED_ON
    ]
    hard = [fields for fields in failed if fields.get("action", "").lower().startswith("failed")]
    return next(iter(hard or failed), {})


def _answer_in(text: str, *reasons: re.Pattern[str]) -> str:
    """Return the answer of a mail server in a text: the line with a code, else with words of a reason; "" if none."""
    lines = text.split("\n")
    for is_answer in reasons or _ANSWERS:
        for number, line in enumerate(lines):
            if len(line) <= _LONGEST_LINE and is_answer.search(line):
                return " ".join(" ".join(_continued(lines, number)).split())
    return ""


def _continued(lines: list[str], number: int) -> list[str]:
    """Return a line, with those that follow as long as it ends with a colon or the next line repeats its code."""
    answer = [lines[number]]
    for line in lines[number + 1 : number + _CONTINUED]:
        if not line.strip() or not (answer[-1].rstrip().endswith(":") or _CODE.match(line.strip())):
            break
        answer.append(line)
    return answer


def _class_of(code: str, diagnostic: str, action: str, text: str) -> BounceClass:
    # The server's own code is more precise than the general 5.0.0 that some reports give.
    codes = [found for one in (diagnostic, code) if (found := _ENHANCED.search(one))]
    found = next((one for one in codes if one[2] != "0"), codes[0] if codes else None)
    detail = (found[2], found[3]) if found else ("0", "0")
    said = diagnostic or text
    reply = _REPLY.search(diagnostic)
    digit = found[1] if found else (reply[1] if reply else "")
    is_permanent = digit == "5"
    is_passing = bool(bounce_words.PASSING.search(said))
    is_gone = is_permanent and not is_passing
    rules = (
        (BounceClass.FULL, detail == ("2", "2") or bounce_words.FULL.search(said)),
        (BounceClass.BLOCKED, detail in _BAD_SENDER_CODES or bounce_words.BAD_SENDER.search(said)),
        (BounceClass.SOFT, bounce_words.RATE.search(said)),
        (BounceClass.HARD, digit != "4" and bounce_words.NO_ADDRESS.search(said)),
        (BounceClass.HARD, is_gone and detail in _GONE),
        (BounceClass.BLOCKED, detail[0] == "7" or bounce_words.BLOCKED.search(said)),
        (BounceClass.HARD, is_gone and detail == _NO_ROUTE),
        (BounceClass.SOFT, is_passing or action.lower().startswith("delayed")),
        (BounceClass.SOFT, detail == _TOO_LARGE or detail[0] in _PASSING_SUBJECTS),
        (BounceClass.SOFT, digit == "4"),
        (BounceClass.HARD, is_permanent),
        (BounceClass.SOFT, bounce_words.TEMPORARY.search(text)),
    )
    return next((one for one, applies in rules if applies), BounceClass.HARD)
