"""Returns fixed guidance for senders, and the meanings of WhatsApp's error codes."""

from typing import Annotated, Literal

from pydantic import Field

from shared.api.auth import Scope
from whatsapp.actions.accounts.administration.reference import UTILITY
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input
from whatsapp.actions.dispatch import error_meanings
from whatsapp.api.json_view import View

type Topic = Literal["opt_in", "templates", "pacing", "window", "media", "payments", "errors"]

TEXTS: dict[Topic, tuple[str, ...]] = {
    "opt_in": (
        "Ask each customer for consent before the first message, and name your business in the question.",
        "Offer a way to stop in every marketing message, and honour a stop at once on all numbers.",
        "Keep when and where a customer agreed; record it with set_consent.",
        "Send only what the customer agreed to: orders are not marketing.",
    ),
    "templates": (
        "Choose the category by the content; a template with an offer is MARKETING.",
        "Put variables inside sentences, never at the beginning or the end, and give an example for each.",
        "Watch the quality: blocks and reports pause a template first for three, then for six hours, then permanently.",
        "Create a new template instead of many edits: an approved one can be edited once a day and ten times a month.",
    ),
    "pacing": (
        "A number sends 80 messages a second at first; more is granted if the quality is high.",
        "Leave six seconds between two messages to one customer; a short burst of answers is permitted.",
        "The messaging limit counts different customers in 24 hours: start campaigns below it and grow slowly.",
        "Stop a campaign whose failure rate rises, and read the codes before the next attempt.",
    ),
    "window": (
        "A message or call of the customer opens 24 hours for free-form messages; see get_service_window.",
        "An answered ad gives 72 hours without charge.",
        "Outside the window send an approved template; it does not open the window, only the customer's answer does.",
    ),
    "media": (
        "Check type and size before sending: 5 MB for images, 16 MB for audio and video, 100 MB for documents.",
        "Upload a file once and send it by its id to many customers; the id is valid for 30 days.",
        "Incoming files can be fetched for 30 days; Parley fetches them at once.",
    ),
    "payments": (
        "Give every order a new reference, and compute totals in minor units.",
        "Look a payment up before you deliver; a message of the customer is no proof.",
        "Refund up to the captured amount only, and wait for the provider's confirmation.",
    ),
    "errors": (
        "A refused message is not repeated automatically: the same message would be refused again.",
        "Codes with `again` can succeed later, with the same idempotency key.",
        "After a lost answer never send again by hand: list_unknown_sends shows what has to be decided.",
    ),
}


class BestPractices(Input):
    """A topic; without one, all of them."""

    topic: Annotated[Topic | None, Field(description="only the advice on this topic")] = None


class Advice(View):
    """The advice on one topic."""

    topic: Topic
    texts: list[str]


class ErrorCode(View):
    """A code of the provider. *again*: the same message can succeed later."""

    code: int
    meaning: str
    advice: str
    again: bool


class Guidance(View):
    """Guidance; *codes* is present for the topic `errors`, and without a topic."""

    topics: list[Advice]
    codes: list[ErrorCode] | None = None


@UTILITY.reads("local", Scope.WHATSAPP_READ)
def get_best_practices(call: Call[BestPractices]) -> Guidance:
    """Return fixed guidance on opt-in, templates, pacing, the window, media, payments, and each common error code."""
    topic = call.input.topic
    chosen = [name for name in TEXTS if topic in {None, name}]
    return Guidance(
        topics=[Advice(topic=name, texts=list(TEXTS[name])) for name in chosen],
        codes=_codes() if topic in {None, "errors"} else None,
    )


def _codes() -> list[ErrorCode]:
    return [
        ErrorCode(code=code, meaning=one.meaning, advice=one.advice, again=one.again)
        for code, one in sorted(error_meanings.CODES.items())
    ]
