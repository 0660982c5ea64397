"""
The content of an issue: the exported HTML and text with a footer, sealed at the approval, and the mail of one reader.

Placeholders stand for what differs by reader: the links `{{unsubscribe_url}}`, `{{preferences_url}}` and
`{{web_view_url}}`, and names (`personal_fields`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from newsletters.issues import personal_fields
from newsletters.issues.links import NO_TRACK
from newsletters.issues.personal_fields import NO_NAMES
from newsletters.issues.reader_texts import texts_of
from newsletters.store.bucket.objects import issue_folder
from newsletters.store.items.issues import VARIANTS
from shared.aws.sqs_fifo import digest, to_json
from shared.aws.stored_objects import Pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from newsletters.exports.writers.look import Look
    from newsletters.issues.personal_fields import Names
    from newsletters.store.bucket.objects import Store
    from newsletters.store.items import Issue, MailTemplate
    from newsletters.store.items.issues import Variant
    from shared.providers.email.mime import Body

UNSUBSCRIBE: Final = "{{unsubscribe_url}}"
WEB_VIEW: Final = "{{web_view_url}}"
PREFERENCES: Final = "{{preferences_url}}"
PLACEHOLDERS: Final = frozenset({UNSUBSCRIBE, PREFERENCES, WEB_VIEW})
PLACEHOLDER: Final = re.compile(r"\{\{\s*[A-Za-z_]{1,40}\s*(?:\|[^{}\n]{0,80})?\}\}")
ID_DIGITS: Final = 32
CLIPPED_ABOVE: Final = 102 * 1024  # bytes, by Gmail
_BODY_START: Final = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
_BODY_END: Final = re.compile(r"</body\s*>", re.IGNORECASE)
_HIDDEN: Final = (
    "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px"
)
_LOOK: Final = {"layout", "font_stack", "logo_url", "logo_alt", "header_md", "footer_md"}
_FOOTER: Final = (
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">'
    '<tr><td align="center" dir="{direction}" class="nl-footer" style="padding:16px 24px;font-family:{fonts};'
    'font-size:14px;line-height:1.5;color:{muted}"><span dir="auto">{permission}</span>'
    '<br><span dir="auto">{postal}</span><br><br>'
    '<a {no_track} class="nl-a" href="{unsubscribe}" style="color:{link}">{leave}</a> &#183; '
    '<a {no_track} class="nl-a" href="{preferences}" style="color:{link}">{choose}</a> &#183; '
    '<a {no_track} class="nl-a" href="{web_view}" style="color:{link}">{view}</a></td></tr></table>'
)


@dataclass(frozen=True, slots=True)
class Sealed:
    """The approved parts, with placeholders."""

    html: str
    text: str


def composed(issue: Issue, html: str, text: str, template: MailTemplate | None = None) -> Sealed:
    """Return the exported parts of a newsletter in the look of an issue, with its preview line and its footer."""
    footer = _footer(issue)
    above = ""
    if template is not None:
        html, above, below = _in_look(issue, html, template)
        footer = below + _footer_in_look(footer, template)
        text = _text_in_look(issue, text, template)
    texts = texts_of(issue.language)
    lines = (
        text.rstrip(),
        "",
        "-- ",
        issue.permission_line,
        issue.postal_address,
        f"{texts.leave}: {UNSUBSCRIBE}",
        f"{texts.choose}: {PREFERENCES}",
        f"{texts.view}: {WEB_VIEW}",
    )
    html = _with_preheader(_after_body_start(html, above), issue.preheader)
    return Sealed(_with_footer(html, footer), "\n".join(lines) + "\n")


def _footer(issue: Issue) -> str:
    # The look of exports: other events and calls need none of it.
    from newsletters.exports.writers.email_styles import FONTS  # noqa: PLC0415 - as above
    from newsletters.exports.writers.palette import LIGHT  # noqa: PLC0415 - as above

    texts = texts_of(issue.language)
    return _FOOTER.format(
        direction=texts.direction,
        fonts=FONTS,
        muted=LIGHT.muted,
        link=LIGHT.link,
        permission=escape(issue.permission_line),
        postal=escape(issue.postal_address),
        no_track=NO_TRACK,
        unsubscribe=UNSUBSCRIBE,
        preferences=PREFERENCES,
        web_view=WEB_VIEW,
        choose=escape(texts.choose),
        leave=escape(texts.leave),
        view=escape(texts.view),
    )


def _in_look(issue: Issue, html: str, template: MailTemplate) -> tuple[str, str, str]:
    from newsletters.exports.writers import look  # noqa: PLC0415 - as of the footer

    return look.on_html(_look(template), html, issue.language)


def _footer_in_look(footer: str, template: MailTemplate) -> str:
    from newsletters.exports.writers import look  # noqa: PLC0415 - as of the footer

    return look.on_footer(_look(template), footer)


def _text_in_look(issue: Issue, text: str, template: MailTemplate) -> str:
    from newsletters.exports.writers import look  # noqa: PLC0415 - as of the footer

    return look.on_text(_look(template), text, issue.language)


def _look(template: MailTemplate) -> Look:
    from newsletters.exports.writers.look import Look  # noqa: PLC0415 - as of the footer

    colours = template.colours
    given = template.model_dump(include=_LOOK)
    return Look(accent=colours.accent, page=colours.page, **given)


def id_of(parts: Sealed, variants: Mapping[Variant, Sealed]) -> str:
    """Return the id of a content: any other text, look or variant has another one."""
    every = [("a", parts), *sorted(variants.items())]
    named = [[name, one.html, one.text] for name, one in every]
    return digest("issue content", to_json(named))[:ID_DIGITS]


def seal(store: Store, issue: Issue, parts: Sealed) -> dict[str, Any]:
    """Store the parts and return their pointer. Safe to repeat: the object is named by its hash."""
    body = to_json({"html": parts.html, "text": parts.text}).encode()
    return issue_folder(store, issue.issue_id).put("mail", body).attributes()


def sealed_fields(
    store: Store, issue: Issue, parts: Sealed, variants: Mapping[Variant, Sealed]
) -> dict[str, Any]:
    """Store the parts of an issue, and of variants with a text of their own; return its fields with the pointers."""
    others = {name: seal(store, issue, own) for name, own in variants.items()}
    return {"sealed": seal(store, issue, parts), "sealed_variants": others or None}


def sealed_of(store: Store, issue: Issue) -> dict[Variant, Sealed]:
    """
    Read the sealed parts of the issue, as `a`, and of the variants that have a text of their own. Raises
    ObjectUnusable, also if there are none.
    """
    named = {"a": issue.sealed, **(issue.sealed_variants or {})}
    return {
        name: read_sealed(store, issue.issue_id, named[name]) for name in VARIANTS if name in named
    }


def pointer_of(issue: Issue, variant: Variant | None = None) -> Mapping[str, Any] | None:
    """Return the pointer to the parts of a variant, else of the one that has won."""
    return (issue.sealed_variants or {}).get(variant or issue.winner or "a", issue.sealed)


def read_sealed(store: Store, issue_id: str, pointer: Mapping[str, Any] | None) -> Sealed:
    """Read the parts of a pointer in the folder of an issue. Raises ObjectUnusable, also if there are none."""
    found = issue_folder(store, issue_id).get_json(Pointer.read(pointer))
    return Sealed(str(found["html"]), str(found["text"]))


def subject_for(issue: Issue, names: Names = NO_NAMES, variant: Variant | None = None) -> str:
    """Return the subject of one reader's mail: of the variant, else of the one that has won."""
    subject = issue.subjects[variant or issue.winner or "a"]
    return personal_fields.filled(subject, names).strip()


def without_names(issue: Issue) -> Issue:
    """Return an issue as the public reads it."""
    preheader = personal_fields.filled(issue.preheader, NO_NAMES)
    return issue.model_copy(update={"subject": subject_for(issue), "preheader": preheader})


def test_subject(issue: Issue, variant: Variant) -> str:
    """Return the subject of the mails of a test."""
    return f"[TEST] {subject_for(issue, variant=variant)}"


def body_for(sealed: Sealed, urls: Mapping[str, str], names: Names = NO_NAMES) -> Body:
    """Return the parts of one reader's mail; *urls* by placeholder."""
    from shared.providers.email.mime import Body  # noqa: PLC0415 - most calls of the API show no mail

    html = personal_fields.filled(_with_urls(sealed.html, urls, escape), names, escape)
    return Body(personal_fields.filled(_with_urls(sealed.text, urls, str), names), html)


def unknown_placeholders(issue: Issue, parts: Sealed) -> list[str]:
    """Return the placeholders that have no value: links have none in the subject."""
    found = {one.group() for part in (parts.html, parts.text) for one in PLACEHOLDER.finditer(part)}
    subjects = " ".join(issue.subjects.values())
    found = found - PLACEHOLDERS | {one.group() for one in PLACEHOLDER.finditer(subjects)}
    return sorted(one for one in found if personal_fields.filled(one, NO_NAMES) == one)


def _with_urls(text: str, urls: Mapping[str, str], spelt: Callable[[str], str]) -> str:
    for placeholder, url in urls.items():
        text = text.replace(placeholder, spelt(url))
    return text


def _with_preheader(html: str, preheader: str) -> str:
    line = f'<div style="{_HIDDEN}">{escape(preheader)}</div>' if preheader else ""
    return _after_body_start(html, line)


def _after_body_start(html: str, part: str) -> str:
    start = _BODY_START.search(html)
    return f"{html[: start.end()]}{part}{html[start.end() :]}" if start else html


def _with_footer(html: str, footer: str) -> str:
    ends = list(_BODY_END.finditer(html))
    if not ends:
        return html + footer
    return f"{html[: ends[-1].start()]}{footer}{html[ends[-1].start() :]}"
