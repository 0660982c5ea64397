"""Sends carousels of pictures or videos."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import HttpsUrl, Input, MediaId, ReplyInput
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.interactive.interactives import framed, of_interactive
from whatsapp.actions.messages.interactive.parts import Body, ButtonId, CardBody, Label
from whatsapp.actions.messages.provider_files import check_files
from whatsapp.sending.drafts import Draft

CAROUSELS = Group("carousels")


class LinkButton(Input):
    """A button that opens a web page."""

    type: Literal["cta_url"]
    text: Label
    url: HttpsUrl


class ReplyButton(Input):
    """A button that answers with *id*; without it, with a number of its place."""

    type: Literal["quick_reply"] = "quick_reply"
    text: Label
    id: ButtonId | None = None


class MediaCard(Input):
    """
    A card: a picture or a video (`mediaId` or `link`), an optional text, and one link (`button`) or up to three
    replies (`buttons`).
    """

    header_type: Literal["image", "video"]
    media_id: MediaId | None = None
    link: HttpsUrl | None = None
    body_text: CardBody | None = None
    button: LinkButton | ReplyButton | None = None
    buttons: Annotated[list[ReplyButton], Field(min_length=1, max_length=3)] | None = None

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if (self.media_id is None) == (self.link is None):
            raise PydanticCustomError("source", "must have exactly one of mediaId, link")
        if (self.button is None) == (self.buttons is None):
            raise PydanticCustomError("button", "must have exactly one of button, buttons")
        return self

    @property
    def replies(self) -> list[ReplyButton]:
        """The reply buttons."""
        one = [self.button] if isinstance(self.button, ReplyButton) else []
        return one + (self.buttons or [])


class SendMediaCarousel(ReplyInput):
    """Two to ten cards of the same structure: the same kind of file, and the same buttons."""

    body_text: Body
    cards: Annotated[list[MediaCard], Field(min_length=2, max_length=10)]

    @model_validator(mode="after")
    def _cards_are_alike(self) -> Self:
        shapes = {
            (card.header_type, isinstance(card.button, LinkButton), len(card.replies))
            for card in self.cards
        }
        if len(shapes) > 1:
            problem = "cards must have the same headerType and the same kind and number of buttons"
            raise PydanticCustomError("cards", problem)
        return self


@CAROUSELS.sends(Scope.WHATSAPP_SEND)
def send_media_carousel(call: Call[SendMediaCarousel]) -> Draft:
    """Send cards that the customer scrolls through, inside the 24-hour window."""
    given = call.input
    cards = [_card(index, card) for index, card in enumerate(given.cards)]
    interactive = framed({"cards": cards}, body=given.body_text)
    check_files(call, cards, "cards")
    return of_interactive("carousel", interactive, given.reply_to_message_id)


def _card(index: int, card: MediaCard) -> dict[str, Any]:
    """
    Return a card in the provider's structure.

    Not confirmed by our own traffic: that a card with reply buttons has no `type`, and that files may have ids.
    """
    source = {"link": card.link} if card.link else {"id": card.media_id}
    shown: dict[str, Any] = {
        "card_index": index,
        "header": {"type": card.header_type, card.header_type: source},
        "action": _action(index, card),
    }
    if isinstance(card.button, LinkButton):
        shown["type"] = "cta_url"
    if card.body_text:
        shown["body"] = {"text": card.body_text}
    return shown


def _action(index: int, card: MediaCard) -> dict[str, Any]:
    if isinstance(card.button, LinkButton):
        parameters = {"display_text": card.button.text, "url": card.button.url}
        return {"name": "cta_url", "parameters": parameters}
    replies = [
        {"id": reply.id or f"card_{index}_{place}", "title": reply.text}
        for place, reply in enumerate(card.replies)
    ]
    return {"buttons": [{"type": "quick_reply", "quick_reply": reply} for reply in replies]}
