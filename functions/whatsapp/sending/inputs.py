"""Input models of the routes that send. Their limits are the provider's, checked before any call."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from shared.api.models import inputs
from shared.inbox.canned_replies.inputs import CannedReplyInput
from shared.inbox.canned_replies.texts import LONGEST_TEXT
from shared.runtime.validation import patterns, web_addresses
from whatsapp.api.inputs import Position
from whatsapp.sending.views import CannedReplyView

_CONTENTS = ("text", "media", "template", "canned_reply")

type FileType = Literal["image", "video", "audio", "document", "sticker"]
type Parameter = Annotated[str, StringConstraints(min_length=1, max_length=1_024)]


def _link(text: str) -> str:
    if not web_addresses.is_link(text) or re.search(r"\s", text):
        raise PydanticCustomError("link", web_addresses.LINK_RULE)
    return text


class Input(inputs.Input):
    """Base of this API's bodies: camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=False)


class TemplateInput(Input):
    """
    An approved template: *body* has the values of its body's variables, in order or by name; *header* the value of a
    text header; *buttons* the values of buttons with a variable, by the button's position.
    """

    name: str = Field(pattern=r"^[a-z0-9_]{1,512}$")
    language: str = Field(
        pattern=patterns.worded(
            r"^[a-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,2}$", "must be a language such as pt_BR"
        ),
        max_length=16,
    )
    body: (
        Annotated[list[Parameter], Field(max_length=50)]
        | Annotated[dict[str, Parameter], Field(max_length=50)]
    ) = Field(default_factory=list)
    header: Parameter | None = None
    buttons: dict[Annotated[int, Field(ge=0, le=9)], Parameter] = Field(
        default_factory=dict, max_length=10
    )


class CannedReplyText(Input, inputs.Change):
    """
    The text of a canned reply, with variables such as `{{name}}`. `seen`: the `updatedAt` that was read, null if there
    was no such reply; a reply that was changed since is not replaced. Absent: it is replaced in any case.
    """

    view = CannedReplyView

    text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    seen: Annotated[str, Field(max_length=40)] | None = None


class UploadInput(Input):
    """A file to be uploaded: what it is sent as, and its MIME type."""

    type: FileType
    mime_type: str = Field(min_length=3, max_length=100, pattern=patterns.MEDIA_TYPE)


class MediaInput(Input):
    """A file: *upload* is the id of an upload, *link* an address on the web that the provider fetches."""

    type: FileType
    upload: str | None = Field(default=None, pattern=r"^[a-z2-7]{26}$")
    link: Annotated[str, Field(max_length=2_048), AfterValidator(_link)] | None = None
    caption: str | None = Field(default=None, min_length=1, max_length=1_024)
    filename: str | None = Field(default=None, min_length=1, max_length=240)

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        if (self.upload is None) == (self.link is None):
            raise PydanticCustomError("source", "must have exactly one of upload, link")
        if self.caption and self.type in {"audio", "sticker"}:
            raise PydanticCustomError("caption", "caption is for images, videos and documents")
        if self.filename and self.type != "document":
            raise PydanticCustomError("filename", "filename is for documents")
        return self


class MessageInput(Input):
    """
    A message to a customer: exactly one content. *reply_to* is the id of the message that it answers. With *position*,
    the `position` of the conversation when it was written, it is refused if another author has answered since.
    """

    text: str | None = Field(default=None, min_length=1, max_length=LONGEST_TEXT)
    media: MediaInput | None = None
    template: TemplateInput | None = None
    canned_reply: CannedReplyInput | None = None
    reply_to: str | None = Field(default=None, min_length=1, max_length=256)
    position: Position | None = None

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        if sum(getattr(self, name) is not None for name in _CONTENTS) != 1:
            names = ", ".join(to_camel(name) for name in _CONTENTS)
            raise PydanticCustomError("content", f"must have exactly one of {names}")
        return self
