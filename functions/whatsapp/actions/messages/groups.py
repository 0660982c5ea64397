"""Sends messages to groups."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from whatsapp import store
from whatsapp.actions.calls import delivery, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    Components,
    Flag,
    HttpsUrl,
    Input,
    Language,
    MediaId,
    S3Key,
    TemplateName,
    Text,
)
from whatsapp.actions.calls.views import SentMessage
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.files import Caption, check_source, check_type, file_of
from whatsapp.actions.messages.templates import AUTHENTICATION, DEFAULT_LANGUAGE, template_draft
from whatsapp.api.queries import NotFound
from whatsapp.sending.drafts import Draft
from whatsapp.sending.failures import TemplateNotSendable
from whatsapp.sending.payloads import of_file, of_text
from whatsapp.sending.templates import approval
from whatsapp.store.items import Conversation, Phone
from whatsapp.store.items.conversations.groups import Group as StoredGroup

GROUPS = Group("groups")
# Buttons of templates that sell something.
_COMMERCE = frozenset({"CATALOG", "MPM", "SPM", "ORDER_DETAILS"})


class SendGroupMessage(Input):
    """A message to a group: by its type `text`, a file (`s3Key`, `mediaId` or `link`), or `templateName`."""

    group_id: Annotated[Text, Field(max_length=200)]
    message_type: Literal["text", "image", "video", "audio", "document", "template"] = "text"
    text: Text | None = None
    media_id: MediaId | None = None
    s3_key: S3Key | None = None
    link: HttpsUrl | None = None
    caption: Caption | None = None
    template_name: TemplateName | None = None
    language_code: Language | None = None
    components: Components | None = None
    dry_run: Flag = False

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        kind = self.message_type
        wanted = _CONTENT.get(kind, {"media_id", "s3_key", "link", "caption"})
        given = {name for name in _OPTIONAL if getattr(self, name) is not None}
        if given - wanted:
            raise PydanticCustomError("content", f"has parameters that are not for {kind}")
        if kind == "text" and self.text is None:
            raise PydanticCustomError("text", "text is required for text")
        if kind == "template" and self.template_name is None:
            raise PydanticCustomError("template", "templateName is required for template")
        if kind not in _CONTENT:
            check_source(self)
            check_type(kind, self.caption, None)
        return self


_CONTENT = {"text": {"text"}, "template": {"template_name", "language_code", "components"}}
_OPTIONAL = (
    "text",
    "media_id",
    "s3_key",
    "link",
    "caption",
    "template_name",
    "language_code",
    "components",
)


@GROUPS.changes("remote_eum", Scope.WHATSAPP_GROUPS, idempotent=False)
def send_group_message(call: Call[SendGroupMessage]) -> SentMessage:
    """
    Send one message to all participants of a group of the company's number. Statuses are reported for each participant.

    Interactive messages do not exist for groups; templates for authentication or with buttons that sell products are
    refused.
    """
    group = store.groups.get(call.table, StoredGroup.key(call.input.group_id))
    if group is None or group.company != call.company or group.phone is None:
        raise NotFound("groupId: group not found")
    if group.state != "active":
        raise StateConflict(f"groupId: the group is {group.state}")
    phone = participants.phone_by_id(call, group.phone)
    if not phone.in_use:
        raise NotFound("groupId: the number of the group is not in use")
    return delivery.send(call, phone, _conversation(call, phone), _draft(call, phone))


def _conversation(call: Call[SendGroupMessage], phone: Phone) -> Conversation:
    """Return the conversation of the group; a new one, not stored yet, before its first message."""
    group_id = call.input.group_id
    key = Conversation.key(phone.arn_suffix, group_id)
    head = store.heads.get(call.table, key)
    return head or Conversation(pk=key, company=phone.company, phone=phone.phone, from_=group_id)


def _draft(call: Call[SendGroupMessage], phone: Phone) -> Draft:
    given = call.input
    kind = given.message_type
    if kind == "text":
        return of_text(given.text or "")
    if kind == "template":
        return _template(call, phone)
    return of_file(file_of(call, phone, kind, given, caption=given.caption))


def _template(call: Call[SendGroupMessage], phone: Phone) -> Draft:
    given, resources = call.input, call.resources
    name, language = str(given.template_name), given.language_code or DEFAULT_LANGUAGE
    found = approval.described(resources, resources.gate, phone, name, language)
    buttons = [button for part in found.components or [] for button in part.get("buttons", [])]
    if found.category == AUTHENTICATION:
        raise TemplateNotSendable("template: authentication is not possible in groups")
    if any(str(button.get("type")).upper() in _COMMERCE for button in buttons):
        raise TemplateNotSendable("template: buttons that sell are not possible in groups")
    return template_draft(call, phone, name, language, given.components or [])
