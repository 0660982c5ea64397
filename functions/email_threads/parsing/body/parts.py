"""Walks the MIME tree of a mail and separates its text from its attachments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.errors import MessageError
from email.message import Message
from html import escape
from typing import Final

from email_threads.parsing import charsets
from email_threads.parsing.body import attachments, delivery_status, flowed, html, quote_marks
from email_threads.parsing.flags import Flag
from email_threads.parsing.headers.fields import Headers

MOST_ATTACHMENTS: Final = 100
RICH_TEXT_ONLY: Final = "[rich text only]"
ENCRYPTED: Final = "[encrypted]"

_PLAIN: Final = "text/plain"
_HTML: Final = "text/html"
_CALENDAR: Final = "text/calendar"
_RETURNED_HEADERS: Final = "text/rfc822-headers"
_SHORT_TEXT: Final = 20
_METHOD: Final = re.compile(r"^METHOD:([A-Za-z-]{1,20})\s*$", re.MULTILINE)
_MOST_CALENDAR: Final = 64 * 1024
_ENCODING: Final = re.compile(r"[\s\"']*([\w-]+)")
# Embedded mails, also with fields in UTF-8 (RFC 6532).
_MAILS: Final = frozenset({"message/rfc822", "message/global"})
_TNEF: Final = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
# The kind is read from the headers; these parts are no files for a person.
_REPORTS: Final = frozenset(
    {"message/delivery-status", "message/feedback-report", "message/disposition-notification"}
    | {"message/global-delivery-status", _RETURNED_HEADERS}
)


_DELIVERY_REPORTS: Final = frozenset({"message/delivery-status", "message/global-delivery-status"})


@dataclass(slots=True)
class Content:
    """
    The decoded content of a mail.

    *html* is as it came, within the caps, None if there is none. *quote_at* is the offset in *text* at which a mail
    client marked the quoted mail, *signature* the signature that it marked. *calendar_method*: the method of an
    invitation, in upper case. *returned_ids* are the Message-IDs of embedded mails: in a bounce, of the mail that came
    back. *report_types*: types of report parts, without `message/`. *delivery_status*: the text of a delivery report.
    """

    text: str = ""
    html: str | None = None
    quote_at: int | None = None
    signature: str = ""
    attachments: list[attachments.Attachment] = field(default_factory=list)
    calendar_method: str | None = None
    returned_ids: list[str] = field(default_factory=list)
    report_types: set[str] = field(default_factory=set)
    delivery_status: str = ""
    flags: set[Flag] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the body: plain text, HTML, or both as alternatives."""

    plain: str | None
    html: str | None


@dataclass(frozen=True, slots=True)
class _File:
    """A part that is a file; *is_shown*: and a piece of the body."""

    part: Message
    is_shown: bool = False


def read(message: Message) -> Content:
    """Read the text and the attachments of a parsed mail, of which the caps were checked."""
    content = Content()
    if any(part.defects for part in message.walk()):
        content.flags.add(Flag.DEFECTS)
    files: list[_File] = []
    pieces = _walk(message, content, files, is_whole=True)
    _set_text(content, [piece for piece in pieces if piece.html or (piece.plain or "").strip()])
    _add_attachments(content, files)
    if not content.text.strip():
        if Flag.TNEF in content.flags:
            content.text = RICH_TEXT_ONLY
        elif Flag.ENCRYPTED in content.flags:
            content.text = ENCRYPTED
    return content


def _walk(
    part: Message,
    content: Content,
    files: list[_File],
    *,
    is_alternative: bool = False,
    is_whole: bool = False,
) -> list[_Piece]:
    kind = part.get_content_type()
    if kind == _RETURNED_HEADERS:
        content.returned_ids += Headers.read(_bytes_of(part)).ids("message-id")
    if kind in _REPORTS:
        content.report_types.add(kind.partition("/")[2])
    if kind in _DELIVERY_REPORTS:
        content.delivery_status += delivery_status.text_of(_bytes_of(part))
    if kind in _REPORTS or (is_alternative and _is_other_rendering(part, kind)):
        return []
    if not kind.startswith("multipart/") or not part.is_multipart():
        return _leaf(part, kind, content, files, is_whole=is_whole)
    if kind == "multipart/encrypted":
        content.flags.add(Flag.ENCRYPTED)
    are_alternatives = kind == "multipart/alternative"
    children = [child for child in part.get_payload() if isinstance(child, Message)]
    branches = [_walk(child, content, files, is_alternative=are_alternatives) for child in children]
    if are_alternatives:
        return _alternative([branch for branch in branches if branch])
    return [piece for branch in branches for piece in branch]


def _leaf(
    part: Message, kind: str, content: Content, files: list[_File], *, is_whole: bool
) -> list[_Piece]:
    """Return the text of a part, or none and list its file. A text that is the whole mail is read as its body."""
    is_body = (
        kind in {_PLAIN, _HTML} or kind.startswith("multipart/") or _is_unnamed_text(part, kind)
    )
    is_attached = part.get_content_disposition() == "attachment"
    if not is_body or (is_attached and not is_whole):
        files.append(_File(part))
        return []
    if kind.startswith("text/") and (is_attached or attachments.given_name(part)):
        files.append(_File(part, is_shown=True))
    text, is_valid = charsets.decode(_bytes_of(part), _charset(part))
    if not is_valid:
        content.flags.add(Flag.DEFECTS)
    text = charsets.normal(text)
    if kind != _HTML:
        return [_Piece(_unfolded(part, text), None)]
    text, is_cut = html.cut(text)
    if is_cut:
        content.flags.add(Flag.HTML_TRUNCATED)
    return [_Piece(None, text)]


def _unfolded(part: Message, text: str) -> str:
    """Return a text without the soft line breaks of `format=flowed`."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    return flowed.unfolded(text, deletes_space=str(part.get_param("delsp", "")).lower() == "yes")


def _is_unnamed_text(part: Message, kind: str) -> bool:
    """Whether this is text of another type than plain text, HTML and invitations, and no file."""
    return (
        kind.startswith("text/")
        and kind not in {_PLAIN, _HTML, _CALENDAR}
        and not attachments.given_name(part)
    )


def _is_other_rendering(part: Message, kind: str) -> bool:
    """Whether this alternative is for special clients, as `text/x-amp-html` or `text/watch-html`."""
    return _is_unnamed_text(part, kind) and part.get_content_disposition() != "attachment"


def _alternative(branches: list[list[_Piece]]) -> list[_Piece]:
    """
    Choose the first alternative of plain text and the last with HTML.

    The plain text is left out if it has under 20 characters and the HTML has more, as in "Your client shows no HTML".
    """
    with_html = next((branch for branch in reversed(branches) if _has_html(branch)), None)
    plain = next((branch for branch in branches if not _has_html(branch)), None)
    if with_html is None or plain is None:
        return with_html or plain or []
    text, document = _text_of(plain).text, _html_of(with_html)
    if len(text.strip()) < _SHORT_TEXT:
        other = len(html.to_text(document).text.strip())
        if other >= _SHORT_TEXT or not text.strip():
            return [_Piece(None, document)]
    return [_Piece(text, document)]


def _set_text(content: Content, pieces: list[_Piece]) -> None:
    converted = _text_of(pieces)
    content.text, content.quote_at = converted.text, converted.quote_at
    content.signature = converted.signature
    if _has_html(pieces):
        content.html = _html_of(pieces)


def _text_of(pieces: list[_Piece]) -> html.HtmlText:
    """Join the text of all pieces. The offset of a quote is known if the text is one HTML document."""
    texts = [_text_of_piece(piece) for piece in pieces]
    if len(texts) == 1:
        return texts[0]
    return html.HtmlText("\n".join(text.text for text in texts), None)


def _text_of_piece(piece: _Piece) -> html.HtmlText:
    """Return the plain text, with the offset of the quote that the HTML alternative marks; without one, of the HTML."""
    marked = html.to_text(piece.html) if piece.html is not None else html.HtmlText("", None)
    if piece.plain is None:
        return marked
    above = marked.text[: marked.quote_at] if marked.quote_at is not None else ""
    quote_at = quote_marks.aligned(above, piece.plain)
    return html.HtmlText(piece.plain, quote_at, marked.signature)


def _html_of(pieces: list[_Piece]) -> str:
    return "\n".join(piece.html or f"<pre>{escape(piece.plain or '')}</pre>" for piece in pieces)


def _has_html(pieces: list[_Piece]) -> bool:
    return any(piece.html is not None for piece in pieces)


def _add_attachments(content: Content, files: list[_File]) -> None:
    names: list[str] = []
    if len(files) > MOST_ATTACHMENTS:
        content.flags.add(Flag.ATTACHMENTS_CUT)
    for number, file in enumerate(files[:MOST_ATTACHMENTS], 1):
        part = file.part
        kind = part.get_content_type()
        given = attachments.given_name(part)
        if kind in _TNEF or given.lower() == "winmail.dat":
            content.flags.add(Flag.TNEF)
        if kind in {"application/pkcs7-mime", "application/x-pkcs7-mime"}:
            content.flags.add(Flag.ENCRYPTED)
        data = _bytes_of(part)
        if kind == _CALENDAR:
            content.calendar_method = _method_of(part, data)
        if kind in _MAILS:
            inner = Headers.read(data)
            given = _name_of_message(inner) or given
            content.returned_ids += inner.ids("message-id")
        name = attachments.safe_name(
            given, number, names, extension=attachments.extension_of(kind, data)
        )
        names.append(name)
        content.attachments.append(_attachment(file, kind, name, data, content.html or ""))


def _method_of(invitation: Message, data: bytes) -> str | None:
    """Return the method of an invitation: of its type, else of its text."""
    declared = str(invitation.get_param("method", ""))
    written = _METHOD.search(data[:_MOST_CALENDAR].decode("latin-1"))
    return (declared or (written[1] if written else "")).upper() or None


def _attachment(
    file: _File, kind: str, name: str, data: bytes, document: str
) -> attachments.Attachment:
    part = file.part
    content_id = (Headers.of(part).first("content-id") or "").strip("<> ") or None
    is_used = content_id is not None and f"cid:{content_id}" in document
    is_image = kind.startswith("image/") and part.get_content_disposition() == "inline"
    return attachments.make(
        data,
        name=name,
        content_type=kind,
        content_id=content_id,
        is_inline=not file.is_shown and (is_used or is_image),
        is_shown=file.is_shown,
    )


def _name_of_message(inner: Headers) -> str:
    """Name an embedded mail by its subject; "" if it has none."""
    subject = inner.text("subject").replace("/", "_").replace("\\", "_")
    return f"{subject}.eml" if subject.strip(". ") else ""


def _bytes_of(part: Message) -> bytes:
    """Return the decoded content of a part, or the source of an embedded mail; of damaged base64 what can be read."""
    encoding = Headers.of(part).first("content-transfer-encoding") or ""
    if part.is_multipart():
        inner = [one for one in part.get_payload() if isinstance(one, Message)]
        if encoding.strip().lower() == "base64" and len(inner) == 1 and not inner[0].keys():
            # RFC 2046 forbids it for embedded mails, which the standard library reads as they are.
            inner[0]["Content-Transfer-Encoding"] = encoding
            return _bytes_of(inner[0])
        return b"".join(map(_source, inner))
    if named := _ENCODING.match(encoding):
        # As in "base64;" and "quoted-printable (8 bit)", which the standard library takes for unknown ones.
        part.replace_header("Content-Transfer-Encoding", named[1])
    decoded = part.get_payload(decode=True)
    return decoded if isinstance(decoded, bytes) else b""


def _source(message: Message) -> bytes:
    try:
        return message.as_bytes()
    except (MessageError, ValueError, LookupError, TypeError, AttributeError):
        # The generator refuses some damaged headers, which the parser accepts.
        return message.as_string().encode("utf-8", "surrogateescape")


def _charset(part: Message) -> str | None:
    try:
        charset = part.get_content_charset()
    except (ValueError, LookupError, TypeError):
        return None
    return charset if isinstance(charset, str) else None
