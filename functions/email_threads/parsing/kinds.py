"""
Recognises mail that was written by programs: bounces, automatic replies, lists.

Headers and MIME types count. Words of the body do not: "vacation" and "bounce" are ordinary words. Codes of mail servers
and copied headers in the body count in a mail that a program sent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from email_threads.parsing.headers.fields import Headers


class Kind(StrEnum):
    """The kind of a mail by its headers. `held` is decided by the caps."""

    BOUNCE = "bounce"
    COMPLAINT = "complaint"
    RECEIPT = "receipt"
    AUTO_REPLY = "auto_reply"
    LIST = "list"
    CALENDAR_REPLY = "calendar_reply"
    HELD = "held"
    MAIL = "mail"


# About another mail, which they name.
REPORTS: Final = frozenset({Kind.BOUNCE, Kind.COMPLAINT})
_REPORT_TYPES: Final = {
    "global-delivery-status": Kind.BOUNCE,
    "delivery-status": Kind.BOUNCE,
    "feedback-report": Kind.COMPLAINT,
    "disposition-notification": Kind.RECEIPT,
}
_LIST_FIELDS: Final = ("list-id", "list-post", "list-unsubscribe", "feedback-id")
_AUTO_FIELDS: Final = ("x-autoreply", "x-autorespond")
_ROBOTS: Final = re.compile(
    r"(?:.*[._+-])?(?:mailer-?daemon|mail-?daemon|post[._-]?master|mdaemon|mail[._-]?deliver(?:y|er)(?:[._-]?(?:system|subsystem))?|bounces?)(?:[._+-].*)?"
)
_MACHINES: Final = re.compile(r"(?:no|do-?not)[._-]?reply|mailer|notifications?")
_DAEMON: Final = re.compile(r"(?:mailer-?daemon|mail-?daemon)")
# Subjects of reports. They count only in a mail that a program sent.
_REPORT_SUBJECT: Final = re.compile(
    r"undeliver|non[- ]?deliver|not (?:be )?deliver|deliver\w* (?:has )?(?:fail|status|problem|delay|report|notif|error|incomplete|temporar)|failure notice"
    r"|fail(?:ed|ure) (?:delivery|notice)|return(?:ed|ing) (?:mail|message|to sender)|mail (?:system error|failure|could not)|message (?:delayed|could not|undeliver)"
    r"|warning: .{0,40}(?:mail|message)|unzustellbar|nicht zugestellt|zustell\w+ (?:fehl|gescheitert)|non remis|échec de (?:la )?(?:remise|livraison|distribution)"
    r"|no se (?:puede|pudo|ha podido) entregar|non recapitat|mancata consegna|onbestelbaar|niet (?:worden )?(?:bezorgd|afgeleverd)|kan inte levereras|kunne ikke leveres"
    r"|não (?:foi )?entreg|niedoręcz|nedoruč|kézbesíthetetlen|не доставлен|недоставлен|не удалось доставить|недоставка|teslim edileme|配信不能|配信できません|配達できません|メールエラー|退信|投递失败|无法投递|未送达|전송 실패|배달되지",
    re.IGNORECASE,
)
# An answer to a mail repeats its subject.
_ANSWER_SUBJECT: Final = re.compile(
    r"\s*(?:re|r|ref|aw|antw?|sv|vs|odp|res|rif|ynt|atb|vá|απ|שב|رد|回复|回覆|答复|答覆|返信|wg|fwd?|tr|auto(?:matic|mated)?[ -]?(?:reply|response|answer)|out of (?:the )?office|abwesen\w*"
    r"|automatische antwort|réponse automatique|absence\b.{0,20}|respuesta automática|risposta automatica|automatisch antwoord|resposta automática|automatiskt svar|自動(?:返信|応答)|自动(?:回复|答复)|автоответ)\s*[:\uff1a]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """
    What the body says about the kind. *report_types*: the types of its report parts, without `message/`. *is_receipt*:
    its delivery status reports no failure. *has_code*: its text has a code of a mail server. *says_failure*: it says
    that a mail did not arrive. *returns_mail*: it contains another mail or its headers.
    """

    report_types: AbstractSet[str] = frozenset()
    is_receipt: bool = False
    has_code: bool = False
    says_failure: bool = False
    returns_mail: bool = False
    calendar_method: str | None = None


NO_BODY: Final = Body()


def of(headers: Headers, sender: str | None, body: Body, *, is_null_sender: bool) -> Kind:
    """Return the kind of a mail; the first that matches. *is_null_sender*: SES saw an envelope without sender."""
    if report := report_kind(headers, sender, body, is_null_sender=is_null_sender):
        return report
    if is_automatic(headers) or is_null_sender:
        return Kind.AUTO_REPLY
    if is_list(headers):
        return Kind.LIST
    return Kind.CALENDAR_REPLY if body.calendar_method == "REPLY" else Kind.MAIL


def report_kind(
    headers: Headers, sender: str | None, body: Body = NO_BODY, *, is_null_sender: bool = False
) -> Kind | None:
    """Return the kind of a report about another mail, None if this is none."""
    declared = (headers.first("content-type") or "").lower()
    is_declared = declared.startswith("multipart/report")
    for name, kind in _REPORT_TYPES.items():
        if (is_declared and name in declared) or name in body.report_types:
            return Kind.RECEIPT if kind is Kind.BOUNCE and body.is_receipt else kind
    if headers.first("x-failed-recipients") is not None:
        return Kind.BOUNCE
    return Kind.BOUNCE if _is_old_report(headers, sender, body, is_null_sender) else None


def _is_old_report(
    headers: Headers,
    sender: str | None,
    body: Body,
    is_null_sender: bool,
) -> bool:
    """
    Whether a mail server wrote this without report parts.

    No person writes as mailer-daemon, or without an address. The envelope alone is no evidence: automatic replies have
    none, too. Archived mail has often lost its Return-Path.
    """
    name = (sender or "").partition("@")[0]
    is_null = is_null_sender or is_null_return_path(headers)
    is_robot = bool(_ROBOTS.fullmatch(name))
    return_path = headers.first("return-path")
    if is_robot and (is_null or (return_path is None and _DAEMON.search(name))):
        return True
    subject = headers.text("subject")
    is_named = bool(_REPORT_SUBJECT.search(subject)) and not is_answer(subject)
    is_explained = body.has_code or body.says_failure
    if sender is None:
        return is_named or (is_explained and (is_null or body.returns_mail))
    if is_robot and is_named:
        return True
    if is_null or is_robot:
        # Not the subject alone: an automatic reply repeats the subject of our mail, such as "Delivery delayed".
        return sum((is_named, body.has_code, body.says_failure, body.returns_mail)) > 1
    is_program = is_automatic(headers) or (return_path is None and bool(_MACHINES.fullmatch(name)))
    return is_program and is_named and is_explained and body.returns_mail


def is_answer(subject: str) -> bool:
    """Whether a subject begins as subjects of answers or forwards do."""
    return bool(_ANSWER_SUBJECT.match(subject))


def is_automatic(headers: Headers) -> bool:
    """Whether a program sent this, as an out-of-office reply (RFC 3834 and older fields)."""
    submitted = (headers.first("auto-submitted") or "no").partition(";")[0].strip().lower()
    return (
        submitted != "no"
        or any(headers.first(name) is not None for name in _AUTO_FIELDS)
        or _precedence(headers) == "auto_reply"
    )


def is_list(headers: Headers) -> bool:
    """Whether this came by a mailing list or is bulk mail."""
    return any(headers.first(name) is not None for name in _LIST_FIELDS) or (
        _precedence(headers) in {"list", "bulk", "junk"}
    )


def is_null_return_path(headers: Headers) -> bool:
    """Whether the first Return-Path is `<>`: no answer to this mail is wanted."""
    return (headers.first("return-path") or "").strip() == "<>"


def _precedence(headers: Headers) -> str:
    return (headers.first("precedence") or "").strip().lower()
