"""The content of a message, in Meta's format and as the inbox shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whatsapp.inbound.content import PREVIEW_CHARACTERS
from whatsapp.sending import canned_replies, files
from whatsapp.sending.drafts import Draft, UsedTemplate
from whatsapp.sending.templates import fit

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from whatsapp.sending.drafts import File
    from whatsapp.sending.inputs import MediaInput, MessageInput, TemplateInput

TEXT, TEMPLATE = "text", "template"


def draft_of(table: Table, company: str, body: MessageInput) -> Draft:
    """Return the message of a request. Raises InvalidInput for a canned reply that cannot be filled."""
    if body.template is not None:
        return _of_template(body.template, body.reply_to)
    if body.media is not None:
        return _of_media(company, body.media, body.reply_to)
    if body.canned_reply is not None:
        return of_text(canned_replies.filled(table, company, body.canned_reply), body.reply_to)
    return of_text(body.text or "", body.reply_to)


def _of_media(company: str, media: MediaInput, reply_to: str | None) -> Draft:
    return of_file(files.of_input(company, media), reply_to)


def of_file(media: File, reply_to: str | None = None) -> Draft:
    """Return the message of a file; one of our bucket only gets its content when it is sent (`files.placed`)."""
    source = files.where(media)
    return Draft(
        type=media.type,
        content=files.content(media, source) if source else {},
        shown=files.shown(media),
        reply_to=reply_to,
        media=media,
    )


def of_text(text: str, reply_to: str | None = None) -> Draft:
    """Return the message of a text."""
    return Draft(
        type=TEXT,
        content={"body": text},
        shown={"type": TEXT, "text_body": text, "preview": text[:PREVIEW_CHARACTERS]},
        reply_to=reply_to,
    )


def _of_template(template: TemplateInput, reply_to: str | None) -> Draft:
    used = UsedTemplate(
        name=template.name,
        language=template.language,
        components=_components(template),
    )
    return of_template(used, reply_to)


def of_template(
    template: UsedTemplate, reply_to: str | None = None, *, hides_values: bool = False
) -> Draft:
    """
    Return the message of a template. *hides_values*: the inbox shows its name only. Raises InvalidInput for a value
    that no template takes.
    """
    fit.check_values(template.components)
    content: dict[str, Any] = {
        "name": template.name,
        "language": {"code": template.language.replace("-", "_")},
        "components": template.components,
    }
    content = {name: value for name, value in content.items() if value}
    public = {name: value for name, value in content.items() if name != "components"}
    preview = f"[template] {template.name}"
    return Draft(
        type=TEMPLATE,
        content=content,
        shown={
            "type": TEMPLATE,
            "content": public if hides_values else content,
            "preview": preview[:PREVIEW_CHARACTERS],
            "template": template.name,
        },
        reply_to=reply_to,
        template=template,
    )


def _components(template: TemplateInput) -> list[dict[str, Any]]:
    """Return the values of a template's variables (Meta, "Send message templates")."""
    components: list[dict[str, Any]] = []
    if template.header is not None:
        components.append({"type": "header", "parameters": [_text(template.header)]})
    if isinstance(template.body, dict):
        values = [_text(value) | {"parameter_name": name} for name, value in template.body.items()]
    else:
        values = [_text(value) for value in template.body]
    if values:
        components.append({"type": "body", "parameters": values})
    components += [
        {
            "type": "button",
            "sub_type": "url",
            "index": str(index),
            "parameters": [_text(value)],
        }
        for index, value in sorted(template.buttons.items())
    ]
    return components


def _text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}
