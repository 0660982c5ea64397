"""A message that is to be sent, with the template and the file that it uses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from whatsapp.sending.inputs import FileType

CONTACTS: Final = "contacts"


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """
    A file of a message, at one of: *key* in our bucket, *link* on the web, *media_id* at the provider. A file with both
    *key* and *media_id* is sent by its id, and a copy is kept with the message.

    *place* is the field of the request that names it. *is_upload*: the key belongs to an upload form.
    """

    type: FileType
    place: str
    key: str | None = field(default=None, repr=False)
    link: str | None = field(default=None, repr=False)
    media_id: str | None = None
    caption: str | None = field(default=None, repr=False)
    filename: str | None = field(default=None, repr=False)
    is_upload: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedTemplate:
    """
    A template of a message: *components* have its values in Meta's structure.

    *category*: what the template must be; None: any. A category decides about consent and price.
    """

    name: str
    language: str
    components: list[dict[str, Any]] = field(default_factory=list, repr=False)
    category: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """
    A message that is to be sent. *content* is Meta's JSON of the message *type*, of contact cards
    `{"contacts": [...]}`; *shown* are the fields of `Message` in the inbox.
    """

    type: str
    content: dict[str, Any] = field(repr=False)
    shown: dict[str, Any] = field(repr=False)
    reply_to: str | None = None
    template: UsedTemplate | None = None
    media: File | None = None

    @property
    def body(self) -> dict[str, Any] | list[Any]:
        """The value of the field `type` in Meta's JSON of the message."""
        return self.content[CONTACTS] if self.type == CONTACTS else self.content
